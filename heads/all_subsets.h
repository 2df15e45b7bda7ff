/* The loss and accuracy of a model for every one of the 2^n sets of its heads. The outputs z of the heads outside the
 * set are zero before W_O.
 *
 * Sets are visited layer by layer; those of the last layer change fastest. The lower layers run once for all sets that
 * agree on the heads of these layers. A model of two layers of eight heads needs 2^8 passes through the first layer and
 * 2^16 through the second. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/examples.h"
#include "heads/pattern.h"
#include "heads/share.h"
#include "layers/model.h"

#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_ALL_SUBSETS_MOST_HEADS = 16 };

/* A set is a number: its bit i stands for head i. Heads are ordered by layer, then by head. */
typedef struct hl_all_subsets {
    int n; /* heads */
    int64_t n_examples;
    double *losses;     /* (2^n): the mean over examples of each example's mean loss over its scored tokens; owned */
    double *accuracies; /* (2^n): the fraction of all scored tokens whose largest logit is the target's; in the memory
                           block of `losses`, after them */
} hl_all_subsets;

/* Measures all sets on the odd-numbered examples of a snapshot. The arguments are those of hl_importance_measure
 * (heads/importance.h); its loss equals the loss of the set of all heads. HL_INVALID (more than
 * HL_ALL_SUBSETS_MOST_HEADS heads, no scored token, T too long for the model), HL_NO_MEMORY, HL_NOT_FINITE. On success
 * the caller owns the result and frees it with hl_all_subsets_free. On failure *subsets is empty. */
hl_status hl_all_subsets_measure(hl_model *model, const hl_examples *examples, const hl_patterns *layers, int64_t slice,
                                 int threads, const hl_share *share, hl_all_subsets *subsets);

/* A zeroed or already freed struct is allowed. */
void hl_all_subsets_free(hl_all_subsets *subsets);

/* The Shapley value of each head, and the smallest set of heads that suffices.
 *
 * The Shapley value of head i of n is how much adding it lowers the loss, averaged over all orders of adding the heads
 * (Shapley 1953):
 *   phi_i = sum over the sets S without i of |S|! (n - |S| - 1)! / n! * (loss(S) - loss(S and i))
 * The values sum to loss(none) - loss(all). A set is a number: bit i stands for head i. */
/* Writes the values (n), computed from the losses (2^n) of all sets, 1 <= n <= 30. */
void hl_shapley_values(int n, const double *losses, double *values);

/* The set with the fewest heads whose accuracy is at least `share` of the accuracy of all heads. Among several, the set
 * with the lowest loss. losses and accuracies: (2^n). */
uint32_t hl_smallest_set(int n, const double *losses, const double *accuracies, double share);

HL_END_DECLS
