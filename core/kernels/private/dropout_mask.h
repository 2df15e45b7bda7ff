/* The random bits of dropout: 16 random bits a number, eight numbers a block of Philox. */
#ifndef HL_CORE_KERNELS_PRIVATE_DROPOUT_MASK_H
#define HL_CORE_KERNELS_PRIVATE_DROPOUT_MASK_H

#include "core/base/real.h"
#include "core/kernels/random.h"

#include <stdbool.h>

/* A drop probability as it is applied: `dropped` of 65536 draws drop, the others are multiplied by `scale` =
 * 65536 / (65536 - dropped), so that the expectation is exact. */
typedef struct hl_dropout_rate {
    uint32_t dropped;
    hl_real scale;
} hl_dropout_rate;

/* p in [0, 1), rounded to the next 65536th (at most 65535 of them). */
hl_dropout_rate hl_dropout_rate_of(hl_real p);

/* Numbers are drawn in groups of this many: those whose positions agree but for the remainder. */
enum { HL_DROPOUT_GROUP = 128 };

/* Draws of one stream. Starts with the first two fields set, the others zero; keeps the last group, so that draws in
 * the order of their positions draw no group twice. */
typedef struct hl_dropout_draws {
    hl_random random;
    hl_dropout_rate rate;
    bool has;
    uint64_t group; /* which it has */
    hl_real factors[HL_DROPOUT_GROUP];
} hl_dropout_draws;

/* m[i] = 0 where the number at position first + i drops, else the rate's scale, for i < n. A position's factor depends
 * on (random, position) alone. */
void hl_dropout_draw(hl_dropout_draws *draws, uint64_t first, int64_t n, hl_real *m);

/* Which random numbers each row of a tensor draws. Row r draws those of the place places[k] with k = rows[r] - base. If
 * `rows` is NULL, k = r; if `places` is NULL, the place is k itself. Not owned. */
typedef struct hl_dropout_places {
    const int64_t *places;
    const int32_t *rows;
    int32_t base;
} hl_dropout_places;

/* hl_dropout_draw for the numbers first .. first + n - 1 of a tensor (N, D): number d of a row with the place k has the
 * position k * D + d. */
void hl_dropout_draw_rows(hl_dropout_draws *draws, hl_dropout_places places, int64_t D, int64_t first, int64_t n,
                          hl_real *m);

#endif
