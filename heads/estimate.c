#include "heads/estimate.h"

#include <math.h>
#include <stdlib.h>

hl_estimate hl_estimate_of(const double *numbers, int64_t stride, int64_t n)
{
    double mean = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        mean += numbers[i * stride] / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        double off = numbers[i * stride] - mean;
        squares += off * off;
    }
    return (hl_estimate){ mean, n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : INFINITY };
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void hl_numbers_sort(double *numbers, int64_t n)
{
    qsort(numbers, (size_t)n, sizeof *numbers, ascending);
}

double hl_syntax_share(hl_syntax_rate rate)
{
    return rate.cases > 0 ? (double)rate.hits / (double)rate.cases : NAN;
}

hl_syntax_interval hl_syntax_interval_of(hl_syntax_rate rate)
{
    if (rate.cases == 0) {
        return (hl_syntax_interval){ 0, 1 };
    }
    const double z = 1.959963984540054; /* the 97.5% quantile of the normal distribution */
    double n = (double)rate.cases, p = hl_syntax_share(rate), wide = 1 + z * z / n;
    double middle = (p + z * z / (2 * n)) / wide;
    double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / wide;
    return (hl_syntax_interval){ fmax(middle - half, 0), fmin(middle + half, 1) };
}
