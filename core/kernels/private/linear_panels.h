/* y and dx of a linear map by generated kernels, with W packed in panels (panel_pack.h) that stay in a core's caches;
 * used by linear_products.c alone. In bf16 (core/kernels/bf16.h) callable where hl_bf16_missing is NULL.
 *
 * W (O, I); x, dx (n, I) and y, dp (n, O) are rows, contiguous. Sums over O and I are added in an order that follows
 * from these sizes alone. Memory for what is packed is counted in hl_real and begins at a multiple of 64 bytes. Method:
 * Goto & van de Geijn 2008, with kernels of Heinecke et al. 2016. */
#ifndef HL_CORE_KERNELS_PRIVATE_LINEAR_PANELS_H
#define HL_CORE_KERNELS_PRIVATE_LINEAR_PANELS_H

#include "core/kernels/private/linear_rows.h"

/* Generates the code for any number of rows. */
void hl_panels_prepare(const hl_linear_rows *rows);

/* Of W in the form that forward (y) or dx takes; of a block of rows in the form that each takes, 0 where that is x or
 * dp itself. */
int64_t hl_panels_weights_numbers(const hl_linear_rows *rows, bool dx);
int64_t hl_panels_block_numbers(const hl_linear_rows *rows, bool dx);

/* Returns that form: `packed`, or for dx W itself where it serves as it is. Forward's may hold b, NULL where there is
 * none: it serves until W or b changes. dx takes no b. */
const hl_real *hl_panels_pack_weights(int threads, const hl_linear_rows *rows, bool dx, const hl_real *W,
                                      const hl_real *b, hl_real *packed);

/* y = b + x W^T of n <= HL_LINEAR_BLOCK rows, where b is what was packed; dx = (or, `add`, +=) dp W. `block`: memory
 * of the calling thread. */
void hl_panels_forward(const hl_linear_rows *rows, int64_t n, const hl_real *x, const hl_real *packed, const hl_real *b,
                       hl_real *y, hl_real *block);
void hl_panels_dx(const hl_linear_rows *rows, int64_t n, const hl_real *dp, const hl_real *packed, bool add,
                  hl_real *dx, hl_real *block);

#endif
