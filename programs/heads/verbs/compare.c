#include "programs/beside.h"
#include "programs/heads/against.h"
#include "programs/heads/examples.h"
#include "programs/heads/verb.h"
#include "programs/open_data.h"

static hl_status compare(hl_heads_call *call, hl_opened_model *second)
{
    if (call->model.source.open == NULL && second->source.open == NULL && call->model.file == NULL) {
        return hl_heads_against_show(call, second);
    }
    return call->command.files.report == NULL
               ? hl_heads_change_show(call, second)
               : hl_error(HL_INVALID,
                          "command line: --report: a page of two models is of two runs alone: leave it out");
}

static hl_status open_second(hl_heads_call *call)
{
    hl_opened_model second;
    hl_status status = hl_opened_model_open(&second, call->command.object);
    second.progress = call->model.progress;
    second.context = call->model.context;
    if (status.code == HL_OK) {
        hl_tell_precision(&call->model.source, call->err);
        hl_tell_precision(&second.source, call->err);
        status = compare(call, &second);
    }
    hl_opened_model_close(&second);
    return status;
}

static hl_status run(hl_heads_call *call)
{
    HL_TRY(hl_heads_call_open(call, HL_DATA_READ));
    const hl_model_source *model = &call->model.source;
    const hl_heads_command *command = &call->command;
    HL_TRY(model->open == NULL || model->folders != NULL || command->examples != NULL
               ? hl_ok()
               : hl_error(HL_INVALID,
                          "%s: is an open model and has no examples of its own: name sentences for both with "
                          "--examples FILE, or name a run first: %s compare RUN %s",
                          command->model, hl_program_name("heads"), command->model));
    HL_TRY(hl_heads_call_read(call));
    return open_second(call);
}

const hl_heads_verb hl_heads_verb_compare = {
    .name = "compare",
    .does = "two models, head by head",
    .example = "compare runs/copy_task runs/recall",
    .help = hl_heads_help_compare,
    .options = "examples task file json csv report",
    .object = "MODEL2",
    .object_needed = true,
    .check = hl_heads_examples_check,
    .run = run,
};
