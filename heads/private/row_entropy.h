/* The entropy of a row of weights, in vector code: the inner loop of several metrics. */
#pragma once

#include "core/base/real.h"

#include <stdint.h>

/* -sum_j a_j ln a_j over the first n weights, in nats, with 0 ln 0 = 0; summed in a fixed order. */
double hl_row_entropy(const hl_real *a, int64_t n);

/* The same for the row (a_j + b_j) / 2. a has n_a weights and b has n_b; missing weights count as 0. If a is b, the
 * result is the row's entropy except for its last bits. */
double hl_row_entropy_mixed(const hl_real *a, int64_t n_a, const hl_real *b, int64_t n_b);

/* For callers that compare many rows of n weights with each other and halve each row once. hl_row_halve writes half of
 * every weight, followed by zeros up to hl_row_halves_width(n). */
int64_t hl_row_halves_width(int64_t n);
void hl_row_halve(const hl_real *a, int64_t n, double *halves);

/* For each of `count` rows of b, which begin `stride` numbers apart, adds to sums[k] the entropy of row a mixed with
 * row k of b. All rows must be halves of rows whose sum is 1. The entropies agree with hl_row_entropy_mixed to within
 * 5e-14, because they use a faster logarithm (hl_log_near; hl_log_vector with AVX-512). */
void hl_row_entropies_mixed(const double *a, const double *b, int64_t stride, int64_t n, int64_t count, double *sums);
