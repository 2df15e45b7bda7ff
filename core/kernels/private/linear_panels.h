/* y and dx of a linear map, with generated kernels. W is packed in panels (panel_pack.h) that stay in a core's caches.
 * Only linear_products.c uses this. In bf16 (core/kernels/bf16.h), call it only if hl_bf16_missing is NULL.
 *
 * W (O, I); x, dx (n, I) and y, dp (n, O) are contiguous rows. Sums over O and I are added in an order that depends on
 * these sizes alone. Memory for packed matrices is counted in hl_real and aligned to 64 bytes. Method: Goto & van de
 * Geijn 2008, with kernels of Heinecke et al. 2016. */
#pragma once

#include "core/kernels/private/linear_rows.h"

/* Generates the code for any number of rows. */
void hl_panels_prepare(const hl_linear_rows *rows);

/* The size of packed W, in the form for forward (y) or for dx. _block: the size of a packed block of rows in the same
 * two forms; 0 if x or dp itself is used. */
int64_t hl_panels_weights_numbers(const hl_linear_rows *rows, bool dx);
int64_t hl_panels_block_numbers(const hl_linear_rows *rows, bool dx);

/* Returns W in that form: `packed`, or W itself if dx can use it unchanged. The form for forward may contain b (or NULL
 * if there is none), so it is valid until W or b changes. dx needs no b. */
const hl_real *hl_panels_pack_weights(int threads, const hl_linear_rows *rows, bool dx, const hl_real *W,
                                      const hl_real *b, hl_real *packed);

/* y = b + x W^T for n <= HL_LINEAR_BLOCK rows, with the b that was packed; dx = (or +=, if `add`) dp W. `block`: memory
 * of the calling thread. */
void hl_panels_forward(const hl_linear_rows *rows, int64_t n, const hl_real *x, const hl_real *packed, const hl_real *b,
                       hl_real *y, hl_real *block);
void hl_panels_dx(const hl_linear_rows *rows, int64_t n, const hl_real *dp, const hl_real *packed, bool add,
                  hl_real *dx, hl_real *block);
