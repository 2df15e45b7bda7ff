/* Products of linear maps in bf16: factors rounded to 8 bits of precision and the range of float, sums in float.
 *
 * A matrix whose tensor has `bf16` set (tensor.h) is multiplied so by core/ops/linear.h: both factors are rounded to
 * the nearest bf16, ties to even, and AVX512-BF16 adds their products in float. Let S be the sum of the magnitudes of
 * the products. Compared with exact arithmetic, b + a sum of K products is off by at most
 *   (2^-7 + 2^-16) S + K 2^-23 (|b| + S) + K 2^-126:
 * each factor by 2^-8 of itself, each addition by 2^-23 of the sum. The instruction takes factors, products and sums
 * below 2^-126 for 0. What is not finite stays so, and a finite number above 3.3895e38 becomes infinite. */
#ifndef HL_CORE_KERNELS_BF16_H
#define HL_CORE_KERNELS_BF16_H

#include "core/base/declarations.h"

HL_BEGIN_DECLS

/* Why this build cannot multiply so on this machine, as "this CPU has no AVX512-BF16"; NULL where it can. */
const char *hl_bf16_missing(void);

HL_END_DECLS

#endif
