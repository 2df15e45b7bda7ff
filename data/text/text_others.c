/* A file in the tokens of other data: examples that somebody wrote to look at, or examples to score a model on. */
#include "core/base/memory.h"
#include "data/text/private/text_data_parts.h"

#include <inttypes.h>

/* Places windows as in validation. */
static hl_status lay_windows(const hl_text_spec *spec, hl_text_data *data)
{
    int64_t n = hl_corpus_numbers(data->corpora[HL_VALIDATION]);
    data->windows[HL_VALIDATION] = hl_text_windows(n, 0, false, data->length, data->length);
    return data->windows[HL_VALIDATION].count > 0
               ? hl_ok()
               : hl_error(HL_BAD_FILE,
                          "%s: has %" PRId64 " pieces, too few for a window of %" PRId64 ": lower task.length",
                          spec->file, n, data->length);
}

static hl_status open_all(const hl_text_spec *spec, hl_text_data *data)
{
    hl_text_spec all = *spec;
    all.validation_file = spec->file;
    if (data->written) {
        all.length = 0;
        all.task = spec->task == HL_TEXT_NEXT ? HL_TEXT_MASKED : spec->task;
    } else {
        HL_TRY(hl_text_spec_check(&all));
        data->running = hl_text_spec_is_running(spec);
        data->whole_words = spec->whole_words;
        data->length = spec->length;
    }
    if (!data->written && spec->task == HL_TEXT_MASKED && hl_tokens_role(data->tokens, HL_ROLE_MASK) < 0) {
        return hl_error(HL_INVALID, "task.name = masked: the tokens have no mask");
    }
    HL_TRY(hl_text_data_make_caches(&all, data));
    data->corpora[HL_TRAIN] = data->corpora[HL_VALIDATION]; /* readers open both */
    return data->running ? lay_windows(spec, data) : hl_ok();
}

hl_status hl_text_data_open_others(const hl_text_spec *spec, const hl_text_data *of, bool written, hl_text_data **out)
{
    *out = NULL;
    hl_text_data *data = hl_malloc(sizeof *data);
    HL_NEED(data != NULL, "text data");
    bool is_own = !written || spec->task == of->task || of->task == HL_TEXT_NEXT;
    *data = (hl_text_data){ .task = is_own ? of->task : HL_TEXT_MASKED,
                            .of = of,
                            .written = written,
                            .tokens = of->tokens,
                            .labels = of->labels,
                            .pieces = of->pieces,
                            .n_usable = of->n_usable };
    hl_status status = open_all(spec, data);
    if (status.code != HL_OK) {
        hl_text_data_close(data);
        return status;
    }
    *out = data;
    return status;
}
