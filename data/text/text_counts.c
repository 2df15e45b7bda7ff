#include "data/text/private/text_counts.h"

#include "core/base/memory.h"
#include "data/text/private/text_data_parts.h"
#include "data/text/scored_text.h"

/* ---- all of a split, in order ---- */

static hl_status visit_sentences(const hl_text_data *data, hl_split split, hl_corpus_reader *corpus, int32_t *words,
                                 int64_t most, hl_text_visit *visit, void *context)
{
    int64_t n = hl_corpus_examples(data->corpora[split]);
    for (int64_t i = 0, visited = 0; i < n && visited < most; i++) {
        hl_text_example example;
        HL_TRY(hl_text_data_sentence(data, corpus, i, &example));
        hl_text_data_find_words(data, &example, words);
        HL_TRY(visit(context, &example));
        visited += example.n_tokens;
    }
    return hl_ok();
}

enum { CHUNK = 1 << 16 }; /* in running text; a word that is cut begins the next chunk, unless it fills the chunk */

static hl_status visit_running(const hl_text_data *data, hl_split split, hl_corpus_reader *corpus, int32_t *words,
                               int64_t most, hl_text_visit *visit, void *context)
{
    int64_t n = hl_corpus_numbers(data->corpora[split]);
    int32_t *tokens = words + CHUNK;
    n = n < most ? n : most;
    for (int64_t first = 0; first < n;) {
        int64_t taken = n - first < CHUNK ? n - first : CHUNK;
        HL_TRY(hl_text_data_pieces(data, corpus, first, taken, tokens));
        hl_text_example example = { .n_tokens = taken, .tokens = tokens };
        hl_text_data_find_words(data, &example, words);
        if (first + taken < n && example.n_words > 1) {
            example.n_tokens = words[--example.n_words];
        }
        HL_TRY(visit(context, &example));
        first += example.n_tokens;
    }
    return hl_ok();
}

hl_status hl_text_data_visit(const hl_text_data *data, hl_split split, int64_t most, hl_text_visit *visit,
                             void *context)
{
    size_t longest = (size_t)hl_text_data_longest(data, split) + 1;
    int32_t *words = hl_calloc(data->running ? 2 * CHUNK : longest, sizeof *words);
    hl_corpus_reader corpus = { 0 };
    hl_status status = words != NULL ? hl_ok() : hl_error_memory("the words of a text");
    HL_THEN(status, hl_corpus_reader_init(&corpus, data->corpora[split]));
    HL_THEN(status,
            (data->running ? visit_running : visit_sentences)(data, split, &corpus, words, most, visit, context));
    hl_corpus_reader_free(&corpus);
    hl_free(words);
    return status;
}

/* ---- counts ---- */

typedef struct counting {
    const hl_text_data *data;
    hl_text_counts *counts;
    hl_scored_text text;
    hl_text_progress *progress; /* or NULL; called with `context` */
    void *context;
    const char *what;
    int64_t done, total; /* numbers in running text, otherwise examples */
} counting;

static hl_status tell(counting *c, const hl_text_example *example)
{
    enum { EXAMPLES = 1024 };
    c->done += c->data->running ? example->n_tokens : 1;
    bool due = c->progress != NULL && (c->data->running || c->done % EXAMPLES == 0);
    return due ? c->progress(c->context, c->what, c->done, c->total) : hl_ok();
}

static hl_status count(void *context, const hl_text_example *example)
{
    counting *c = context;
    hl_text_counts *counts = c->counts;
    const hl_tokens *tokens = c->data->tokens;
    int32_t unknown = hl_tokens_role(tokens, HL_ROLE_UNK);
    for (int64_t i = 0; i < example->n_tokens; i++) {
        bool is_unknown = unknown >= 0 && example->tokens[i] == unknown;
        counts->unknown += is_unknown;
        counts->pieces += is_unknown || !hl_tokens_is_special(tokens, example->tokens[i]);
    }
    for (int64_t i = 0; i < example->n_targets; i++) {
        counts->unseen += example->ids[i] < 0;
        if (counts->labels != NULL && example->ids[i] >= 0) {
            counts->labels[example->ids[i]]++;
        }
    }
    counts->targets += example->n_targets;
    HL_TRY(tell(c, example));
    if (c->data->task == HL_TEXT_TAGS || c->data->task == HL_TEXT_FILE) {
        return hl_ok();
    }
    if (!c->data->running) {
        hl_scored_text_break(&c->text);
    }
    return hl_scored_text_add(&c->text, tokens, example->tokens, (size_t)example->n_tokens);
}

hl_status hl_text_counts_of(const hl_text_data *data, hl_split split, hl_text_progress *progress, void *context,
                            hl_text_counts *counts)
{
    const hl_corpus *corpus = data->corpora[split];
    counting c = { .data = data,
                   .counts = counts,
                   .progress = progress,
                   .context = context,
                   .what = split == HL_TRAIN ? "counting the training part" : "counting the validation part",
                   .total = data->running ? hl_corpus_numbers(corpus) : hl_corpus_examples(corpus) };
    *counts = (hl_text_counts){ .pieces = 0 };
    if (data->labels != NULL) {
        counts->labels = hl_calloc((size_t)hl_tokens_size(data->labels), sizeof *counts->labels);
    }
    hl_status status = data->labels == NULL || counts->labels != NULL ? hl_ok() : hl_error_memory("labels");
    HL_THEN(status, hl_text_data_visit(data, split, INT64_MAX, count, &c));
    if (status.code != HL_OK) {
        hl_text_counts_free(counts);
        return status;
    }
    counts->characters = c.text.characters;
    counts->words = data->task == HL_TEXT_TAGS ? counts->targets : c.text.words;
    return status;
}

void hl_text_counts_free(hl_text_counts *counts)
{
    hl_free(counts->labels);
    *counts = (hl_text_counts){ .pieces = 0 };
}

hl_status hl_text_data_mean_length(const hl_text_data *data, double *mean)
{
    enum { SOME = 512 };
    int64_t N = hl_text_data_examples(data, HL_TRAIN), n = N < SOME ? N : SOME;
    *mean = (double)hl_text_data_longest(data, HL_TRAIN);
    if (data->running) {
        return hl_ok();
    }
    hl_corpus_reader reader = { 0 };
    hl_status status = hl_corpus_reader_init(&reader, data->corpora[HL_TRAIN]);
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        HL_THEN(status, hl_corpus_read_lengths(&reader, i * N / n));
        sum += (double)reader.lengths[HL_TEXT_TOKENS];
    }
    hl_corpus_reader_free(&reader);
    *mean = n > 0 ? sum / (double)n : *mean;
    return status;
}
