#include "heads/patch.h"

#include "core/base/memory.h"
#include "programs/heads/help.h"
#include "programs/heads/memory.h"
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
static hl_status bytes_of(const hl_opened_model *run, const hl_heads_command *command, const hl_model *model,
                          size_t *bytes)
{
    int64_t most = run->source.shape.max_length, T = most;
    if (command->pairs == NULL) {
        T = hl_heads_input_most(&run->source, command->clean);
        T = T < 1 ? 1 : T > most ? most : T;
    }
    return hl_patch_bytes(model, T, run->source.threads, bytes);
}

static hl_status memory(const hl_opened_model *run, const hl_heads_command *command, const hl_footprint *f,
                        size_t *bytes, const char **remedy)
{
    *remedy = "shorter texts need less";
    HL_TRY(hl_heads_bytes(run, command, bytes_of, bytes));
    *bytes = hl_size_sum(*bytes, hl_size_sum(f->kernels, hl_footprint_sum(f, HL_STANDS_MODEL)));
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
