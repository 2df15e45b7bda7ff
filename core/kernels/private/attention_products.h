/* What a block of queries is computed by: matrix products, and between them softmax and dropout. P and dS (n, row)
 * have a row for each query of the block. */
#ifndef HL_CORE_KERNELS_PRIVATE_ATTENTION_PRODUCTS_H
#define HL_CORE_KERNELS_PRIVATE_ATTENTION_PRODUCTS_H

#include "core/kernels/private/attention_block.h"

/* C = A B, or with `add` C += A B, in the shape of the product, where z or dz has the given stride. The pass's usual
 * kernel serves where the shape is its own. */
void hl_attention_multiply(hl_attention_product which, const hl_attention_block *block, int64_t z_stride, bool add,
                           const hl_real *A, const hl_real *B, hl_real *C);

/* P = A = softmax(q k^T / sqrt(Dk) + bias), or the weights that replace A. Rows of padding are whatever they are. */
void hl_attention_weights(const hl_attention_block *block, hl_real *P);

/* P = dropout(P). Where backward needs A, it is stored, unless P is where it is. */
void hl_attention_drop(const hl_attention_block *block, hl_real *P);

/* P = dropout(A), with what hl_attention_drop stored; rows of padding are 0. */
void hl_attention_dropped(const hl_attention_block *block, hl_real *P);

/* dS = A * (dA - rowsum(dA * A)) / sqrt(Dk), with dA = dz v^T through the dropout; 0 in rows that were replaced. */
void hl_attention_d_scores(const hl_attention_block *block, hl_attention_rows dz, hl_real *dS);

/* Finds the code for the products of pass->usual, which all heads use: those of backward only where it will run. Call
 * it before the first head. */
void hl_attention_prepare(hl_attention_pass *pass, hl_real *scratch);

/* Generates the code for all short sequences, whose products have shapes of their own, up to the longest. */
void hl_attention_prepare_lengths(const hl_attention_pass *pass);

#endif
