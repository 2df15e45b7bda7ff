/* Float matrices in the form that the products of linear maps read, unchanged or rounded to bf16.
 *
 * A panel holds 64 columns of a matrix, one row of 64 numbers after the other. In panels, (K, M) becomes [ceil(M /
 * 64)][K][64]. In bf16 (core/kernels/bf16.h), one instruction multiplies and adds a pair: two numbers side by side
 * along K. The panels are [ceil(M / 64)][ceil(K / 2)][64] pairs; if K is odd, the second half of the last pair is 0.
 * Columns past M are 0 in bf16, and undefined in float. x is row-major, with `stride` numbers from one row to the next;
 * y counts in numbers of its own type. */
#pragma once

#include "core/base/real.h"

#include <stdint.h>

enum { HL_PANEL = 64 };

typedef struct hl_packers {
    /* y (n, width) = x, with `y_stride` from one row to the next, and a 0 after the last number if width is odd. NULL
     * in float, where rows are multiplied unchanged. */
    void (*plain)(int64_t n, int64_t width, const hl_real *x, int64_t stride, void *y, int64_t y_stride);

    /* y (width, n) = x^T for x (n, width), with a 0 after the last number if n is odd. NULL in float. */
    void (*transposed)(int64_t n, int64_t width, const hl_real *x, int64_t stride, void *y, int64_t y_stride);

    /* Packs x (n, width) in panels as (K, M); `panel` numbers from one panel to the next. */
    void (*rows)(int64_t n, int64_t width, const hl_real *x, int64_t stride, void *y, int64_t panel);

    /* Packs x (n, width) in panels as (M, K), with n <= HL_PANEL: one panel. */
    void (*panel)(int64_t n, int64_t width, const hl_real *x, int64_t stride, void *y);
} hl_packers;

const hl_packers *hl_float_packers(void);

/* NULL if the build is not compiled for CPUs with AVX512-BF16, or in double. */
const hl_packers *hl_bf16_packers(void);
