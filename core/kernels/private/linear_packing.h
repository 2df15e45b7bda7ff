/* How the matrices of a linear map are packed in panels (panel_pack.h). Only linear_panels.c and linear_weight_grad.c
 * use this. Counts are in numbers of the map's type, float or bf16. */
#pragma once

#include "core/kernels/private/linear_rows.h"
#include "core/kernels/private/panel_pack.h"
#include "core/kernels/private/panel_product.h"

static inline const hl_packers *hl_linear_packers(const hl_linear_rows *rows)
{
    return rows->bf16 ? hl_bf16_packers() : hl_float_packers();
}

/* How many hl_real numbers have the size of `count` numbers of the map's type. In bf16 `count` is even. */
static inline int64_t hl_linear_reals(const hl_linear_rows *rows, int64_t count)
{
    return rows->bf16 ? count / 2 : count;
}

/* K, or in bf16 K rounded up to an even number, because bf16 numbers are multiplied in pairs. */
static inline int64_t hl_linear_depth(const hl_linear_rows *rows, int64_t K)
{
    return rows->bf16 ? (K + 1) / 2 * 2 : K;
}

/* The number of panels for M columns. */
static inline int64_t hl_linear_count_panels(int64_t M)
{
    return (M + HL_PANEL - 1) / HL_PANEL;
}

/* Whether a factor with M columns is packed. In float, narrow factors are used unpacked, and so are factors whose last
 * panel would have at most one vector. */
static inline bool hl_linear_packs(const hl_linear_rows *rows, int64_t M)
{
    enum { MOST_UNPACKED = 512 };
    return rows->bf16 || (M > MOST_UNPACKED && !hl_panel_leaves_little(M));
}
