/* The loss and accuracy of a model with every one of the 2^n sets of its heads: the other heads' outputs z are zero
 * before W_O.
 *
 * Sets are walked layer by layer, those of the last layer fastest: the lower layers run once for all sets that agree on
 * their heads. A model of two layers of eight heads takes 2^8 passes through the first and 2^16 through the second. */
#ifndef HL_HEADS_ALL_SUBSETS_H
#define HL_HEADS_ALL_SUBSETS_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/examples.h"
#include "heads/pattern.h"
#include "heads/share.h"
#include "layers/model.h"

#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_ALL_SUBSETS_MOST_HEADS = 16 };

/* A set is a number: its bit i stands for head i, by layer and head. */
typedef struct hl_all_subsets {
    int n; /* heads */
    int64_t n_examples;
    double *losses;     /* (2^n): the mean over examples of an example's mean loss over its scored tokens; owned */
    double *accuracies; /* (2^n): the fraction of all their scored tokens whose largest logit is the target's; owned
                           with `losses`, which it follows */
} hl_all_subsets;

/* Measures them on the odd-numbered examples of a snapshot. The arguments are those of hl_importance_measure
 * (heads/importance.h), whose loss is that of the set of all heads. HL_INVALID (more than HL_ALL_SUBSETS_MOST_HEADS
 * heads, no scored token, T too long for the model), HL_NO_MEMORY, HL_NOT_FINITE. On success owned by the caller:
 * hl_all_subsets_free; else *subsets is empty. */
hl_status hl_all_subsets_measure(hl_model *model, const hl_examples *examples, const hl_patterns *layers, int64_t slice,
                                 int threads, const hl_share *share, hl_all_subsets *subsets);

/* A zeroed or already freed one is allowed. */
void hl_all_subsets_free(hl_all_subsets *subsets);

HL_END_DECLS

#endif
