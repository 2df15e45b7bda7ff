/* Sums over rows and over all numbers, in an order that depends on the shape alone. */
#pragma once

#include "core/base/real.h"

#include <stdbool.h>
#include <stdint.h>

/* sum (D) = (or +=, if `add`) the column sums of x (N, D). The rows form fixed blocks; each is summed in order, then
 * the blocks in order. `scratch` holds hl_sum_rows_scratch(N, D) numbers. */
void hl_sum_rows(int threads, int64_t N, int64_t D, const hl_real *x, bool add, hl_real *sum, hl_real *scratch);

int64_t hl_sum_rows_scratch(int64_t N, int64_t D);

/* The two steps of hl_sum_rows, for callers that compute the terms themselves. _blocks: into how many blocks N rows are
 * cut (block i is hl_threads_cut(N, 1, i, blocks, ...)). _partials: sum (D) = (or +=) the partial sums (n, D), in
 * order. */
int hl_sum_blocks(int64_t N);
void hl_sum_partials(int threads, int n, int64_t D, const hl_real *partials, bool add, hl_real *sum);

/* The sum of n numbers, added in double in a fixed order. */
double hl_sum_all(const hl_real *x, int64_t n);

/* The sum of the squares of n numbers, added in double in fixed blocks, on `threads` threads. */
double hl_sum_squares(int threads, const hl_real *x, int64_t n);
