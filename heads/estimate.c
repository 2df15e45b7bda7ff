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
