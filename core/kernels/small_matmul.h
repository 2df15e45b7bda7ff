/* Matrix products that fit in a core's caches, many of one shape: those of attention, per example and head, and those
 * of a linear map, per block of rows.
 *
 * LIBXSMM (Heinecke et al. 2016) generates a kernel for the exact shape at run time, several times as fast as OpenBLAS
 * at small shapes, and faster wherever B needs no packing; without it, in double, or where it declines a shape,
 * OpenBLAS serves, and for bf16 a loop in C. A product runs on the calling thread. */
#ifndef HL_CORE_KERNELS_SMALL_MATMUL_H
#define HL_CORE_KERNELS_SMALL_MATMUL_H

#include "core/base/declarations.h"
#include "core/base/real.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* C (M, N) = A (M, K) B (K, N), or with `add` C += A B. All row-major; a stride is the numbers from one row to the
 * next. With `transposed`, A is given as (K, M). With `bf16`, A and B are numbers of bf16 (core/kernels/bf16.h), B is a
 * panel (private/panel_pack.h), A is not transposed and K is even; C is of hl_real. */
typedef struct hl_small_matmul {
    int64_t M, N, K;
    int64_t a_stride, b_stride, c_stride;
    bool transposed, add, bf16;
} hl_small_matmul;

/* A shape and the code for it. */
typedef struct hl_small_kernel {
    hl_small_matmul shape;
    void (*generated)(void); /* LIBXSMM's function; NULL where OpenBLAS serves, or in bf16 plain C */
} hl_small_kernel;

/* Whether products of this build and precision may be generated at all. */
bool hl_small_matmul_generates(void);

/* The version of LIBXSMM that generates them, as "1.17"; NULL where none are generated. */
const char *hl_small_matmul_libxsmm(void);

/* The instructions that it generates them of, as "clx"; NULL likewise. */
const char *hl_small_matmul_target(void);

/* Starts LIBXSMM, before anything is asked of it, and leaves the environment as it is. It may be called again, and by
 * several threads at once: each returns after the start. */
void hl_small_matmul_start(void);

/* Sets LIBXSMM up and makes sure that there is memory for the code that it will generate; it would crash without. Call
 * it before the first product, as hl_model_allocate does. HL_NO_MEMORY. */
hl_status hl_small_matmul_prepare(void);

/* Finds or generates the code for a shape, M, N or K of which may be 0; keep it for many products. Cannot fail. */
hl_small_kernel hl_small_matmul_kernel(hl_small_matmul shape);

/* Computes one product, of factors of hl_real or bf16; C overlaps neither. */
void hl_small_kernel_run(const hl_small_kernel *kernel, const void *A, const void *B, hl_real *C);

/* hl_small_matmul_kernel and hl_small_kernel_run in one. */
void hl_small_matmul_run(hl_small_matmul shape, const hl_real *A, const hl_real *B, hl_real *C);

/* y (width, n) with `y_stride` = factor * x^T for x (n, width) with `x_stride`: the layout that products need for B.
 * The rows of y end in zeros, from number n to y_stride. */
void hl_transpose(int64_t n, int64_t width, hl_real factor, const hl_real *x, int64_t x_stride, hl_real *y,
                  int64_t y_stride);

HL_END_DECLS

#endif
