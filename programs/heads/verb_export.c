#include "programs/heads/export_model.h"
#include "programs/heads/verb.h"

static const char usage[] = "usage: {heads} export MODEL DIR [--overwrite]\n"
                            "\n"
                            "Writes a model of text (masked, next, tags or classes) as a folder that\n"
                            "transformers loads: config.json, model.safetensors and tokenizer.json. The weights\n"
                            "are the last checkpoint's. Heads that were pruned keep their positions, with zero\n"
                            "weights.\n"
                            "\n"
                            "  --overwrite       replace the model in DIR\n";

static const hl_option options[] = {
    HL_HEADS_HELP_OPTIONS,
    { HL_HEADS_OPTION("overwrite", FLAG, overwrite) },
};

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
    .usage = usage,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .object = "DIR",
    .object_needed = true,
    .run = run,
};
