/* The steps that compute a block of queries: matrix products, with softmax and dropout between them. P and dS (n, row)
 * have a row for each query of the block. */
#pragma once

#include "core/kernels/private/attention_block.h"

/* C = A B, or C += A B if `add`, in the shape of the product `which`; z or dz has the given stride. Uses the pass's
 * usual kernel if it has this shape. */
void hl_attention_multiply(hl_attention_product which, const hl_attention_block *block, int64_t z_stride, bool add,
                           const hl_real *A, const hl_real *B, hl_real *C);

/* P = A = softmax(q k^T / sqrt(Dk) + bias), or the weights that replace A. Rows of padding are undefined. */
void hl_attention_weights(const hl_attention_block *block, hl_real *P);

/* P = dropout(P). If backward needs A, A is stored, unless P is the memory of A. */
void hl_attention_drop(const hl_attention_block *block, hl_real *P);

/* P = dropout(A), from what hl_attention_drop stored. Rows of padding are 0. */
void hl_attention_dropped(const hl_attention_block *block, hl_real *P);

/* dS = A * (dA - rowsum(dA * A)) / sqrt(Dk), where dA = dz v^T through the dropout; 0 in rows whose weights were
 * replaced. */
void hl_attention_d_scores(const hl_attention_block *block, hl_attention_rows dz, hl_real *dS);

/* Finds the code for the products of pass->usual, which all heads use. Products of backward are included only if
 * backward will run. Call it before the first head. */
void hl_attention_prepare(hl_attention_pass *pass, hl_real *scratch);

/* Generates the code for all short sequences up to the longest; each length has its own shapes of products. */
void hl_attention_prepare_lengths(const hl_attention_pass *pass);
