#include "heads/syntax_cases.h"

#include "core/base/memory.h"

#include <string.h>

hl_status hl_syntax_cases_init(hl_syntax_cases *cases, const hl_treebank *treebank, const hl_syntax *syntax,
                               const int64_t *relations, int64_t n_rows, int64_t each)
{
    size_t n = (size_t)n_rows;
    *cases = (hl_syntax_cases){ .treebank = treebank, .n_rows = n_rows, .each = each };
    cases->relations = hl_calloc(n, sizeof *cases->relations);
    cases->choices = hl_calloc(n, sizeof *cases->choices);
    cases->counts = hl_calloc(2 * n, sizeof *cases->counts);
    cases->list = hl_calloc(2 * n * (size_t)each, sizeof *cases->list);
    if (cases->relations == NULL || cases->choices == NULL || cases->counts == NULL || cases->list == NULL) {
        hl_syntax_cases_free(cases);
        return hl_error_memory("examples of relations");
    }
    for (int64_t row = 0; row < n_rows; row++) {
        cases->relations[row] = relations[row];
        cases->choices[row] = hl_syntax_row_of(syntax, relations[row]).held_out;
    }
    return hl_ok();
}

void hl_syntax_cases_free(hl_syntax_cases *cases)
{
    hl_free(cases->relations);
    hl_free(cases->choices);
    hl_free(cases->counts);
    hl_free(cases->list);
    *cases = (hl_syntax_cases){ 0 };
}

bool hl_syntax_cases_full(const hl_syntax_cases *cases)
{
    bool full = true;
    for (int64_t i = 0; i < 2 * cases->n_rows; i++) {
        full = full && cases->counts[i] == cases->each;
    }
    return full;
}

/* Takes word i of the sentence as an example of the row, where such a one is still needed. */
static void take(hl_syntax_cases *cases, int64_t row, int64_t s, int64_t i, const hl_real *map)
{
    hl_treebank_sentence sentence = hl_treebank_at(cases->treebank, s);
    int64_t W = sentence.n_words;
    hl_syntax_direction direction = cases->choices[row].direction;
    hl_syntax_case one = { .sentence = s, .word = i, .guess = hl_syntax_guess(map, i, direction, W) };
    int64_t kind = 2 * row + (one.guess == sentence.heads[i]);
    hl_syntax_case *list = cases->list + kind * cases->each;
    int64_t n = cases->counts[kind];
    if (n == cases->each || (n > 0 && list[n - 1].sentence == s)) {
        return;
    }
    for (int64_t j = 0; j < W; j++) {
        one.weights[j] = j == i ? 0 : map[direction == HL_SYNTAX_TO_HEAD ? i * W + j : j * W + i];
    }
    list[n] = one;
    cases->counts[kind]++;
}

void hl_syntax_cases_add(hl_syntax_cases *cases, const hl_word_maps *maps)
{
    for (int64_t row = 0; row < cases->n_rows; row++) {
        int64_t head = cases->choices[row].head - maps->first_head, relation = cases->relations[row];
        for (int64_t s = maps->first; head >= 0 && head < maps->n_heads && s < maps->first + maps->n_sentences; s++) {
            hl_treebank_sentence sentence = hl_treebank_at(cases->treebank, s);
            int64_t W = sentence.n_words;
            if (s % 2 == 0 || W < HL_SYNTAX_CASE_LEAST || W > HL_SYNTAX_CASE_MOST) {
                continue;
            }
            for (int64_t i = 0; i < W; i++) {
                if (sentence.heads[i] >= 0 && (relation < 0 || sentence.relations[i] == relation)) {
                    take(cases, row, s, i, hl_word_map(maps, s, head, W));
                }
            }
        }
    }
}
