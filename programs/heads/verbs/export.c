#include "programs/heads/export_model.h"
#include "programs/heads/verb.h"

static hl_status run(hl_heads_call *call)
{
    call->command.export_to = call->command.object;
    HL_TRY(hl_heads_call_open(call, HL_DATA_TOKENS));
    HL_TRY(hl_heads_export_check(&call->model.source, &call->command));
    HL_TRY(hl_opened_model_load(&call->model, -1));
    return hl_heads_export_model(&call->model.source, &call->model.model, NULL, &call->command, call->out);
}

const hl_heads_verb hl_heads_verb_export = {
    .name = "export",
    .does = "write the model as a folder that transformers loads",
    .example = "export runs/text_masked my-model",
    .help = hl_heads_help_export,
    .options = "overwrite",
    .object = "DIR",
    .object_needed = true,
    .run = run,
};
