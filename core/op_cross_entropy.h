/* The mean cross-entropy of a softmax over logits (..., V) against target ids (...):
 *   loss = 1/n * sum over rows with a target of -sum_v q_v * log_softmax(logits)_v,
 *   q = (1 - smoothing) * one_hot(target) + smoothing / V      (Szegedy et al. 2016)
 * dlogits = (softmax(logits) - q) / n, and 0 in rows whose target is HL_IGNORE. Nats. */
#ifndef HL_CORE_OP_CROSS_ENTROPY_H
#define HL_CORE_OP_CROSS_ENTROPY_H

#include "core/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* What a forward pass found; written where args.result is not NULL. */
typedef struct hl_cross_entropy_result {
    double loss_sum;   /* the sum over the rows with a target, not divided by n */
    int64_t n_scored;  /* rows with a target */
    int64_t n_correct; /* rows whose largest logit (the first of equals) is the target's */
    hl_real *row_loss; /* given by the caller, (N) or NULL: each row's loss, 0 where it has no target */
} hl_cross_entropy_result;

typedef struct hl_cross_entropy_args {
    const int32_t *targets; /* (N), ids in [0, V) or HL_IGNORE; not copied, must outlive the tape */
    int64_t n;              /* the divisor; 0: the number of rows with a target (1 if none). A micro-batch gives that of
                               the whole batch */
    hl_real smoothing;      /* in [0, 1) */
    hl_cross_entropy_result *result; /* or NULL; must outlive the tape */
} hl_cross_entropy_args;

/* Returns the loss, a scalar. Sticky error: no targets, a target outside [0, V), n below 0, a smoothing outside
 * [0, 1). */
hl_tensor *hl_cross_entropy(hl_tape *tape, hl_tensor *logits, hl_cross_entropy_args args);

HL_END_DECLS

#endif
