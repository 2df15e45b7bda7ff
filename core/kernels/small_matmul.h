/* Matrix products that fit in a core's caches, many with one shape: the products of attention, per example and head,
 * and the products of a linear map, per block of rows.
 *
 * LIBXSMM (Heinecke et al. 2016) generates a kernel for the exact shape at run time. It is several times as fast as
 * OpenBLAS for small shapes, and faster wherever B needs no packing. OpenBLAS is used without LIBXSMM, in double, or if
 * LIBXSMM declines a shape; for bf16, a loop in C is used. A product runs on the calling thread. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/real.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* C (M, N) = A (M, K) B (K, N), or C += A B if `add`. All matrices are row-major; a stride is the number of elements
 * from one row to the next. With `transposed`, A is passed as (K, M). With `bf16`, A and B hold bf16 numbers
 * (core/kernels/bf16.h), B is a panel (private/panel_pack.h), A is not transposed and K is even; C holds hl_real. */
typedef struct hl_small_matmul {
    int64_t M, N, K;
    int64_t a_stride, b_stride, c_stride;
    bool transposed, add, bf16;
} hl_small_matmul;

/* A shape and the code for it. */
typedef struct hl_small_kernel {
    hl_small_matmul shape;
    void (*generated)(void); /* LIBXSMM's function; NULL if OpenBLAS computes the product, or plain C in bf16 */
} hl_small_kernel;

/* Whether this build and precision can generate code for products. */
bool hl_small_matmul_generates(void);

/* The version of LIBXSMM that generates the code, such as "1.17"; NULL if no code is generated. */
const char *hl_small_matmul_libxsmm(void);

/* The instruction set of the generated code, such as "clx"; NULL if no code is generated. */
const char *hl_small_matmul_target(void);

/* Starts LIBXSMM, before any other use of it, and leaves the environment unchanged. It may be called again, and by
 * several threads at once: each call returns after the start. */
void hl_small_matmul_start(void);

/* Sets LIBXSMM up and makes sure that it has memory for the code that it will generate; without memory it would crash.
 * Call it before the first product, as hl_model_allocate does. HL_NO_MEMORY. */
hl_status hl_small_matmul_prepare(void);

/* Finds or generates the code for a shape. M, N or K may be 0. Keep the result for many products. Cannot fail. */
hl_small_kernel hl_small_matmul_kernel(hl_small_matmul shape);

/* Computes one product with factors in hl_real or bf16. C does not overlap the factors. */
void hl_small_kernel_run(const hl_small_kernel *kernel, const void *A, const void *B, hl_real *C);

/* Does the work of hl_small_matmul_kernel and hl_small_kernel_run in one call. */
void hl_small_matmul_run(hl_small_matmul shape, const hl_real *A, const hl_real *B, hl_real *C);

/* y (width, n) with `y_stride` = factor * x^T for x (n, width) with `x_stride`: the layout that products need for B.
 * Each row of y is filled with zeros from number n up to y_stride. */
void hl_transpose(int64_t n, int64_t width, hl_real factor, const hl_real *x, int64_t x_stride, hl_real *y,
                  int64_t y_stride);

HL_END_DECLS
