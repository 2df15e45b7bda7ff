/* Sums over short rows, in sixteen partial sums: one for each lane of a vector.
 *
 * A compiler's own reduction adds the lanes of its last vector one after the other. For a row of 32 numbers, that takes
 * longer than the rest of the row. Here the order of the additions is fixed and does not depend on the width of the
 * vectors. */
#pragma once

#include "core/base/real.h"

#include <math.h>
#include <stdint.h>

enum { HL_LANES = 16 };

static inline hl_real hl_lanes_sum(hl_real lanes[HL_LANES])
{
#pragma omp simd
    for (int l = 0; l < 8; l++) {
        lanes[l] += lanes[l + 8];
    }
#pragma omp simd
    for (int l = 0; l < 4; l++) {
        lanes[l] += lanes[l + 4];
    }
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

static inline hl_real hl_lanes_max(hl_real lanes[HL_LANES])
{
#pragma omp simd
    for (int l = 0; l < 8; l++) {
        lanes[l] = lanes[l] > lanes[l + 8] ? lanes[l] : lanes[l + 8];
    }
#pragma omp simd
    for (int l = 0; l < 4; l++) {
        lanes[l] = lanes[l] > lanes[l + 4] ? lanes[l] : lanes[l + 4];
    }
    hl_real even = lanes[0] > lanes[2] ? lanes[0] : lanes[2], odd = lanes[1] > lanes[3] ? lanes[1] : lanes[3];
    return even > odd ? even : odd;
}

/* Runs `statement` for j = 0 .. n - 1 with l = j % HL_LANES, in whole vectors and a remainder. */
#define HL_FOR_LANES(n, j, l, statement)                                        \
    do {                                                                        \
        int64_t hl_whole = (n) / HL_LANES * HL_LANES;                           \
        for (int64_t hl_first = 0; hl_first < hl_whole; hl_first += HL_LANES) { \
            _Pragma("omp simd") for (int l = 0; l < HL_LANES; l++)              \
            {                                                                   \
                int64_t j = hl_first + l;                                       \
                statement;                                                      \
            }                                                                   \
        }                                                                       \
        for (int64_t j = hl_whole; j < (n); j++) {                              \
            int l = (int)(j - hl_whole);                                        \
            statement;                                                          \
        }                                                                       \
    } while (0)

/* The largest of n numbers, without NaN; -inf if there is none. */
static inline hl_real hl_largest(int64_t n, const hl_real *x)
{
    hl_real most[HL_LANES];
    for (int l = 0; l < HL_LANES; l++) {
        most[l] = -INFINITY;
    }
    HL_FOR_LANES(n, j, l, most[l] = x[j] > most[l] ? x[j] : most[l]);
    return hl_lanes_max(most);
}
