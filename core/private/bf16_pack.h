/* Rounds float matrices to bf16, in the forms that products take; used by bf16_rows.c alone.
 *
 * A pair is two bf16 side by side: what one instruction multiplies and adds. A panel holds 64 columns; (K, M) in panels
 * is [ceil(M / 64)][ceil(K / 2)][64] pairs along K. Where K is odd, the second half of the last pair is 0; columns past
 * M are 0. x is row-major, `stride` numbers from one row to the next. */
#ifndef HL_CORE_PRIVATE_BF16_PACK_H
#define HL_CORE_PRIVATE_BF16_PACK_H

#include "core/real.h"

#include <stdint.h>

enum { HL_BF16_PANEL = 64 };

typedef struct hl_bf16_packers {
    /* y (n, width) = x, `y_stride` bf16 from one row to the next, with a 0 after the last of an odd width. */
    void (*plain)(int64_t n, int64_t width, const hl_real *x, int64_t stride, uint16_t *y, int64_t y_stride);

    /* y (width, n) = x^T for x (n, width), with a 0 after the last of an odd n. */
    void (*transposed)(int64_t n, int64_t width, const hl_real *x, int64_t stride, uint16_t *y, int64_t y_stride);

    /* x (n, width) in panels as (K, M); `panel` bf16 from one panel to the next. */
    void (*rows)(int64_t n, int64_t width, const hl_real *x, int64_t stride, uint16_t *y, int64_t panel);

    /* x (n, width) in panels as (M, K), n <= HL_BF16_PANEL: one panel. */
    void (*panel)(int64_t n, int64_t width, const hl_real *x, int64_t stride, uint16_t *y);
} hl_bf16_packers;

/* NULL where the build is not compiled for CPUs with AVX512-BF16, or in double. */
const hl_bf16_packers *hl_bf16_packers_compiled(void);

#endif
