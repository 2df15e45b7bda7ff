/* Attention of all heads of all sequences. core/ops/attention.c has the formulas for a block of queries, and
 * core/ops/attention.h explains the letters.
 *
 * One thread computes a whole head. In backward, one thread computes all heads whose dk and dv lie in the same memory.
 * A thread works in blocks of queries, whose scores, weights and gradients stay in the core's cache. k and v are
 * transposed first, so that all products have forms for which small_matmul.h is fast. Scratch memory is aligned to 64
 * bytes; nothing is owned. */
#pragma once

#include "core/kernels/grad.h"
#include "core/kernels/private/attention_products.h"

/* How many numbers of scratch memory either pass needs; -1: more than any machine has. */
int64_t hl_attention_scratch(const hl_attention_pass *pass);

/* Computes z of a block from head->K and head->v. P holds its weights on the way. */
typedef void hl_attention_forward_block(const void *context, const hl_attention_block *block, hl_real *P,
                                        hl_attention_rows z);

/* Computes z (Nq, H * Dv) of all blocks, multiplied by the gate. */
void hl_attention_forward(hl_attention_pass *pass, hl_attention_forward_block *compute, const void *context, hl_real *z,
                          hl_real *scratch);

/* The gradients that are wanted (grad.h). q, k and v begin at their first row and at the first column of pass->q, k,
 * v. */
typedef struct hl_attention_grads {
    hl_grad q, k, v, gate;
    bool overlap; /* q, k and v may be the same numbers: one thread then works on all heads of a sequence, in order */
} hl_attention_grads;

/* Computes a block's part of dq, dk and dv, as far as they are wanted, from P = dropout(A) and dz. dS is memory for the
 * scores' gradient. d->q begins at the block's first query, d->k and d->v at its first key. */
typedef void hl_attention_backward_block(const hl_attention_block *block, const hl_real *P, hl_attention_rows dz,
                                         hl_real *dS, const hl_attention_grads *d);

/* Computes dgate, and by `compute` the other gradients, for all blocks from dy (Nq, H * Dv). Call it after the pass's
 * hl_attention_forward. */
void hl_attention_backward(const hl_attention_pass *pass, hl_attention_backward_block *compute, hl_attention_grads d,
                           const hl_real *dy, hl_real *scratch);
