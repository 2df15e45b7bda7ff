/* Products of linear maps in bf16: the factors are rounded to 8 bits of precision with float's range, and the sums are
 * in float.
 *
 * core/ops/linear.h multiplies by a matrix in this way if its tensor has `bf16` set (tensor.h). Both factors are
 * rounded to the nearest bf16, ties to even, and AVX512-BF16 adds their products in float. Let S be the sum of the
 * magnitudes of the products. Compared with exact arithmetic, b + a sum of K products has an error of at most
 *   (2^-7 + 2^-16) S + K 2^-23 (|b| + S) + K 2^-126:
 * 2^-8 of each factor, and 2^-23 of the sum for each addition. The instruction treats factors, products and sums below
 * 2^-126 as 0. Numbers that are not finite stay so, and a finite number above 3.3895e38 becomes infinite. */
#pragma once

#include "core/base/declarations.h"

HL_BEGIN_DECLS

/* Why this build cannot multiply in bf16 on this machine, such as "this CPU has no AVX512-BF16"; NULL if it can. */
const char *hl_bf16_missing(void);

HL_END_DECLS
