#include "heads/syntax_cases.h"

#include "core/base/memory.h"
#include "core/base/private/block.h"

#include <stdlib.h>

static void lay_out(void *context, hl_block *block)
{
    hl_syntax_cases *cases = context;
    int64_t n = cases->n_rows;
    cases->relations = hl_block_take(block, n, sizeof *cases->relations);
    cases->choices = hl_block_take(block, n, sizeof *cases->choices);
    cases->counts = hl_block_take(block, 2 * n, sizeof *cases->counts);
    cases->list = hl_block_take(block, 2 * n * cases->each, sizeof *cases->list);
}

hl_status hl_syntax_cases_init(hl_syntax_cases *cases, const hl_treebank *treebank, const hl_syntax *syntax,
                               const int64_t *relations, int64_t n_rows, int64_t each)
{
    *cases = (hl_syntax_cases){ .treebank = treebank, .n_rows = n_rows, .each = each };
    hl_status status = hl_block_make(&cases->memory, lay_out, cases, "examples of relations");
    if (status.code != HL_OK) {
        *cases = (hl_syntax_cases){ 0 };
        return status;
    }
    for (int64_t row = 0; row < n_rows; row++) {
        cases->relations[row] = relations[row];
        cases->choices[row] = hl_syntax_row_of(syntax, relations[row]).held_out;
    }
    return hl_ok();
}

void hl_syntax_cases_free(hl_syntax_cases *cases)
{
    hl_free(cases->memory);
    *cases = (hl_syntax_cases){ 0 };
}

bool hl_syntax_cases_full(const void *context)
{
    const hl_syntax_cases *cases = context;
    bool full = true;
    for (int64_t i = 0; i < 2 * cases->n_rows; i++) {
        full = full && cases->counts[i] == cases->each;
    }
    return full;
}

static int64_t gold_of(const hl_treebank_arc *arc, int64_t guess)
{
    if (hl_treebank_is_right(arc, guess)) {
        return guess;
    }
    int64_t gold = arc->first != arc->word ? arc->first : arc->first + 1;
    for (int64_t w = gold + 1; w < arc->end; w++) {
        gold = w != arc->word && llabs(w - arc->word) < llabs(gold - arc->word) ? w : gold;
    }
    return gold;
}

/* Takes the case as an example of the row, if one of its kind is still needed. */
static void take(hl_syntax_cases *cases, int64_t row, int64_t s, const hl_treebank_arc *arc, const hl_real *map)
{
    int64_t W = hl_treebank_at(cases->treebank, s).n_words, i = arc->word;
    hl_syntax_direction direction = cases->choices[row].direction;
    hl_syntax_case one = { .sentence = s, .word = i, .guess = hl_syntax_guess(map, i, direction, W) };
    one.gold = gold_of(arc, one.guess);
    int64_t kind = 2 * row + (one.guess == one.gold);
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

/* Takes the row's cases in a sentence. */
static void take_all(hl_syntax_cases *cases, int64_t row, int64_t s, const hl_real *map)
{
    hl_treebank_sentence sentence = hl_treebank_at(cases->treebank, s);
    int64_t relation = cases->relations[row];
    for (int64_t i = 0; i < sentence.n_words; i++) {
        hl_treebank_arc own;
        if (hl_treebank_own_arc(&sentence, i, &own) && (relation < 0 || own.relation == relation)) {
            take(cases, row, s, &own, map);
        }
    }
    for (int64_t i = 0; i < sentence.n_arcs; i++) {
        if (relation >= 0 && sentence.arcs[i].relation == relation) {
            take(cases, row, s, &sentence.arcs[i], map);
        }
    }
}

void hl_syntax_cases_add(void *context, const hl_word_maps *maps, int threads)
{
    (void)threads;
    hl_syntax_cases *cases = context;
    for (int64_t row = 0; row < cases->n_rows; row++) {
        int64_t head = cases->choices[row].head - maps->first_head;
        for (int64_t s = maps->first; head >= 0 && head < maps->n_heads && s < maps->first + maps->n_sentences; s++) {
            int64_t W = hl_treebank_at(cases->treebank, s).n_words;
            if (s % 2 == 1 && W >= HL_SYNTAX_CASE_LEAST && W <= HL_SYNTAX_CASE_MOST) {
                take_all(cases, row, s, hl_word_map(maps, s, head));
            }
        }
    }
}
