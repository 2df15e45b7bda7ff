#include "heads/syntax.h"

#include "core/base/memory.h"
#include "core/base/private/block.h"

#include <string.h>

enum { OFFSETS = 2 * HL_SYNTAX_FURTHEST + 1, DIRECTIONS = 2 };

const char *hl_syntax_direction_name(hl_syntax_direction direction)
{
    return direction == HL_SYNTAX_TO_HEAD ? "d>h" : "h>d";
}

/* Counts */

static void lay_out(void *context, hl_block *block)
{
    hl_syntax *syntax = context;
    int64_t R = syntax->n_relations;
    for (int half = 0; half < 2; half++) {
        hl_syntax_half *of = &syntax->halves[half];
        of->cases = hl_block_take(block, R, sizeof *of->cases);
        of->offsets = hl_block_take(block, R, OFFSETS * sizeof *of->offsets);
        of->hits = hl_block_take(block, R, hl_size_product((size_t)syntax->n_heads, DIRECTIONS * sizeof *of->hits));
    }
}

size_t hl_syntax_bytes(int64_t n_relations, int64_t n_heads)
{
    return hl_block_bytes(lay_out, &(hl_syntax){ .n_relations = n_relations, .n_heads = n_heads });
}

hl_status hl_syntax_init(hl_syntax *syntax, int64_t n_relations, int64_t n_heads)
{
    *syntax = (hl_syntax){ .n_relations = n_relations, .n_own = n_relations, .far = -1, .n_heads = n_heads };
    hl_status status = n_relations > 0 && n_heads > 0
                           ? hl_block_make(&syntax->memory, lay_out, syntax, "what heads find in a treebank")
                           : hl_error(HL_INVALID, "heads are counted against one relation at least");
    if (status.code != HL_OK) {
        *syntax = (hl_syntax){ 0 };
    }
    return status;
}

void hl_syntax_free(hl_syntax *syntax)
{
    hl_free(syntax->memory);
    *syntax = (hl_syntax){ 0 };
}

int64_t hl_syntax_offset_guess(int64_t i, int64_t k, int64_t n_words)
{
    int64_t guess = i + k < 0 ? 0 : i + k >= n_words ? n_words - 1 : i + k;
    return guess == i ? -1 : guess;
}

/* The distances of a relation's offsets, on both sides. */
static void distances_of(const hl_syntax *syntax, int64_t relation, int64_t *least, int64_t *most)
{
    bool far = syntax->far >= 0 && relation == syntax->far;
    *least = far ? HL_SYNTAX_FAR : 1;
    *most = far ? HL_SYNTAX_FURTHEST : HL_SYNTAX_OFFSETS;
}

static void add_case(hl_syntax *syntax, const hl_treebank_arc *arc, int64_t n_words, int64_t sentence)
{
    int64_t least, most;
    if (arc->relation < 0 || arc->relation >= syntax->n_relations) {
        return;
    }
    hl_syntax_half *half = &syntax->halves[sentence % 2];
    int64_t *offsets = half->offsets + (int64_t)arc->relation * OFFSETS + HL_SYNTAX_FURTHEST;
    distances_of(syntax, arc->relation, &least, &most);
    half->cases[arc->relation]++;
    for (int64_t distance = least; distance <= most; distance++) {
        offsets[-distance] += hl_treebank_is_right(arc, hl_syntax_offset_guess(arc->word, -distance, n_words));
        offsets[distance] += hl_treebank_is_right(arc, hl_syntax_offset_guess(arc->word, distance, n_words));
    }
}

void hl_syntax_add_tree(hl_syntax *syntax, const hl_treebank_sentence *tree, int64_t sentence)
{
    hl_treebank_arc own;
    for (int64_t i = 0; i < tree->n_words; i++) {
        if (hl_treebank_own_arc(tree, i, &own)) {
            add_case(syntax, &own, tree->n_words, sentence);
        }
    }
    for (int64_t i = 0; i < tree->n_arcs; i++) {
        add_case(syntax, &tree->arcs[i], tree->n_words, sentence);
    }
}

int64_t hl_syntax_guess(const hl_real *weights, int64_t i, hl_syntax_direction direction, int64_t n_words)
{
    bool row = direction == HL_SYNTAX_TO_HEAD;
    const hl_real *numbers = weights + (row ? i * n_words : i);
    int64_t stride = row ? 1 : n_words, best = -1;
    for (int64_t j = 0; j < n_words; j++) {
        if (j != i && (best < 0 || numbers[j * stride] > numbers[best * stride])) {
            best = j;
        }
    }
    return best;
}

static void add_guesses(hl_syntax *syntax, int64_t head, const hl_treebank_arc *arc, int64_t sentence,
                        const int64_t *guesses)
{
    if (arc->relation < 0 || arc->relation >= syntax->n_relations) {
        return;
    }
    int64_t at = (arc->relation * syntax->n_heads + head) * DIRECTIONS;
    int64_t *hits = syntax->halves[sentence % 2].hits + at;
    for (int d = 0; d < DIRECTIONS; d++) {
        hits[d] += hl_treebank_is_right(arc, guesses[d]);
    }
}

void hl_syntax_add_head(hl_syntax *syntax, int64_t head, const hl_treebank_sentence *tree, int64_t sentence,
                        const hl_real *weights)
{
    int64_t W = tree->n_words, next = 0;
    for (int64_t i = 0; i < W; i++) {
        hl_treebank_arc own;
        bool has_own = hl_treebank_own_arc(tree, i, &own), has_more = next < tree->n_arcs && tree->arcs[next].word == i;
        if (!has_own && !has_more) {
            continue;
        }
        int64_t guesses[DIRECTIONS] = { hl_syntax_guess(weights, i, HL_SYNTAX_TO_HEAD, W),
                                        hl_syntax_guess(weights, i, HL_SYNTAX_TO_DEPENDENT, W) };
        if (has_own) {
            add_guesses(syntax, head, &own, sentence, guesses);
        }
        for (; next < tree->n_arcs && tree->arcs[next].word == i; next++) {
            add_guesses(syntax, head, &tree->arcs[next], sentence, guesses);
        }
    }
}

/* A treebank */

void hl_syntax_add_treebank(hl_syntax *syntax, const hl_treebank *treebank)
{
    syntax->n_own = treebank->n_own;
    syntax->far = treebank->extras[HL_TREEBANK_LONG];
    for (int64_t s = 0; s < treebank->n_sentences; s++) {
        hl_treebank_sentence tree = hl_treebank_at(treebank, s);
        hl_syntax_add_tree(syntax, &tree, s);
    }
}

typedef struct layer_work {
    hl_syntax *syntax;
    const hl_treebank *treebank;
} layer_work;

static void take_head(void *context, int64_t head, int64_t s, const hl_real *weights)
{
    const layer_work *work = context;
    hl_treebank_sentence tree = hl_treebank_at(work->treebank, s);
    hl_syntax_add_head(work->syntax, head, &tree, s, weights);
}

void hl_syntax_add_layer(void *syntax, const hl_word_maps *maps, int threads)
{
    hl_word_maps_each_head(maps, threads, take_head, &(layer_work){ syntax, maps->treebank });
}

void hl_syntax_clear(hl_syntax *syntax)
{
    size_t hits = (size_t)(syntax->n_relations * syntax->n_heads) * DIRECTIONS;
    for (int half = 0; half < 2; half++) {
        memset(syntax->halves[half].hits, 0, hits * sizeof *syntax->halves[half].hits);
    }
}

/* Choices */

/* Sums over the relations from `first` on, `n` of them, and over the halves from and to, of one count of each. */
typedef struct part {
    const hl_syntax *syntax;
    int64_t first, n;
    int from, to; /* the halves */
} part;

/* `place`: of an array in an hl_syntax_half, with `each` counts for each relation. Adds up those at `at`. */
static int64_t sum_in(const part *p, size_t place, int64_t each, int64_t at)
{
    int64_t sum = 0;
    for (int half = p->from; half <= p->to; half++) {
        const char *counts = (const char *)&p->syntax->halves[half] + place;
        for (int64_t r = p->first; r < p->first + p->n; r++) {
            sum += (*(int64_t *const *)(const void *)counts)[r * each + at];
        }
    }
    return sum;
}

static int64_t offset_hits_in(const part *p, int64_t k)
{
    return sum_in(p, offsetof(hl_syntax_half, offsets), OFFSETS, HL_SYNTAX_FURTHEST + k);
}

static int64_t head_hits_in(const part *p, int64_t head, hl_syntax_direction direction)
{
    return sum_in(p, offsetof(hl_syntax_half, hits), p->syntax->n_heads * DIRECTIONS,
                  head * DIRECTIONS + (int)direction);
}

/* Chooses one of the heads first .. first + n - 1 on `choosing` and measures it on `measuring`. The offset is the best
 * one on `measuring`: a head must beat every offset there. */
static hl_syntax_choice choose(const part *choosing, const part *measuring, int64_t first, int64_t n)
{
    hl_syntax_choice choice = { .head = first };
    int64_t most = -1;
    for (int64_t head = first; head < first + n; head++) {
        for (hl_syntax_direction d = HL_SYNTAX_TO_HEAD; d <= HL_SYNTAX_TO_DEPENDENT; d++) {
            int64_t hits = head_hits_in(choosing, head, d);
            if (hits > most) {
                most = hits;
                choice.head = head;
                choice.direction = d;
            }
        }
    }
    int64_t nearest, furthest;
    distances_of(measuring->syntax, measuring->first, &nearest, &furthest);
    most = -1;
    for (int64_t distance = nearest; distance <= furthest; distance++) {
        for (int64_t k = -distance; k <= distance; k += 2 * distance) {
            int64_t hits = offset_hits_in(measuring, k);
            if (hits > most) {
                most = hits;
                choice.offset = k;
            }
        }
    }
    int64_t cases = sum_in(measuring, offsetof(hl_syntax_half, cases), 1, 0);
    choice.found = (hl_syntax_rate){ head_hits_in(measuring, choice.head, choice.direction), cases };
    choice.baseline = (hl_syntax_rate){ offset_hits_in(measuring, choice.offset), cases };
    return choice;
}

static hl_syntax_row row_of(const hl_syntax *syntax, int64_t relation, int64_t first, int64_t n)
{
    int64_t r = relation < 0 ? 0 : relation, count = relation < 0 ? syntax->n_own : 1;
    part all = { syntax, r, count, 0, 1 }, even = { syntax, r, count, 0, 0 }, odd = { syntax, r, count, 1, 1 };
    return (hl_syntax_row){ choose(&all, &all, first, n), choose(&even, &odd, first, n) };
}

hl_syntax_row hl_syntax_row_of(const hl_syntax *syntax, int64_t relation)
{
    return row_of(syntax, relation, 0, syntax->n_heads);
}

hl_syntax_row hl_syntax_head_of(const hl_syntax *syntax, int64_t relation, int64_t head)
{
    return row_of(syntax, relation, head, 1);
}

hl_syntax_choice hl_syntax_chosen_of(const hl_syntax *syntax, int64_t relation)
{
    part even = { syntax, relation, 1, 0, 0 };
    return choose(&even, &even, 0, syntax->n_heads);
}

bool hl_syntax_earned(const hl_syntax_choice *choice)
{
    double lift = hl_syntax_share(choice->found) - hl_syntax_share(choice->baseline);
    return lift >= HL_SYNTAX_CLEAR &&
           hl_syntax_interval_of(choice->found).low > hl_syntax_interval_of(choice->baseline).high;
}

bool hl_syntax_names(const hl_syntax *syntax, int64_t relation, const hl_syntax_choice *choice)
{
    return relation >= 0 && relation < syntax->n_own && hl_syntax_earned(choice);
}
