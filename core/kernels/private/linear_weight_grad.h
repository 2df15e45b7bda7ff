/* dW of a linear map with generated kernels, tile by tile over all rows. Only linear_products.c uses this. In bf16
 * (core/kernels/bf16.h), call it only if hl_bf16_missing is NULL.
 *
 * dW (O, I) = dp^T x; x (N, I) and dp (N, O) are contiguous rows. Sums over rows are added in an order that depends on
 * these sizes alone. Memory for packed matrices is counted in hl_real and aligned to 64 bytes. */
#pragma once

#include "core/kernels/private/linear_rows.h"

/* Generates the code for any number of rows. */
void hl_weight_grad_prepare(const hl_linear_rows *rows);

/* Packing, block by block. If hl_weight_grad_packs_dp returns true, dp must be packed before it is multiplied; x is
 * packed too if that pays. A block has n rows from row `first` on, a multiple of HL_LINEAR_BLOCK, and x and dp point at
 * its first row. n is HL_LINEAR_BLOCK, or the rest at the end. After packing, dp is not read again. _numbers: the
 * memory for N rows, which is also enough for any smaller number. */
bool hl_weight_grad_packs_dp(const hl_linear_rows *rows);
int64_t hl_weight_grad_numbers(const hl_linear_rows *rows);
void hl_weight_grad_pack(const hl_linear_rows *rows, int64_t first, int64_t n, const hl_real *dp, const hl_real *x,
                         hl_real *packed);

/* dW = (or +=, if `add`) dp^T x. */
void hl_weight_grad(int threads, const hl_linear_rows *rows, const hl_real *dp, const hl_real *x, const hl_real *packed,
                    bool add, hl_real *dW);

/* Writes the rows from `begin` to `end` - 1 of dW, cut at multiples of hl_weight_grad_step, to `part` (end - begin,
 * I). */
int64_t hl_weight_grad_step(const hl_linear_rows *rows);
void hl_weight_grad_rows(const hl_linear_rows *rows, const hl_real *dp, const hl_real *x, const hl_real *packed,
                         int64_t begin, int64_t end, hl_real *part);
