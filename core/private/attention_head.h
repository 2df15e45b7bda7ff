/* Attention of one head of one example, forward and backward: the inner part of op_attention.c, which gives the
 * formulas.
 *
 * A head is worked by one thread, in blocks of queries whose scores, weights and gradients stay in that core's cache. k
 * and v are laid out transposed first, since the products then are all of forms that small_matmul.h is fast at. */
#ifndef HL_CORE_PRIVATE_ATTENTION_HEAD_H
#define HL_CORE_PRIVATE_ATTENTION_HEAD_H

#include "core/declarations.h"
#include "core/private/attention_block.h"

HL_BEGIN_DECLS

/* The gradients wanted, as backward gets them (op.h). */
typedef struct hl_attention_grads {
    hl_grad q, k, v, gate;
} hl_attention_grads;

/* Finds the code for the products of state->usual, which heads share: to be called before either function. */
void hl_attention_head_prepare(hl_attention_state *state);

/* Computes A, where it is kept, and y (B, Tq, H * Dv) in head h of example b. */
void hl_attention_head_forward(const hl_tape *tape, const hl_attention_state *state, int64_t b, int64_t h, hl_real *y,
                               hl_real *scratch);

/* Computes the head's part of every gradient wanted from dy (B, Tq, H * Dv); A is of no use after it. Heads that share
 * keys and values must be given in order and by one thread: the first writes dk and dv, the others add. */
void hl_attention_head_backward(const hl_attention_state *state, int64_t b, int64_t h, const hl_real *dy,
                                hl_attention_grads grads, hl_real *scratch);

HL_END_DECLS

#endif
