/* Attention of one head of one sequence, forward and backward, for op_attention.c; formulas in op_attention.h.
 *
 * One thread works on a head, in blocks of queries whose scores, weights and gradients stay in that core's cache. k and
 * v are transposed first, so that all products have the forms that small_matmul.h is fast at. */
#ifndef HL_CORE_PRIVATE_ATTENTION_HEAD_H
#define HL_CORE_PRIVATE_ATTENTION_HEAD_H

#include "core/private/attention_products.h"

/* The gradients wanted, as backward gets them (op.h). */
typedef struct hl_attention_grads {
    hl_grad q, k, v, gate;
} hl_attention_grads;

/* What one thread draws the dropout of its heads by, one after the other: the next begins where the last one ended. */
hl_dropout_draws hl_attention_draws(const hl_tape *tape, const hl_attention_state *state);

/* Computes A, where it is kept, and y (Nq, H * Dv) in head h of sequence b. */
void hl_attention_head_forward(const hl_tape *tape, const hl_attention_state *state, int64_t b, int64_t h,
                               hl_dropout_draws *draws, hl_real *y, hl_real *scratch);

/* Computes the head's contribution to every wanted gradient from dy (Nq, H * Dv). Heads that share keys and values must
 * be called in order by one thread: the first writes dk and dv, the others add. */
void hl_attention_head_backward(const hl_tape *tape, const hl_attention_state *state, int64_t b, int64_t h,
                                hl_dropout_draws *draws, const hl_real *dy, hl_attention_grads grads, hl_real *scratch);

#endif
