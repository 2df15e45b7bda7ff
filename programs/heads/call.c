#include "programs/heads/call.h"

#include "programs/beside.h"
#include "programs/heads/examples.h"
#include "programs/heads/memory.h"
#include "programs/open_data.h"
#include "programs/print_line.h"
#include "study/predict_score.h"

#include <unistd.h>

hl_status hl_heads_call_open(hl_heads_call *call, hl_data_use use)
{
    const hl_heads_command *command = &call->command;
    hl_model_options options = { .use = use,
                                 .task = command->task,
                                 .file = command->file,
                                 .overrides = command->asked.overrides,
                                 .n_overrides = command->asked.n_overrides };
    HL_TRY(hl_opened_model_open_with(&call->model, command->model, options));
    call->model.progress = hl_waiting_tell;
    call->model.context = &call->waiting;
    return hl_ok();
}

hl_status hl_heads_call_needs_loss(const hl_heads_call *call)
{
    static const char *const files[] = { "masked --file text.txt", "next --file text.txt",
                                         "tags --file treebank.conllu", "classes --file table.tsv" };
    const hl_model_source *model = &call->model.source;
    hl_text_task task;
    hl_config_is_text(&model->config, &task);
    if (model->open == NULL || model->folders != NULL) {
        return hl_ok();
    }
    if (model->shape.head == HL_HEAD_NONE) {
        return hl_error(HL_INVALID,
                        "%s: is an open model without an output layer, and this question needs a loss: train one on "
                        "your own examples with %s my.ini --from %s, and ask the run",
                        model->path, hl_program_name("train"), model->path);
    }
    return hl_error(
        HL_INVALID,
        "%s: is an open model, and this question needs a loss on your own examples: name them with --task %s",
        model->path, files[task]);
}

hl_status hl_heads_call_needs_examples(const hl_heads_call *call)
{
    const hl_model_source *model = &call->model.source;
    if (model->open == NULL || call->command.examples != NULL || model->folders != NULL) {
        return hl_ok();
    }
    const char *heads = hl_program_name("heads");
    return hl_error(HL_INVALID,
                    "%s: is an open model and has no examples of its own: give sentences with --examples FILE, or a "
                    "text, as in: %s map %s --input \"the cat sat on the mat\"",
                    call->command.model, heads, call->command.model);
}

/* Labels of a file that an open model does not have are answered wrong, and tell nothing about its heads. */
static hl_status tell_unknown_labels(const hl_heads_call *call)
{
    const hl_model_source *model = &call->model.source;
    const hl_text_data *data = model->folders != NULL ? hl_dataset_text(model->dataset) : NULL;
    int64_t n = data != NULL ? hl_text_data_noticed(data, HL_VALIDATION)->unseen : 0;
    if (n == 0) {
        return hl_ok();
    }
    hl_text line = { 0 };
    hl_predict_print_targets(hl_text_data_targets(data), &line);
    hl_status status = hl_text_status(&line);
    if (status.code == HL_OK) {
        hl_print_line(call->err, "%s: %lld of its labels %s none of the model's: %s", model->validation, (long long)n,
                      n == 1 ? "is" : "are", line.bytes);
    }
    hl_text_free(&line);
    return status;
}

hl_status hl_heads_call_read(hl_heads_call *call)
{
    hl_target targets[HL_HEADS_TARGETS];
    HL_TRY(tell_unknown_labels(call));
    hl_heads_command_targets(&call->command, targets);
    HL_TRY(hl_targets_check(targets, HL_HEADS_TARGETS, (hl_targets_beside){ 0 }));
    return call->command.examples != NULL ? hl_heads_examples_read(&call->model, &call->command, call->err) : hl_ok();
}

hl_status hl_heads_call_begin(hl_heads_call *call)
{
    const hl_model_source *model = &call->model.source;
    hl_memory_at_hand at_hand = hl_memory_at_hand_now();
    at_hand.bytes /= (size_t)call->measuring;
    hl_heads_need need;
    HL_TRY(hl_heads_memory(&call->model, &call->command, &need));
    HL_TRY(hl_heads_need_check(&need, at_hand));
    hl_tell_precision(model, call->err);
    hl_tell_first_word(model, call->err);
    return model->open != NULL ? hl_print_notices(call->err, hl_pretrained_notices(model->open)) : hl_ok();
}

hl_status hl_heads_call_start(hl_heads_call *call, hl_data_use use, hl_status (*needs)(const hl_heads_call *call))
{
    HL_TRY(hl_heads_call_open(call, use));
    HL_TRY(needs != NULL ? needs(call) : hl_ok());
    HL_TRY(hl_heads_call_read(call));
    return hl_heads_call_begin(call);
}

bool hl_heads_call_can_write(const hl_heads_call *call, const char *else_what)
{
    const hl_opened_model *model = &call->model;
    if (model->file != NULL || access(model->source.path, W_OK) == 0) {
        return true;
    }
    hl_print_line(call->err, "%s: this folder cannot be written to: %s", model->source.path, else_what);
    return false;
}
