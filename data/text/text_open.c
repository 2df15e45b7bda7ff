/* Opens text data: a user's files, or a file in the tokens of other data. */
#include "core/base/memory.h"
#include "data/text/private/text_data_parts.h"

#include <inttypes.h>

static void release(const hl_text_data *data)
{
    hl_corpus_close(data->corpora[HL_TRAIN]);
    hl_corpus_close(data->corpora[HL_VALIDATION]);
    if (data->of == NULL) { /* otherwise these belong to the other data */
        hl_tokens_free(data->tokens);
        hl_tokens_free(data->labels);
        hl_free(data->pieces);
    }
}

void hl_text_data_close(hl_text_data *data)
{
    if (data != NULL) {
        release(data);
        hl_free(data);
    }
}

/* Makes *out of the data if they are complete; otherwise releases them. */
static hl_status keep(hl_status status, const hl_text_data *made, hl_text_data **out)
{
    *out = status.code == HL_OK ? hl_malloc(sizeof **out) : NULL;
    if (*out == NULL) {
        release(made);
        return status.code == HL_OK ? hl_error_memory("text data") : status;
    }
    **out = *made;
    return status;
}

/* Makes the caches. In running text, each must have room for a window. */
static hl_status make_caches(const hl_text_spec *spec, hl_text_data *data)
{
    HL_TRY(hl_text_data_make_caches(spec, data));
    for (int split = HL_TRAIN; split <= HL_VALIDATION; split++) {
        const hl_corpus *corpus = data->corpora[split];
        if (!data->running || corpus == NULL || hl_text_data_examples(data, (hl_split)split) > 0) {
            continue;
        }
        int64_t n = hl_corpus_numbers(corpus);
        if (data->of != NULL) {
            return hl_error(HL_BAD_FILE,
                            "%s: has %" PRId64 " pieces, too few for a window of %" PRId64 ": lower task.length",
                            spec->file, n, data->length);
        }
        bool other = split == HL_VALIDATION && spec->validation_file != NULL;
        return hl_error(HL_BAD_FILE, "%s: its %s part has %" PRId64 " pieces, too few for a window of %" PRId64,
                        other ? spec->validation_file : spec->file, split == HL_TRAIN ? "training" : "validation", n,
                        data->length);
    }
    return hl_ok();
}

static hl_status open_data(const hl_text_spec *spec, hl_text_data *data)
{
    HL_TRY(hl_text_spec_check(spec));
    data->task = spec->task;
    data->running = hl_text_spec_is_running(spec);
    data->whole_words = spec->whole_words;
    data->length = spec->length;
    data->drop_pieces = spec->drop_pieces;
    HL_TRY(hl_text_data_make_tokens(spec, data));
    HL_TRY(hl_text_data_look_at_pieces(spec, data));
    return make_caches(spec, data);
}

hl_status hl_text_data_open(const hl_text_spec *spec, hl_text_data **out)
{
    hl_text_data made = { 0 };
    return keep(open_data(spec, &made), &made, out);
}

static hl_status open_others(const hl_text_spec *spec, hl_text_data *data)
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
        if (spec->task == HL_TEXT_MASKED && hl_tokens_role(data->tokens, HL_ROLE_MASK) < 0) {
            return hl_error(HL_INVALID, "task.name = masked: the tokens have no mask");
        }
    }
    return make_caches(&all, data);
}

hl_status hl_text_data_open_others(const hl_text_spec *spec, const hl_text_data *of, bool written, hl_text_data **out)
{
    bool is_own = !written || spec->task == of->task || of->task == HL_TEXT_NEXT;
    hl_text_data made = { .task = is_own ? of->task : HL_TEXT_MASKED,
                          .of = of,
                          .written = written,
                          .tokens = of->tokens,
                          .labels = of->labels,
                          .pieces = of->pieces,
                          .n_usable = of->n_usable };
    return keep(open_others(spec, &made), &made, out);
}

hl_status hl_text_data_of_tokens(hl_text_task task, hl_tokens *tokens, hl_tokens *labels, hl_text_data **out)
{
    hl_text_data made = { .task = task, .running = task == HL_TEXT_NEXT, .tokens = tokens, .labels = labels };
    return keep(hl_text_data_list_pieces(&made), &made, out);
}

const hl_tokens *hl_text_data_tokens(const hl_text_data *data)
{
    return data->tokens;
}

const hl_tokens *hl_text_data_targets(const hl_text_data *data)
{
    return data->labels != NULL ? data->labels : data->tokens;
}

int64_t hl_text_data_examples(const hl_text_data *data, hl_split split)
{
    const hl_corpus *corpus = hl_is_split(split) ? data->corpora[split] : NULL;
    if (corpus == NULL || !data->running) {
        return corpus != NULL ? hl_corpus_examples(corpus) : 0;
    }
    int64_t room = hl_corpus_numbers(corpus) - (data->length + 1); /* a window's last target comes after it */
    return room < 0 ? 0 : room / hl_text_data_stride(data, split) + 1;
}

int64_t hl_text_data_longest(const hl_text_data *data, hl_split split)
{
    const hl_corpus *corpus = hl_is_split(split) ? data->corpora[split] : NULL;
    return corpus == NULL ? 0 : data->running ? data->length : hl_corpus_longest(corpus, HL_TEXT_TOKENS);
}

const hl_text_notices *hl_text_data_noticed(const hl_text_data *data, hl_split split)
{
    return hl_is_split(split) ? &data->notices[split] : NULL;
}
