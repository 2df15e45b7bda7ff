/* Rotary positions for heads of one width (core/ops/rotate.h). All layers with heads of this width and the same theta
 * share one table. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* The usual base of the angles (Vaswani et al. 2017, section 3.5; Su et al. 2021). */
#define HL_ROTARY_THETA 10000.0

typedef struct hl_rotary {
    int64_t max_length, width; /* width: Dk */
    double theta;              /* the base of the angles; 0: HL_ROTARY_THETA */
    hl_real *table;            /* owned; NULL before hl_rotary_allocate */
} hl_rotary;

/* The bytes of the table. */
size_t hl_rotary_bytes(const hl_rotary *rotary);

/* Computes the table. HL_NO_MEMORY. Owned by the caller: hl_rotary_free. */
hl_status hl_rotary_allocate(hl_rotary *rotary);

void hl_rotary_free(hl_rotary *rotary);

/* Returns x (N, W) with its first n_heads heads rotated. `positions` (N) must outlive the tape. Sticky error:
 * `longest`, the length of the longest sequence, is above max_length. */
hl_tensor *hl_rotary_forward(hl_tape *tape, const hl_rotary *rotary, hl_tensor *x, int64_t n_heads,
                             const int32_t *positions, int64_t longest);

HL_END_DECLS
