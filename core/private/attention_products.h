/* The matrix products of a block of queries. */
#ifndef HL_CORE_PRIVATE_ATTENTION_PRODUCTS_H
#define HL_CORE_PRIVATE_ATTENTION_PRODUCTS_H

#include "core/private/attention_block.h"

/* The shape of a block's product, where z or dz has the given stride; `add`: it is added to what is there. Of HL_SCORES
 * and HL_D_WEIGHTS, that of the first panel of keys. */
hl_small_matmul hl_attention_shape(hl_attention_product which, const hl_attention_block *block, int64_t z_stride,
                                   bool add);

/* C = A B, or C += A B, of that shape: by the node's usual kernel where it is of that one. */
void hl_attention_multiply(hl_attention_product which, const hl_attention_block *block, int64_t z_stride, bool add,
                           const hl_real *A, const hl_real *B, hl_real *C);

/* Finds the code for the products of state->usual, which all heads use: those of backward only where it will run. Call
 * it before the first head. */
void hl_attention_prepare(hl_attention_state *state, bool backward, hl_real *scratch);

/* Generates the code for all short sequences, whose products have shapes of their own, up to the longest. */
void hl_attention_prepare_lengths(const hl_attention_state *state);

#endif
