#include "programs/ablate/statistics.h"

#include <math.h>

/* ---- Student's distribution ---- */

/* The continued fraction of the incomplete beta function (DLMF 8.17.22), 1 / (1 + d_1 / (1 + d_2 / (1 + ...))), from
 * its end. For x < (a + 1) / (a + b + 2) it needs some sqrt(max(a, b)) terms. */
static double beta_fraction(double a, double b, double x)
{
    enum { TERMS = 2000 };
    double tail = 1;
    for (int n = TERMS; n >= 1; n--) {
        double m = floor(n / 2.0), even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        tail = 1 + (n % 2 == 0 ? even : odd) / tail;
    }
    return 1 / tail;
}

/* The regularised incomplete beta function I_x(a, b) where y = 1 - x is given too, so that neither loses digits. */
static double incomplete_beta(double a, double b, double x, double y)
{
    if (x > (a + 1) / (a + b + 2)) {
        return 1 - incomplete_beta(b, a, y, x);
    }
    double log_factor = a * log(x) + b * log(y) + lgamma(a + b) - lgamma(a) - lgamma(b) - log(a);
    return x > 0 ? exp(log_factor) * beta_fraction(a, b, x) : 0;
}

double hl_student_two_sided(double t, double freedom)
{
    if (isnan(t)) {
        return t;
    }
    if (isinf(t)) {
        return 0;
    }
    double square = t * t, sum = freedom + square;
    return isinf(square) ? 0 : incomplete_beta(freedom / 2, 0.5, freedom / sum, square / sum);
}

double hl_student_quantile(double confidence, double freedom)
{
    double low = 0, high = 1;
    while (hl_student_two_sided(high, freedom) > 1 - confidence) {
        low = high;
        high *= 2;
    }
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (hl_student_two_sided(middle, freedom) > 1 - confidence) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (low + high) / 2;
}

/* ---- samples ---- */

static double standard_error(double squares, int64_t n)
{
    return sqrt(squares / (double)(n - 1) / (double)n);
}

hl_interval hl_interval_of(const double *values, int64_t n, double confidence)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += values[i];
    }
    hl_interval interval = { .n = n, .mean = sum / (double)n /* NaN without values */, .half_width = NAN };
    for (int64_t i = 0; i < n; i++) {
        squares += (values[i] - interval.mean) * (values[i] - interval.mean);
    }
    if (n >= 2) {
        interval.half_width = hl_student_quantile(confidence, (double)(n - 1)) * standard_error(squares, n);
    }
    return interval;
}

double hl_paired_test(const double *a, const double *b, int64_t n)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += a[i] - b[i];
    }
    double mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++) {
        double rest = a[i] - b[i] - mean;
        squares += rest * rest;
    }
    if (n < 2 || (squares == 0 && mean == 0)) {
        return NAN;
    }
    return hl_student_two_sided(mean / standard_error(squares, n), (double)(n - 1));
}
