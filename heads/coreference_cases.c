#include "heads/coreference_cases.h"

#include "core/base/memory.h"

#include <stdlib.h>

hl_status hl_coreference_cases_init(hl_coreference_cases *cases, const hl_coreference_counts *counts,
                                    const hl_coreference_row *rows, int64_t each)
{
    *cases = (hl_coreference_cases){ .counts = counts, .each = each };
    cases->list = hl_calloc(hl_size_product((size_t)2 * HL_COREFERENCE_ROWS, (size_t)each), sizeof *cases->list);
    if (cases->list == NULL) {
        *cases = (hl_coreference_cases){ 0 };
        return hl_error_memory("examples of mentions");
    }
    for (int row = 0; row < HL_COREFERENCE_ROWS; row++) {
        cases->heads[row] = rows[row].held_out_head;
    }
    return hl_ok();
}

void hl_coreference_cases_free(hl_coreference_cases *cases)
{
    hl_free(cases->list);
    *cases = (hl_coreference_cases){ 0 };
}

bool hl_coreference_cases_full(const void *context)
{
    const hl_coreference_cases *cases = context;
    bool full = true;
    for (int row = 0; row < HL_COREFERENCE_ROWS; row++) {
        full = full && cases->n[row][0] == cases->each && cases->n[row][1] == cases->each;
    }
    return full;
}

static bool is_near(const hl_coreference_case *one, int32_t word)
{
    return abs(word - one->word) <= HL_COREFERENCE_CASE_AROUND ||
           abs(word - one->right) <= HL_COREFERENCE_CASE_AROUND || abs(word - one->guess) <= HL_COREFERENCE_CASE_AROUND;
}

/* Chooses the words that are shown, and copies their weights from the row of the case's word. */
static void show_words(hl_coreference_case *one, const hl_real *row, int64_t n_words)
{
    for (int32_t word = 0; word < n_words; word++) {
        bool follows = one->n_shown > 0 && one->shown[one->n_shown - 1] >= 0;
        if (is_near(one, word)) {
            one->weights[one->n_shown] = word == one->word ? 0 : row[word];
            one->shown[one->n_shown++] = word;
        } else if (follows && word < one->word) {
            one->shown[one->n_shown++] = -1;
        }
    }
}

static size_t nearest_right(const hl_coreference_text *text, size_t mention)
{
    size_t i = mention - 1;
    while (!hl_coreference_same(text, mention, i)) {
        i--;
    }
    return i;
}

static void take(hl_coreference_cases *cases, int row, int64_t window, size_t mention, const hl_real *weights)
{
    const hl_coreference_text *text = cases->counts->text;
    int64_t W = hl_treebank_at(text->windows, window).n_words;
    size_t guess = hl_coreference_guess(text, window, mention, weights);
    bool right = hl_coreference_same(text, mention, guess);
    hl_coreference_case *list = cases->list + (2 * row + right) * cases->each;
    int64_t *n = &cases->n[row][right];
    if (*n == cases->each || (*n > 0 && list[*n - 1].window == window)) {
        return;
    }
    hl_coreference_case *one = &list[(*n)++];
    *one = (hl_coreference_case){ .window = window,
                                  .word = text->mentions[mention].word,
                                  .right = text->mentions[right ? guess : nearest_right(text, mention)].word,
                                  .guess = text->mentions[guess].word };
    show_words(one, weights + one->word * W, W);
}

void hl_coreference_cases_add(void *context, const hl_word_maps *maps, int threads)
{
    (void)threads;
    hl_coreference_cases *cases = context;
    const hl_coreference_text *text = cases->counts->text;
    for (int row = 0; row < HL_COREFERENCE_ROWS; row++) {
        int64_t head = cases->heads[row] - maps->first_head;
        for (int64_t w = maps->first; head >= 0 && head < maps->n_heads && w < maps->first + maps->n_sentences; w++) {
            const hl_real *weights = hl_word_map(maps, w, head);
            for (size_t i = text->firsts[w]; text->documents[w] % 2 == 1 && i < text->firsts[w + 1]; i++) {
                if (cases->counts->rows[i] >> row & 1) {
                    take(cases, row, w, i, weights);
                }
            }
        }
    }
}
