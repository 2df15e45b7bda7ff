#include "heads/patch.h"

#include "core/base/memory.h"
#include "programs/heads/patching.h"
#include "programs/heads/verb.h"

static hl_status check(const hl_heads_command *command)
{
    bool texts = command->clean != NULL && command->corrupt != NULL,
         any = command->clean != NULL || command->corrupt != NULL;
    if (command->pairs != NULL && (any || command->answer != NULL || command->wrong != NULL)) {
        return hl_error(HL_INVALID, "command line: --pairs brings texts and answers of its own; leave --clean, "
                                    "--corrupt, --answer and --wrong out");
    }
    if (command->pairs == NULL && !texts) {
        return hl_error(HL_INVALID, "command line: patch compares two texts: give --clean and --corrupt, or --pairs");
    }
    if (command->heads != NULL && hl_heads_command_draws(command)) {
        return hl_error(HL_INVALID, "command line: with --heads there is one number and nothing to draw; leave --png, "
                                    "--svg and --pdf out");
    }
    return hl_ok();
}

/* How long the texts of --pairs are is not known before they are cut: as long as the model takes. */
static hl_status bytes_of(const hl_heads_need *need, const hl_model *model, size_t *bytes)
{
    const hl_model_source *run = &need->run->source;
    int64_t most = run->shape.max_length, T = most;
    if (need->command->pairs == NULL) {
        T = hl_heads_input_most(run, need->command->clean);
        T = T < 1 ? 1 : T > most ? most : T;
    }
    return hl_patch_bytes(model, T, run->threads, bytes);
}

static hl_status memory(hl_heads_need *need)
{
    size_t pass;
    HL_TRY(hl_heads_bytes(need, bytes_of, &pass));
    need->bytes = hl_size_sum(pass, hl_heads_model_bytes(need));
    need->remedy = "shorter texts need less";
    return hl_ok();
}

static hl_status run(hl_heads_call *call)
{
    HL_TRY(hl_heads_call_start(call, HL_DATA_TOKENS, NULL));
    HL_TRY(hl_opened_model_load(&call->model, -1));
    hl_heads_patching patching;
    hl_status status = hl_heads_patching_measure(&patching, &call->model, &call->command, call->err);
    HL_THEN(status, hl_heads_patching_deliver(&patching, call->out));
    hl_heads_patching_free(&patching);
    return status;
}

const hl_heads_verb hl_heads_verb_patch = {
    .name = "patch",
    .does = "which parts of the model carry the difference between two texts",
    .example = "patch runs/copy_task --pairs pairs.tsv",
    .help = hl_heads_help_patch,
    .options = "clean corrupt pairs answer wrong position at heads reverse json csv png svg pdf",
    .check = check,
    .memory = memory,
    .run = run,
};
