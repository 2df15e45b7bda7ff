/* The products of a linear map by generated kernels, with one factor packed in panels (panel_pack.h) that stay in a
 * core's caches; used by op_linear.c alone. In bf16 (core/bf16.h) callable where hl_bf16_missing is NULL.
 *
 * W (O, I); x, dx (n, I) and y, dp (n, O) are rows, contiguous. Sums over O and I, and over rows, are added in an order
 * that follows from these sizes alone. Memory for what is packed is counted in hl_real and begins at a multiple of 64
 * bytes. Method: Goto & van de Geijn 2008, with kernels of Heinecke et al. 2016. */
#ifndef HL_CORE_PRIVATE_LINEAR_PANELS_H
#define HL_CORE_PRIVATE_LINEAR_PANELS_H

#include "core/private/linear_rows.h"

/* Generates the code for any number of rows. */
void hl_panels_prepare(const hl_linear_rows *rows);

/* Of W in the form that forward (y) or dx takes; of the rounded rows of a block for each, 0 in float. */
int64_t hl_panels_weights_numbers(const hl_linear_rows *rows, bool dx);
int64_t hl_panels_block_numbers(const hl_linear_rows *rows, bool dx);

/* Returns that form: `packed`, or for dx W itself where it serves as it is. */
const hl_real *hl_panels_pack_weights(int threads, const hl_linear_rows *rows, bool dx, const hl_real *W,
                                      hl_real *packed);

/* y = b + x W^T of n <= HL_LINEAR_BLOCK rows, b may be NULL; dx = (or, `add`, +=) dp W. `block`: memory of the calling
 * thread. */
void hl_panels_forward(const hl_linear_rows *rows, int64_t n, const hl_real *x, const hl_real *packed, const hl_real *b,
                       hl_real *y, hl_real *block);
void hl_panels_dx(const hl_linear_rows *rows, int64_t n, const hl_real *dp, const hl_real *packed, bool add,
                  hl_real *dx, hl_real *block);

/* dW (O, I) = (or +=) dp^T x over all N rows dp and x. Where hl_panels_pack_dp says so they are packed before, by
 * blocks: n of them from `first` on, a multiple of HL_LINEAR_BLOCK, x and dp at the first of those n. n is
 * HL_LINEAR_BLOCK, or what is left at the end. Then dp is not read again. What is enough memory for N rows is enough
 * for any fewer. */
bool hl_panels_pack_dp(const hl_linear_rows *rows);
int64_t hl_panels_rows_numbers(const hl_linear_rows *rows);
void hl_panels_pack_rows(const hl_linear_rows *rows, int64_t first, int64_t n, const hl_real *dp, const hl_real *x,
                         hl_real *packed);
void hl_panels_dW(int threads, const hl_linear_rows *rows, const hl_real *dp, const hl_real *x, const hl_real *packed,
                  bool add, hl_real *dW);

/* The rows from `begin` to `end` - 1 of dW, cut at multiples of hl_panels_dW_step, to `part` (end - begin, I). */
int64_t hl_panels_dW_step(const hl_linear_rows *rows);
void hl_panels_dW_rows(const hl_linear_rows *rows, const hl_real *dp, const hl_real *x, const hl_real *packed,
                       int64_t begin, int64_t end, hl_real *part);

#endif
