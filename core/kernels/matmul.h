/* Matrix products: OpenBLAS, with one single-threaded call per block of output rows.
 *
 * OpenBLAS's own threading cuts a product at boundaries that change the last bits, and one block of rows per thread is
 * faster. A single-threaded sgemm gives bit-identical rows if every cut falls on a multiple of 48 rows, and the whole
 * and every piece have M*N*K > 1,000,000 (at or below that, OpenBLAS uses other kernels). A smaller product is never
 * cut. tests/core/test_matmul.c checks this property of the installed OpenBLAS. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/real.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* A factor: row-major `data`, with `stride` numbers from one row to the next; its transpose if `transposed`. */
typedef struct hl_matrix {
    const hl_real *data;
    int64_t stride;
    bool transposed;
} hl_matrix;

/* C (M, N) = A (M, K) B (K, N) + beta C, on at most `threads` threads; the bits do not depend on `threads`. C is
 * row-major with `c_stride` and does not overlap the factors. beta is 0 (C is not read) or 1. M, N or K may be 0. */
void hl_matmul_into(int threads, int64_t M, int64_t N, int64_t K, hl_matrix A, hl_matrix B, hl_real beta, hl_real *C,
                    int64_t c_stride);

/* Into how many pieces, at most `most`, hl_threads_cut may cut the rows of C at multiples of HL_MATMUL_STEP, so that
 * hl_matmul_serial on each piece gives the same bits as on the whole. */
enum { HL_MATMUL_STEP = 48 };
int hl_matmul_pieces(int most, int64_t M, int64_t N, int64_t K);

/* C = A B + beta C on the calling thread alone; for use inside a parallel region. */
void hl_matmul_serial(int64_t M, int64_t N, int64_t K, hl_matrix A, hl_matrix B, hl_real beta, hl_real *C,
                      int64_t c_stride);

/* The gradient of a weight: C (M, N) = A^T B + beta C for A (K, M) and B (K, N), both row-major and dense, with many
 * rows K. If C is too small to be cut, K is cut into blocks, whose number depends on the shape alone. The products of
 * the blocks go to `scratch` and are added in order. */
void hl_matmul_rows_into(int threads, int64_t M, int64_t N, int64_t K, const hl_real *A, const hl_real *B, hl_real beta,
                         hl_real *C, hl_real *scratch);

/* How many numbers hl_matmul_rows_into needs in `scratch`; may be 0. */
int64_t hl_matmul_rows_scratch(int64_t M, int64_t N, int64_t K);

/* A warning for the user, or NULL if the loaded OpenBLAS is the OpenMP build. Only that build's threads work beside
 * ours. */
const char *hl_matmul_library_warning(void);

HL_END_DECLS
