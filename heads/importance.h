/* How much a model's loss depends on each of its heads: by the gradient, and exactly.
 *
 * On the odd-numbered examples of a snapshot, which score, as effect.h measures; L is an example's mean loss over
 * its scored tokens, without label smoothing and dropout; z_h is the head's output before W_O. */
#ifndef HL_HEADS_IMPORTANCE_H
#define HL_HEADS_IMPORTANCE_H

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
    double normalised;    /* I_h / sqrt(sum of I^2 over the heads of the layer); 0 where all of them are 0 */
    hl_estimate zero;     /* L with z_h = 0, less L */
    hl_estimate mean;     /* L with z_h = its mean over examples and real positions, less L */
    hl_estimate uniform;  /* L with the head's attention spread evenly over the keys permitted, less L */
} hl_head_importance;

typedef struct hl_importance {
    int64_t n_examples;        /* those that score and have a scored token */
    double loss;               /* L, the mean over them */
    hl_head_importance *heads; /* of all heads, by layer and head; owned */
    int64_t n;
    double rank_correlation; /* Spearman's, of gradient and zero (hl_spearman) */
} hl_importance;

/* How much is measured; what is not stays 0. */
typedef enum hl_importance_depth {
    HL_IMPORTANCE_GRADIENT, /* `gradient` and `normalised`, in one backward pass for `slice` examples */
    HL_IMPORTANCE_ZERO,     /* `zero` and rank_correlation, too: one pass more for every head */
    HL_IMPORTANCE_ALL,      /* `mean` and `uniform`, too: three passes for every head */
} hl_importance_depth;

/* Measures every head. The other arguments, and failures, as hl_effects_measure's (effect.h); HL_INVALID, too, for
 * an unknown depth. With `share`, which may be NULL, several processes measure the heads together, all with the same
 * arguments, and find what one does. On success ended by hl_importance_free; else *importance is empty. */
hl_status hl_importance_measure(hl_model *model, const hl_examples *examples, const hl_patterns *layers, int64_t slice,
                                int threads, hl_importance_depth depth, const hl_share *share,
                                hl_importance *importance);

/* A zeroed or already freed one is allowed. */
void hl_importance_free(hl_importance *importance);

/* Spearman's rank correlation of n pairs: Pearson's of the ranks, equal numbers sharing the mean of theirs. From -1
 * to 1; NaN where n < 2 or all numbers of one side are equal, or one is NaN. Takes n^2 steps. */
double hl_spearman(const double *a, const double *b, int64_t n);

HL_END_DECLS

#endif
