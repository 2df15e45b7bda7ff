/* Rotary positions (Su et al. 2021, "RoFormer"), with the pairs of transformers' rotate_half. In each head of width Dk,
 * the numbers i and i + h, h = floor(Dk / 2), are a point in the plane. It is rotated by the angle a = p *
 * theta^(-2i / Dk), where p is the row's position:
 *   y[i] = x[i] cos a - x[i + h] sin a,   y[i + h] = x[i + h] cos a + x[i] sin a
 * If queries and keys are rotated, their product depends on the distance of their positions alone. An odd Dk leaves
 * the head's last number as it is. Backward rotates dy by the same angles in the other direction. */
#pragma once

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

typedef struct hl_rotate_args {
    hl_tensor *x;             /* (N, W): heads side by side, from column 0; columns beyond the heads are copied */
    int64_t n_heads, width;   /* H, Dk */
    const hl_real *table;     /* (n_positions, 2, floor(Dk / 2)): each position's cosines, then its sines */
    int64_t n_positions;      /* the table's height */
    const int32_t *positions; /* (N): in [0, longest) */
    int64_t longest;          /* at most n_positions */
} hl_rotate_args;

/* Returns y, shaped like x. Arrays named in the arguments must outlive the tape. Sticky error: heads that are wider
 * than x, sequences that are longer than the table. */
hl_tensor *hl_rotate(hl_tape *tape, hl_rotate_args args);

/* table (T, 2, floor(Dk / 2)), computed in double. */
void hl_rotate_table(int64_t T, int64_t width, double theta, hl_real *table);

HL_END_DECLS
