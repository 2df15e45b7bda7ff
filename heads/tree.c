#include "heads/tree.h"

#include "core/base/memory.h"
#include "core/base/private/block.h"

#include <math.h>
#include <string.h>

/* Chu and Liu, Edmonds: each word takes the head with the largest score. Where these make a circle, the circle becomes
 * one node, which stands in the row and column of one of its members: an arc into it costs what it gains less what the
 * member loses that it frees from the circle. When no circle is left, the circles are opened again, the last one first:
 * the arc into each says which of its members leaves it. */
typedef struct search {
    int64_t n, root;
    double *scores;  /* (n, n): of the node that stands in row i having the one in row j as its head */
    int32_t *arcs;   /* (n, n): of which dependent * n + head of the words that score is */
    int64_t n_nodes; /* words and circles; at most 2 n */
    int32_t *node;   /* (n): the node that stands in row i; -1: none any more */
    int32_t *parent; /* (2 n): the circle that a node is in; -1: none */
    int32_t *arc;    /* (2 n): into each node, as in arcs */
    int32_t *best;   /* (n): of each row, the row of its best head */
    int32_t *seen;   /* (n): where the search for a circle began that came by */
} search;

static void lay_out(void *context, hl_block *block)
{
    search *s = context;
    s->scores = hl_block_take(block, s->n * s->n, sizeof *s->scores);
    s->arcs = hl_block_take(block, s->n * s->n, sizeof *s->arcs);
    s->node = hl_block_take(block, s->n, sizeof *s->node);
    s->parent = hl_block_take(block, 2 * s->n, sizeof *s->parent);
    s->arc = hl_block_take(block, 2 * s->n, sizeof *s->arc);
    s->best = hl_block_take(block, s->n, sizeof *s->best);
    s->seen = hl_block_take(block, s->n, sizeof *s->seen);
}

static void choose_heads(search *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        int64_t best = -1;
        for (int64_t j = 0; s->node[i] >= 0 && i != s->root && j < s->n; j++) {
            if (j != i && s->node[j] >= 0 && (best < 0 || s->scores[i * s->n + j] > s->scores[i * s->n + best])) {
                best = j;
            }
        }
        s->best[i] = (int32_t)best;
        if (best >= 0) {
            s->arc[s->node[i]] = s->arcs[i * s->n + best];
        }
    }
}

/* A row of a circle; -1 where there is none. */
static int64_t find_circle(search *s)
{
    memset(s->seen, -1, (size_t)s->n * sizeof *s->seen);
    for (int64_t i = 0; i < s->n; i++) {
        int64_t at = i;
        while (at >= 0 && s->seen[at] < 0) {
            s->seen[at] = (int32_t)i;
            at = s->best[at];
        }
        if (at >= 0 && s->seen[at] == i) {
            return at;
        }
    }
    return -1;
}

/* Moves what row `from` offers to row `to`, where it is more: as a dependent less `loss`, as a head as it is. */
static void merge_row(search *s, int64_t to, int64_t from, double loss, bool first)
{
    int64_t n = s->n;
    for (int64_t j = 0; j < n; j++) {
        double into = s->scores[from * n + j] - loss;
        if (first || into > s->scores[to * n + j]) {
            s->scores[to * n + j] = into;
            s->arcs[to * n + j] = s->arcs[from * n + j];
        }
        if (s->scores[j * n + from] > s->scores[j * n + to]) {
            s->scores[j * n + to] = s->scores[j * n + from];
            s->arcs[j * n + to] = s->arcs[j * n + from];
        }
    }
}

/* Makes the circle through row `at` one node, which stands there. */
static void contract(search *s, int64_t at)
{
    int32_t circle = (int32_t)s->n_nodes++;
    s->parent[circle] = -1;
    int64_t next = s->best[at];
    s->parent[s->node[at]] = circle;
    merge_row(s, at, at, s->scores[at * s->n + next], true);
    while (next != at) {
        int64_t row = next;
        next = s->best[row];
        s->parent[s->node[row]] = circle;
        merge_row(s, at, row, s->scores[row * s->n + next], false);
        s->node[row] = -1;
    }
    s->node[at] = circle;
}

/* From the last circle to the first: the arc into it replaces that of its member that the arc's dependent is in. */
static void open_circles(search *s)
{
    for (int64_t circle = s->n_nodes - 1; circle >= s->n; circle--) {
        int32_t member = (int32_t)(s->arc[circle] / s->n);
        while (s->parent[member] != circle) {
            member = s->parent[member];
        }
        s->arc[member] = s->arc[circle];
    }
}

hl_status hl_tree_maximum(const double *scores, int64_t n_words, int64_t root, int32_t *heads)
{
    if (n_words < 1 || root < 0 || root >= n_words || n_words > 1 << 14) {
        return hl_error(HL_INVALID, "a tree's root is one of its words, of which there are %d at most", 1 << 14);
    }
    search s = { .n = n_words, .root = root, .n_nodes = n_words };
    void *memory;
    HL_TRY(hl_block_make(&memory, lay_out, &s, "a tree"));
    memcpy(s.scores, scores, (size_t)(n_words * n_words) * sizeof *scores);
    for (int32_t i = 0; i < (int32_t)(n_words * n_words); i++) {
        s.arcs[i] = i;
    }
    for (int32_t i = 0; i < (int32_t)n_words; i++) {
        s.node[i] = i;
        s.parent[i] = -1;
    }
    choose_heads(&s);
    for (int64_t at = find_circle(&s); at >= 0; at = find_circle(&s)) {
        contract(&s, at);
        choose_heads(&s);
    }
    open_circles(&s);
    for (int64_t i = 0; i < n_words; i++) {
        heads[i] = i == root ? -1 : (int32_t)(s.arc[i] % n_words);
    }
    hl_free(memory);
    return hl_ok();
}

void hl_tree_right_branching(int64_t n_words, int32_t *heads)
{
    for (int64_t i = 0; i < n_words; i++) {
        heads[i] = (int32_t)(i - 1);
    }
}

void hl_tree_left_branching(int64_t n_words, int32_t *heads)
{
    for (int64_t i = 0; i < n_words; i++) {
        heads[i] = i + 1 < n_words ? (int32_t)(i + 1) : -1;
    }
}

void hl_tree_score_add(hl_tree_score *score, const int32_t *guessed, const int32_t *gold, int64_t n_words)
{
    for (int64_t i = 0; i < n_words; i++) {
        int32_t head = gold[i];
        if (head >= 0) {
            score->arcs++;
            score->directed += guessed[i] == head;
            score->undirected += guessed[i] == head || guessed[head] == i;
        }
    }
}

double hl_tree_share(const hl_tree_score *score, int64_t right)
{
    return score->arcs > 0 ? (double)right / (double)score->arcs : NAN;
}
