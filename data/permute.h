/* The order of examples: a seeded permutation, computed for one index at a time, without a table. */
#pragma once

#include "core/base/declarations.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* The i-th of the numbers 0 .. n - 1, in an order that depends on the seed and the pass. For fixed (seed, pass, n) it
 * is a bijection of 0 .. n - 1, and each pass has another one. A pure function, safe on any thread; cannot fail. 0 <= i
 * < n <= 2^62, 0 <= pass < 2^32. Training example k is number hl_permute(seed, k / n, n, k % n). */
int64_t hl_permute(uint64_t seed, int64_t pass, int64_t n, int64_t i);

HL_END_DECLS
