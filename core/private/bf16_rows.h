/* The products of a linear map in bf16 (core/bf16.h) over ranges of its rows; used by op_linear.c alone. Callable where
 * hl_bf16_missing is NULL. W (O, I); x, dx (n, I) and y, dp (n, O) are rows, contiguous. Sums over O and I, and over
 * rows, are added in an order that follows from these sizes alone. Memory for bf16 is counted in floats and begins at a
 * multiple of 64 bytes. */
#ifndef HL_CORE_PRIVATE_BF16_ROWS_H
#define HL_CORE_PRIVATE_BF16_ROWS_H

#include "core/real.h"

#include <stdbool.h>
#include <stdint.h>

enum { HL_BF16_ROWS = 64 };

typedef struct hl_bf16_map {
    int64_t O, I;
} hl_bf16_map;

/* Generates the code for any number of rows. */
void hl_bf16_prepare(hl_bf16_map map);

/* Of W packed for forward (y) and for dx; of the rounded rows of a block for each. */
int64_t hl_bf16_weights_numbers(hl_bf16_map map, bool dx);
int64_t hl_bf16_block_numbers(hl_bf16_map map, bool dx);
void hl_bf16_pack_weights(int threads, hl_bf16_map map, bool dx, const hl_real *W, hl_real *packed);

/* y = (or, `add`, +=) x W^T of n <= HL_BF16_ROWS rows; dx = (or +=) dp W. `block`: memory of the calling thread. */
void hl_bf16_forward(hl_bf16_map map, int64_t n, const hl_real *x, const hl_real *packed, bool add, hl_real *y,
                     hl_real *block);
void hl_bf16_dx(hl_bf16_map map, int64_t n, const hl_real *dp, const hl_real *packed, bool add, hl_real *dx,
                hl_real *block);

/* dW (O, I) = (or +=) dp^T x over N rows, which are packed before, by blocks: n of them from `first` on, a multiple of
 * HL_BF16_ROWS, x and dp at the first of those n. n is HL_BF16_ROWS, or what is left at the end. */
int64_t hl_bf16_rows_numbers(hl_bf16_map map, int64_t N);
void hl_bf16_pack_rows(hl_bf16_map map, int64_t N, int64_t first, int64_t n, const hl_real *dp, const hl_real *x,
                       hl_real *packed);
void hl_bf16_dW(int threads, hl_bf16_map map, int64_t N, const hl_real *packed, bool add, hl_real *dW);

/* The rows from `begin` to `end` - 1 of dW, cut at multiples of hl_bf16_dW_step, to `part` (end - begin, I). */
int64_t hl_bf16_dW_step(hl_bf16_map map);
void hl_bf16_dW_rows(hl_bf16_map map, int64_t N, const hl_real *packed, int64_t begin, int64_t end, hl_real *part);

#endif
