/* The mean cross-entropy of a softmax over logits (..., C) against M target ids (...):
 *   loss = 1/n * sum over rows of -sum_c q_c * log_softmax(logits)_c,
 *   q = (1 - smoothing) * one_hot(target) + smoothing / C      (Szegedy et al. 2016)
 * dlogits = (softmax(logits) - q) / n. The loss is in nats. A target of HL_IGNORE is a class that the logits do not
 * have: its row counts as answered wrong, and its loss and gradient are 0. */
#pragma once

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* The result of a forward pass, written if args.result is not NULL. */
typedef struct hl_cross_entropy_result {
    double loss_sum;   /* the sum over the rows, before the division by n */
    int64_t n_scored;  /* M */
    int64_t n_known;   /* rows whose target is not HL_IGNORE: only these have a loss */
    int64_t n_correct; /* rows in which the target has the largest logit; if several logits are equal, the first
                          counts */
    hl_real *row_loss; /* the caller's array (M), or NULL: receives each row's loss */
} hl_cross_entropy_result;

typedef struct hl_cross_entropy_args {
    const int32_t *targets;          /* (M), ids in [0, C) or HL_IGNORE; not copied, must outlive the tape */
    int64_t n;                       /* the divisor; 0 stands for M. A micro-batch passes the number of targets in the
                                        whole batch */
    hl_real smoothing;               /* in [0, 1) */
    hl_cross_entropy_result *result; /* or NULL; must outlive the tape */
} hl_cross_entropy_args;

/* Returns the loss, a scalar. Sticky error: no targets, a target outside [0, C) other than HL_IGNORE, n below 0, a
 * smoothing outside [0, 1). */
hl_tensor *hl_cross_entropy(hl_tape *tape, hl_tensor *logits, hl_cross_entropy_args args);

HL_END_DECLS
