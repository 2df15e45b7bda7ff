/* dW of a linear map by generated kernels, tile by tile over all rows; used by linear_products.c alone. In
 * bf16 (core/kernels/bf16.h) callable where hl_bf16_missing is NULL.
 *
 * dW (O, I) = dp^T x; x (N, I) and dp (N, O) are rows, contiguous. Sums over rows are added in an order that follows
 * from these sizes alone. Memory for what is packed is counted in hl_real and begins at a multiple of 64 bytes. */
#ifndef HL_CORE_KERNELS_PRIVATE_LINEAR_WEIGHT_GRAD_H
#define HL_CORE_KERNELS_PRIVATE_LINEAR_WEIGHT_GRAD_H

#include "core/kernels/private/linear_rows.h"

/* Generates the code for any number of rows. */
void hl_weight_grad_prepare(const hl_linear_rows *rows);

/* Where hl_weight_grad_packs_dp says so, dp is packed before it is multiplied, and x where that pays, by blocks: n of
 * the rows from `first` on, a multiple of HL_LINEAR_BLOCK, x and dp at the first of those n. n is HL_LINEAR_BLOCK, or
 * what is left at the end. Then dp is not read again. What is enough memory for N rows is enough for any fewer. */
bool hl_weight_grad_packs_dp(const hl_linear_rows *rows);
int64_t hl_weight_grad_numbers(const hl_linear_rows *rows);
void hl_weight_grad_pack(const hl_linear_rows *rows, int64_t first, int64_t n, const hl_real *dp, const hl_real *x,
                         hl_real *packed);

/* dW = (or, `add`, +=) dp^T x. */
void hl_weight_grad(int threads, const hl_linear_rows *rows, const hl_real *dp, const hl_real *x, const hl_real *packed,
                    bool add, hl_real *dW);

/* The rows from `begin` to `end` - 1 of dW, cut at multiples of hl_weight_grad_step, to `part` (end - begin, I). */
int64_t hl_weight_grad_step(const hl_linear_rows *rows);
void hl_weight_grad_rows(const hl_linear_rows *rows, const hl_real *dp, const hl_real *x, const hl_real *packed,
                         int64_t begin, int64_t end, hl_real *part);

#endif
