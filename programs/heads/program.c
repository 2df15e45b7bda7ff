#include "programs/heads/program.h"

#include "programs/beside.h"
#include "programs/heads/verb.h"
#include "programs/processes.h"
#include "programs/standard_output.h"

/* ---- help ---- */

static hl_status print_verbs(FILE *out)
{
    hl_text text = { 0 };
    hl_text_print(&text, "usage: {heads} VERB MODEL ... [options]\n"
                         "       {heads} MODEL             the same as {heads} table MODEL\n"
                         "\n"
                         "Shows what every attention head of a model does. MODEL is a training run's\n"
                         "folder, as in runs/copy_task, or an open model's folder as Hugging Face lays it\n"
                         "out. Write ./map for a folder that has a verb's name.\n"
                         "\n");
    for (int i = 0; i < HL_HEADS_VERBS; i++) {
        hl_text_print(&text, "  %-12s%s\n", hl_heads_verbs[i]->name, hl_heads_verbs[i]->does);
        hl_text_print(&text, "  %-12s  {heads} %s\n", "", hl_heads_verbs[i]->example);
    }
    hl_text_print(&text, "\n"
                         "  --help      this text; {heads} VERB --help explains one verb\n"
                         "  --version   the version\n"
                         "\n"
                         "Colours are used where standard output is a terminal that has them (TERM,\n"
                         "COLORTERM), unless NO_COLOR is set.\n"
                         "\n"
                         "Exit: 0 done; 1 failed while running; 2 wrong usage; 3 a file, or no run; 4\n"
                         "numbers that are not finite; 5 out of memory.\n");
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
        return command->verb != NULL ? hl_print_help(call->out, command->verb->usage) : print_verbs(call->out);
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
