/* How much a model's loss depends on each of its heads: estimated by the gradient, and measured exactly.
 *
 * As in effect.h, everything is measured on the odd-numbered examples of a snapshot, the scoring half. L is an
 * example's mean loss over its scored tokens, without label smoothing and dropout. z_h is the head's output before
 * W_O. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/examples.h"
#include "heads/estimate.h"
#include "heads/pattern.h"
#include "heads/share.h"
#include "layers/model.h"

#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_head_importance {
    int layer;
    int64_t head;
    hl_estimate gradient; /* I_h = the mean of |sum of z_h * dL/dz_h| (Michel et al. 2019) */
    double normalised;    /* I_h / sqrt(sum of I^2 over the heads of the layer); 0 if all are 0 */
    hl_estimate zero;     /* L with z_h = 0, minus L */
    hl_estimate mean;     /* L with z_h = its mean over examples and real positions, minus L */
    hl_estimate uniform;  /* L with the head's attention spread evenly over the permitted keys, minus L */
} hl_head_importance;

typedef struct hl_importance {
    int64_t n_examples;        /* scoring examples that have a scored token */
    double loss;               /* L, the mean over these examples */
    hl_head_importance *heads; /* of all heads, by layer and head; owned */
    int64_t n;
    double rank_correlation; /* Spearman's, between gradient and zero (hl_spearman) */
} hl_importance;

/* How much is measured; the rest stays 0. */
typedef enum hl_importance_depth {
    HL_IMPORTANCE_GRADIENT, /* `gradient` and `normalised`, in one backward pass for `slice` examples */
    HL_IMPORTANCE_ZERO,     /* also `zero` and rank_correlation: one more pass for every head */
    HL_IMPORTANCE_ALL,      /* also `mean` and `uniform`: three passes for every head */
} hl_importance_depth;

/* Measures every head. The other arguments and failures are those of hl_effects_measure (effect.h); HL_INVALID also for
 * an unknown depth. `share` may be NULL. With `share`, several processes measure the heads together; they must pass the
 * same arguments, and they find what one process finds. On success free with hl_importance_free. On failure *importance
 * is empty. */
hl_status hl_importance_measure(hl_model *model, const hl_examples *examples, const hl_patterns *layers, int64_t slice,
                                int threads, hl_importance_depth depth, const hl_share *share,
                                hl_importance *importance);

/* A zeroed or already freed struct is allowed. */
void hl_importance_free(hl_importance *importance);

/* Spearman's rank correlation of n pairs: Pearson's correlation of the ranks. Equal numbers share the mean of their
 * ranks. It ranges from -1 to 1. It is NaN if n < 2, if all numbers of one side are equal, or if a number is NaN. Needs
 * n^2 steps. */
double hl_spearman(const double *a, const double *b, int64_t n);

HL_END_DECLS
