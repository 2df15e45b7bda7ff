/* The entropy of a row of weights in vector code: the inner loop of several metrics. */
#ifndef HL_HEADS_PRIVATE_ROW_ENTROPY_H
#define HL_HEADS_PRIVATE_ROW_ENTROPY_H

#include "core/declarations.h"
#include "core/real.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* -sum_j a_j ln a_j over the first n weights, nats, with 0 ln 0 = 0; added in a fixed order. */
double hl_row_entropy(const hl_real *a, int64_t n);

/* The same for the row (a_j + b_j) / 2; a has n_a weights and b has n_b, and missing weights count as 0. Where a is b,
 * the result is the row's entropy to the last bit. */
double hl_row_entropy_mixed(const hl_real *a, int64_t n_a, const hl_real *b, int64_t n_b);

HL_END_DECLS

#endif
