/* The entropy of a row of weights in vector code: the inner loop of several metrics. */
#ifndef HL_HEADS_PRIVATE_ROW_ENTROPY_H
#define HL_HEADS_PRIVATE_ROW_ENTROPY_H

#include "core/base/real.h"

#include <stdint.h>

/* -sum_j a_j ln a_j over the first n weights, nats, with 0 ln 0 = 0; added in a fixed order. */
double hl_row_entropy(const hl_real *a, int64_t n);

/* The same for the row (a_j + b_j) / 2; a has n_a weights and b has n_b, and missing weights count as 0. Where a is b,
 * the result is the row's entropy but for its last bits. */
double hl_row_entropy_mixed(const hl_real *a, int64_t n_a, const hl_real *b, int64_t n_b);

/* The same for callers that compare many rows of n weights with each other, each of which they halve once: half of
 * every weight, followed by zeros up to hl_row_halves_width(n). */
int64_t hl_row_halves_width(int64_t n);
void hl_row_halve(const hl_real *a, int64_t n, double *halves);

/* Adds to sums[k] the entropy of row a mixed with row k of b, for each of `count` rows of b, which begin `stride`
 * numbers apart; all of them halves of rows whose sum is 1. They are those of hl_row_entropy_mixed but for 5e-14, as
 * their logarithm is a faster one (hl_log_near; hl_log_vector with AVX-512). */
void hl_row_entropies_mixed(const double *a, const double *b, int64_t stride, int64_t n, int64_t count, double *sums);

#endif
