#include "heads/private/row_entropy.h"

#include "core/kernels/private/lanes.h"
#include "core/kernels/private/log.h"
#include "heads/private/fast_log.h"

static inline double sum_of(double lanes[HL_LANES])
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

int64_t hl_row_halves_width(int64_t n)
{
    return (n + HL_LANES - 1) / HL_LANES * HL_LANES;
}

void hl_row_halve(const hl_real *a, int64_t n, double *halves)
{
    for (int64_t j = 0; j < n; j++) {
        halves[j] = (double)a[j] / 2;
    }
    for (int64_t j = n; j < hl_row_halves_width(n); j++) {
        halves[j] = 0;
    }
}

#ifdef __AVX512F__
void hl_row_entropies_mixed(const double *a, const double *b, int64_t stride, int64_t n, int64_t count, double *sums)
{
    enum { VECTOR = HL_LANES / 2 };
    for (int64_t k = 0; k < count; k++, b += stride) {
        __m512d left = _mm512_setzero_pd(), right = left;
        for (int64_t j = 0; j < n; j += HL_LANES) {
            __m512d l = _mm512_add_pd(_mm512_loadu_pd(a + j), _mm512_loadu_pd(b + j));
            __m512d r = _mm512_add_pd(_mm512_loadu_pd(a + j + VECTOR), _mm512_loadu_pd(b + j + VECTOR));
            left = _mm512_fnmadd_pd(l, hl_log_vector(l), left);
            right = _mm512_fnmadd_pd(r, hl_log_vector(r), right);
        }
        sums[k] += _mm512_reduce_add_pd(_mm512_add_pd(left, right));
    }
}
#else
void hl_row_entropies_mixed(const double *a, const double *b, int64_t stride, int64_t n, int64_t count, double *sums)
{
    for (int64_t k = 0; k < count; k++, b += stride) {
        double lanes[HL_LANES] = { 0 };
        for (int64_t first = 0; first < n; first += HL_LANES) {
#pragma omp simd
            for (int l = 0; l < HL_LANES; l++) {
                double m = a[first + l] + b[first + l];
                lanes[l] -= m * hl_log_near(m);
            }
        }
        sums[k] += sum_of(lanes);
    }
}
#endif
