/* How sure a number is: a mean over examples with its standard error, a share of cases with its interval; numbers in
 * their order. */
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

/* How often a head, or a rule, finds a relation: hits out of cases; the interval below shows how sure their share
 * is. */
typedef struct hl_syntax_rate {
    int64_t hits, cases;
} hl_syntax_rate;
double hl_syntax_share(hl_syntax_rate rate); /* hits / cases; NAN if there are no cases */

/* The 95% Wilson score interval of the share (Wilson 1927); [0, 1] if there are no cases. */
typedef struct hl_syntax_interval {
    double low, high;
} hl_syntax_interval;
hl_syntax_interval hl_syntax_interval_of(hl_syntax_rate rate);

HL_END_DECLS
