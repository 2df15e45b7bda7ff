/* Attention of all heads of all sequences, for core/ops/attention.c, which has the formulas of a block of queries; its
 * letters: core/ops/attention.h.
 *
 * One thread computes a whole head; in backward it computes all heads whose dk and dv lie in the same memory. It works
 * in blocks of queries whose scores, weights and gradients stay in that core's cache. k and v are transposed first, so
 * that all products have the forms that small_matmul.h is fast at. Scratch memory begins at a multiple of 64 bytes;
 * nothing is owned. */
#ifndef HL_CORE_KERNELS_PRIVATE_ATTENTION_HEAD_H
#define HL_CORE_KERNELS_PRIVATE_ATTENTION_HEAD_H

#include "core/kernels/grad.h"
#include "core/kernels/private/attention_products.h"

/* The numbers of scratch memory for either pass; -1: more than any machine has. */
int64_t hl_attention_scratch(const hl_attention_pass *pass);

/* Computes z of a block from head->K and head->v, by way of P. */
typedef void hl_attention_forward_block(const void *context, const hl_attention_block *block, hl_real *P,
                                        hl_attention_rows z);

/* z (Nq, H * Dv) of all blocks, times the gate. */
void hl_attention_forward(hl_attention_pass *pass, hl_attention_forward_block *compute, const void *context, hl_real *z,
                          hl_real *scratch);

/* The gradients wanted (grad.h): q, k and v from their first row and the first column of pass->q and so on. */
typedef struct hl_attention_grads {
    hl_grad q, k, v, gate;
    bool overlap; /* q, k and v may be the same numbers: one thread works on all heads of a sequence, in order */
} hl_attention_grads;

/* Computes a block's part of dq, dk and dv, where they are wanted, from P = dropout(A) and dz; dS is memory for it.
 * d->q begins at the block's first query, d->k and d->v at the head's first key. */
typedef void hl_attention_backward_block(const hl_attention_block *block, const hl_real *P, hl_attention_rows dz,
                                         hl_real *dS, const hl_attention_grads *d);

/* dgate, and the rest by `compute`, of all blocks from dy (Nq, H * Dv), after hl_attention_forward of the pass. */
void hl_attention_backward(const hl_attention_pass *pass, hl_attention_backward_block *compute, hl_attention_grads d,
                           const hl_real *dy, hl_real *scratch);

#endif
