#include "heads/private/row_entropy.h"

#include "core/private/lanes.h"
#include "core/private/log.h"

#include <string.h>

static double sum_of(double lanes[HL_LANES])
{
    for (int width = HL_LANES / 2; width > 0; width /= 2) {
        for (int l = 0; l < width; l++) {
            lanes[l] += lanes[l + width];
        }
    }
    return lanes[0];
}

double hl_row_entropy(const hl_real *a, int64_t n)
{
    double lanes[HL_LANES] = { 0 };
    for (int64_t first = 0; first < n; first += HL_LANES) {
#pragma omp simd
        for (int l = 0; l < HL_LANES; l++) {
            double m = first + l < n ? (double)a[first + l] : 0;
            lanes[l] -= m * hl_log(m);
        }
    }
    return sum_of(lanes);
}

double hl_row_entropy_mixed(const hl_real *a, int64_t n_a, const hl_real *b, int64_t n_b)
{
    int64_t n = n_a > n_b ? n_a : n_b;
    double lanes[HL_LANES] = { 0 };
    for (int64_t first = 0; first < n; first += HL_LANES) {
#pragma omp simd
        for (int l = 0; l < HL_LANES; l++) {
            double x = first + l < n_a ? (double)a[first + l] : 0;
            double y = first + l < n_b ? (double)b[first + l] : 0;
            double m = (x + y) / 2;
            lanes[l] -= m * hl_log(m);
        }
    }
    return sum_of(lanes);
}
