/* Small matrix products, many of one shape: those of attention, per example and head.
 *
 * LIBXSMM (Heinecke et al. 2016) generates a kernel for the exact shape at run time, several times as fast as OpenBLAS
 * there; without it, in double, or where it declines a shape, OpenBLAS serves. A product runs on the calling thread. */
#ifndef HL_CORE_SMALL_MATMUL_H
#define HL_CORE_SMALL_MATMUL_H

#include "core/real.h"

#include <stdbool.h>
#include <stdint.h>

/* C (M, N) = A (M, K) B (K, N), or with `add` C += A B. All row-major; a stride is the numbers from one row to the next.
 * With `transposed`, A is given as (K, M). */
typedef struct hl_small_matmul {
    int64_t M, N, K;
    int64_t a_stride, b_stride, c_stride;
    bool transposed, add;
} hl_small_matmul;

/* Computes one product; C overlaps neither factor. M, N or K may be 0. */
void hl_small_matmul_run(hl_small_matmul shape, const hl_real *A, const hl_real *B, hl_real *C);

#endif
