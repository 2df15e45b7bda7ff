#include "programs/heads/program.h"

#include "programs/beside.h"
#include "programs/heads/verb.h"
#include "programs/processes.h"
#include "programs/standard_output.h"

#include <string.h>

/* ---- help ---- */

/* The list of verbs stands where the text has {verbs}. */
static hl_status print_verbs(FILE *out)
{
    static const char mark[] = "{verbs}\n";
    const char *after = strstr(hl_heads_help_all, mark);
    hl_text text = { 0 };
    hl_text_print(&text, "%.*s", (int)(after - hl_heads_help_all), hl_heads_help_all);
    for (int i = 0; i < HL_HEADS_VERBS; i++) {
        const hl_heads_verb *verb = hl_heads_verbs[i];
        hl_text_print(&text, "  %-12s%s\n  %-12s  {heads} %s\n", verb->name, verb->does, "", verb->example);
    }
    hl_text_print(&text, "%s", after + sizeof mark - 1);
    hl_status status = hl_text_status(&text);
    HL_THEN(status, hl_print_help(out, text.bytes));
    hl_text_free(&text);
    return status;
}

/* ---- the command ---- */

static hl_status execute(hl_heads_call *call)
{
    const hl_heads_command *command = &call->command;
    if (command->version) {
        fprintf(call->out, "headlight %s\n", HL_VERSION);
        return hl_ok();
    }
    if (command->help) {
        return command->verb != NULL ? hl_print_help(call->out, command->verb->help) : print_verbs(call->out);
    }
    return command->verb->run(call);
}

/* Rank 0 alone does what they cannot share. */
static hl_status execute_together(hl_heads_call *call, int argc, char **argv)
{
    const hl_heads_command *command = &call->command;
    HL_TRY(hl_processes_check_same(call->ranks, argc, argv));
    HL_TRY(hl_ranks_agree(call->ranks, hl_heads_command_parse(argc, argv, &call->command)));
    bool shares = command->verb != NULL && command->verb->shares != NULL && command->verb->shares(command);
    hl_processes processes;
    hl_status met = hl_processes_share(call->ranks, true, call->err, &processes);
    call->measuring = shares ? processes.local : 1;
    hl_processes_free(&processes);
    HL_TRY(met);
    return shares || hl_ranks_leads(call->ranks) ? execute(call) : hl_ok();
}

int hl_heads_program_together(hl_ranks *ranks, int argc, char **argv, FILE *out, FILE *err)
{
    hl_heads_call call = { .ranks = ranks, .out = out, .err = err, .waiting.out = err };
    hl_status status = hl_ranks_agree(ranks, execute_together(&call, argc, argv));
    hl_waiting_end(&call.waiting);
    int code = hl_standard_output_end(status, false, out, err);
    hl_opened_model_close(&call.model);
    return code;
}

int hl_heads_program(int argc, char **argv, FILE *out, FILE *err)
{
    return hl_heads_program_together(NULL, argc, argv, out, err);
}
