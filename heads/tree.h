/* Whole trees out of what heads attend to, and how many of their arcs are right.
 *
 * A tree's arcs go from each word but the root to its head; the root is given, that of the gold tree, as in Htut et al.
 * 2019 (arXiv:1911.12246) and Limisiewicz et al. 2020 (arXiv:2004.14620). */
#ifndef HL_HEADS_TREE_H
#define HL_HEADS_TREE_H

#include "core/base/declarations.h"
#include "core/base/status.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* The tree with the largest sum of scores of its arcs, by Chu and Liu 1965 and Edmonds 1967: scores (W, W), of word i
 * having word j as its head, finite; those of a word and itself are not looked at. heads (W): the place of each word's
 * head, -1 of the root. Equals: the first one. HL_INVALID (a root that is no word), HL_NO_MEMORY: heads is then
 * unchanged. Time and memory of W^2, but for circles within circles, each of which costs W^2 more. */
hl_status hl_tree_maximum(const double *scores, int64_t n_words, int64_t root, int32_t *heads);

/* Baselines, which know no root: each word's head is the word before it (right-branching, the first word is the root)
 * or after it (left-branching, the last one is). */
void hl_tree_right_branching(int64_t n_words, int32_t *heads);
void hl_tree_left_branching(int64_t n_words, int32_t *heads);

/* Arcs that are right, added up over sentences. */
typedef struct hl_tree_score {
    int64_t arcs;       /* of the gold trees: words but the roots */
    int64_t directed;   /* those that were guessed: the unlabelled attachment score UAS = directed / arcs */
    int64_t undirected; /* those that were guessed from either end: UUAS = undirected / arcs */
} hl_tree_score;

/* UAS or UUAS: of so many that are right; NAN where there are no arcs. */
double hl_tree_share(const hl_tree_score *score, int64_t right);

/* Adds a sentence: guessed and gold (W) heads, -1 of a word without one. */
void hl_tree_score_add(hl_tree_score *score, const int32_t *guessed, const int32_t *gold, int64_t n_words);

HL_END_DECLS

#endif
