/* The random bits of dropout, 16 random bits a number, eight numbers a block of Philox. */
#ifndef HL_CORE_DROPOUT_MASK_H
#define HL_CORE_DROPOUT_MASK_H

#include "core/random.h"
#include "core/real.h"

#include <stdbool.h>
#include <stdint.h>

/* A drop probability as it is applied: `dropped` of 65536 draws drop, the others are multiplied by `scale` =
 * 65536 / (65536 - dropped), so that the expectation is exact. */
typedef struct hl_dropout_rate {
    uint32_t dropped;
    hl_real scale;
} hl_dropout_rate;

/* p in [0, 1), rounded to the next 65536th (at most 65535 of them). */
hl_dropout_rate hl_dropout_rate_of(hl_real p);

/* y[i] = x[i] * scale and kept[i] = 1 where the number at position first + i stays, both 0 where it drops, for i < count. x
 * and y may be the same. A position's fate depends on (random, position) alone. */
void hl_dropout_apply(hl_random random, hl_dropout_rate rate, uint64_t first, int64_t count, const hl_real *x,
                      hl_real *y, uint8_t *kept);

/* The same once more, for the way back: y[i] = (or, `add`, +=) x[i] * scale where kept[i] is 1, 0 where it is 0. */
void hl_dropout_repeat(const uint8_t *kept, hl_real scale, int64_t count, const hl_real *x, hl_real *y, bool add);

#endif
