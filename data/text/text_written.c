/* Examples that somebody wrote to look at, by the tokens of data that a model was trained on. */
#include "core/memory.h"
#include "data/text/private/text_data_parts.h"

hl_status hl_text_data_open_written(const hl_text_spec *spec, const hl_text_data *of, hl_text_data **out)
{
    *out = NULL;
    hl_text_data *data = hl_malloc(sizeof *data);
    HL_NEED(data != NULL, "text data");
    *data = (hl_text_data){ .task = of->task,
                            .of = of,
                            .tokens = of->tokens,
                            .labels = of->labels,
                            .pieces = of->pieces,
                            .n_usable = of->n_usable };
    hl_text_spec lines = *spec;
    lines.validation_file = spec->file; /* all of it */
    lines.length = 0;
    lines.task = of->running ? HL_TEXT_MASKED : of->task;
    hl_status status = hl_text_data_make_caches(&lines, data);
    if (status.code != HL_OK) {
        hl_text_data_close(data);
        return status;
    }
    data->corpora[HL_TRAIN] = data->corpora[HL_VALIDATION]; /* readers open both */
    *out = data;
    return status;
}
