/* A mean over examples, and its standard error; numbers in their order. */
#pragma once

#include "core/base/declarations.h"

#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_estimate {
    double mean;
    double error; /* the standard error: sqrt(sum of (x - mean)^2 / (n - 1) / n); INFINITY if n is 1 */
} hl_estimate;

/* The estimate from the n >= 1 numbers at indices 0, stride, 2 stride, ... */
hl_estimate hl_estimate_of(const double *numbers, int64_t stride, int64_t n);

/* Sorts the numbers, the smallest first. */
void hl_numbers_sort(double *numbers, int64_t n);

HL_END_DECLS
