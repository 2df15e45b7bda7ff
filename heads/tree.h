/* Whole trees from what heads attend to, and how many of their arcs are right.
 *
 * Each word except the root has an arc to its head. The root is given: it is that of the gold tree, as in Htut et al.
 * 2019 (arXiv:1911.12246) and Limisiewicz et al. 2020 (arXiv:2004.14620). */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* The tree with the largest sum of arc scores, by the algorithm of Chu and Liu 1965 and Edmonds 1967. scores (W, W):
 * the score of word j as the head of word i, finite; a word's score for itself is not read. heads (W): the position of
 * each word's head; -1 for the root. Among equals the first one wins. HL_INVALID (the root is no word), HL_NO_MEMORY;
 * heads is then unchanged. Needs time and memory of W^2; each circle within a circle costs W^2 more. */
hl_status hl_tree_maximum(const double *scores, int64_t n_words, int64_t root, int32_t *heads);

/* Baselines that do not know the root. Right-branching: each word's head is the word before it, and the first word is
 * the root. Left-branching: each word's head is the word after it, and the last word is the root. */
void hl_tree_right_branching(int64_t n_words, int32_t *heads);
void hl_tree_left_branching(int64_t n_words, int32_t *heads);

/* Right arcs, summed over sentences. */
typedef struct hl_tree_score {
    int64_t arcs;       /* arcs of the gold trees: all words except the roots */
    int64_t directed;   /* arcs guessed right: the unlabelled attachment score UAS = directed / arcs */
    int64_t undirected; /* arcs guessed right in either direction: UUAS = undirected / arcs */
} hl_tree_score;

/* UAS or UUAS, if `right` arcs are right; NAN if there are no arcs. */
double hl_tree_share(const hl_tree_score *score, int64_t right);

/* Adds a sentence: guessed and gold heads (W), -1 for a word without one. */
void hl_tree_score_add(hl_tree_score *score, const int32_t *guessed, const int32_t *gold, int64_t n_words);

HL_END_DECLS
