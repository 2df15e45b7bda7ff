/* The random bits of dropout: 16 random bits a number, eight numbers a block of Philox. */
#ifndef HL_CORE_PRIVATE_DROPOUT_MASK_H
#define HL_CORE_PRIVATE_DROPOUT_MASK_H

#include "core/declarations.h"
#include "core/random.h"
#include "core/real.h"

HL_BEGIN_DECLS

/* A drop probability as it is applied: `dropped` of 65536 draws drop, the others are multiplied by `scale` =
 * 65536 / (65536 - dropped), so that the expectation is exact. */
typedef struct hl_dropout_rate {
    uint32_t dropped;
    hl_real scale;
} hl_dropout_rate;

/* p in [0, 1), rounded to the next 65536th (at most 65535 of them). */
hl_dropout_rate hl_dropout_rate_of(hl_real p);

/* Numbers are drawn in groups of this many; a call that begins at a multiple of it costs half as much. */
enum { HL_DROPOUT_GROUP = 128 };

/* m[i] = 0 where the number at position first + i drops, else the rate's scale, for i < n <= HL_DROPOUT_GROUP. A
 * position's factor depends on (random, position) alone. */
void hl_dropout_factors(hl_random random, hl_dropout_rate rate, uint64_t first, int n, hl_real m[HL_DROPOUT_GROUP]);

HL_END_DECLS

#endif
