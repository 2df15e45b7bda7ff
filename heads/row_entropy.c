#include "heads/row_entropy.h"

#include "core/lanes.h"
#include "core/log.h"

#include <stdbool.h>

static double sum_of(double lanes[HL_LANES])
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

/* Weights m of a mixed row, and the first half of each ln m. */
typedef struct block {
    double m[HL_LANES], n[HL_LANES], s[HL_LANES];
} block;

/* `whole`: whether both rows have all weights of the block. */
__attribute__((always_inline)) static inline void mix(block *to, const hl_real *a, int64_t n_a, const hl_real *b,
                                                      int64_t n_b, bool whole)
{
#pragma omp simd
    for (int l = 0; l < HL_LANES; l++) {
        double x = whole || l < n_a ? (double)a[l] : 0;
        double y = whole || l < n_b ? (double)b[l] : 0;
        double m = (x + y) / 2;
        to->m[l] = m;
        to->s[l] = hl_log_begin(m, &to->n[l]);
    }
}

static inline void begin(block *to, int64_t first, const hl_real *a, int64_t n_a, const hl_real *b, int64_t n_b)
{
    bool whole = first + HL_LANES <= n_a && first + HL_LANES <= n_b;
    if (whole) {
        mix(to, a + first, HL_LANES, b + first, HL_LANES, true);
    } else {
        mix(to, a + first, n_a - first, b + first, n_b - first, false);
    }
}

double hl_row_entropy_mixed(const hl_real *a, int64_t n_a, const hl_real *b, int64_t n_b)
{
    int64_t n = n_a > n_b ? n_a : n_b;
    double lanes[HL_LANES] = { 0 };
    block blocks[2]; /* by turns */
    begin(&blocks[0], 0, a, n_a, b, n_b);
    for (int64_t first = 0; first < n; first += HL_LANES) {
        const block *now = &blocks[first / HL_LANES % 2];
        if (first + HL_LANES < n) {
            begin(&blocks[1 - first / HL_LANES % 2], first + HL_LANES, a, n_a, b, n_b);
        }
#pragma omp simd
        for (int l = 0; l < HL_LANES; l++) {
            lanes[l] -= now->m[l] * hl_log_end(now->n[l], now->s[l]);
        }
    }
    return sum_of(lanes);
}

double hl_row_entropy(const hl_real *a, int64_t n)
{
    return hl_row_entropy_mixed(a, n, a, n); /* (x + x) / 2 is x */
}
