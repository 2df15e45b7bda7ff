#include "data/private/task_parts.h"

#include <inttypes.h>

/* At every position with `order` symbols before it, the answer is the token that names these symbols in order: after d
 * b a it is "dba". The model must read `order` positions and distinguish them; a head that attends to two of them
 * passes on a mixture of both. No single position is the source. */

enum { MOST_SYMBOLS = 26, MOST_ORDER = 8, MOST_NGRAMS = 1 << 16 };

/* symbols^order, or MOST_NGRAMS + 1 if that is more than MOST_NGRAMS. */
static int64_t n_ngrams(const hl_task_spec *spec)
{
    int64_t n = 1;
    for (int64_t i = 0; i < spec->order && n <= MOST_NGRAMS; i++) {
        n *= spec->symbols;
    }
    return n <= MOST_NGRAMS ? n : MOST_NGRAMS + 1;
}

static hl_status check(const hl_task_spec *spec)
{
    HL_TRY(hl_task_check_range("symbols", spec->symbols, 2, MOST_SYMBOLS));
    HL_TRY(hl_task_check_range("order", spec->order, 2, MOST_ORDER));
    if (n_ngrams(spec) > MOST_NGRAMS) {
        return hl_error(HL_INVALID,
                        "task.order = %" PRId64 ": %" PRId64
                        " symbols make more than %d n-grams of that order; lower task.order or task.symbols",
                        spec->order, spec->symbols, MOST_NGRAMS);
    }
    return hl_task_check_lengths(spec, spec->order + 1);
}

static int64_t n_words(const hl_task_spec *spec)
{
    return spec->symbols + n_ngrams(spec);
}

static void words(const hl_task_spec *spec, hl_text *text)
{
    hl_task_add_letters(spec->symbols, text);
    for (int64_t ngram = 0; ngram < n_ngrams(spec); ngram++) {
        char name[MOST_ORDER + 1] = "";
        int64_t rest = ngram;
        for (int64_t i = spec->order - 1; i >= 0; i--) {
            name[i] = (char)('a' + rest % spec->symbols);
            rest /= spec->symbols;
        }
        hl_text_print(text, "%s\n", name);
    }
}

static void make(const hl_task_spec *spec, int64_t n, hl_draw *draw, hl_example example)
{
    hl_sequence_draw(spec, n, draw, example.tokens);
    int64_t count = n_ngrams(spec), ngram = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i >= spec->order) {
            example.targets[i] = (int32_t)(HL_SPECIAL_TOKENS + spec->symbols + ngram);
        }
        ngram = (ngram * spec->symbols + example.tokens[i] - HL_SPECIAL_TOKENS) % count;
    }
}

const hl_task hl_task_ngram = {
    .name = "ngram",
    .summary = "name the n-gram before each place: the order symbols there, one after the other, make one answer",
    .keys = { "length", "min_length", "symbols", "order" },
    .n_words = n_words,
    .words = words,
    .check = check,
    .make = make,
};
