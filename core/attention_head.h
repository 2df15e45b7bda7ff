/* Attention of one head of one example, forward and backward: the inner part of op_attention.c, which gives the formulas.
 *
 * A head is worked by one thread, so that its scores, weights and gradients stay in that core's cache. k and v are laid
 * out transposed first, since the products then are all of forms that small_matmul.h is fast at. */
#ifndef HL_CORE_ATTENTION_HEAD_H
#define HL_CORE_ATTENTION_HEAD_H

#include "core/op.h"
#include "core/op_attention.h"

typedef struct hl_attention_sizes {
    int64_t B, Tq, Tk, H, Hkv, Dk, Dv;
} hl_attention_sizes;

/* What an attention node works with. */
typedef struct hl_attention_state {
    hl_attention_args args;
    hl_attention_sizes sizes;
    hl_real *A;    /* (B, H, Tq, Tk), the weights before dropout */
    uint8_t *kept; /* (B, H, Tq, Tk), which of them stay, where some are dropped */
    hl_real *z;    /* (B, Tq, H * Dv) before the gate, where there is one */
} hl_attention_state;

/* The gradients wanted, as backward gets them (op.h). */
typedef struct hl_attention_grads {
    hl_grad q, k, v, gate;
} hl_attention_grads;

/* The numbers of scratch memory that one thread needs for either function. */
int64_t hl_attention_head_scratch(const hl_attention_state *state, bool backward);

/* Computes A and y (B, Tq, H * Dv) in head h of example b. */
void hl_attention_head_forward(const hl_tape *tape, const hl_attention_state *state, int64_t b, int64_t h, hl_real *y,
                               hl_real *scratch);

/* Computes the head's part of every gradient wanted from dy (B, Tq, H * Dv). Heads that share keys and values must be
 * given in order and by one thread: the first writes dk and dv, the others add. */
void hl_attention_head_backward(const hl_attention_state *state, int64_t b, int64_t h, const hl_real *dy,
                                hl_attention_grads grads, hl_real *scratch);

#endif
