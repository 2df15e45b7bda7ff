/* The random bits of dropout: 16 bits per number, eight numbers per block of Philox. */
#pragma once

#include "core/base/real.h"
#include "core/kernels/random.h"

#include <stdbool.h>

/* A drop probability as it is applied: `dropped` out of 65536 possible draws drop the number. The other draws multiply
 * it by `scale` = 65536 / (65536 - dropped), so that the expectation is exact. */
typedef struct hl_dropout_rate {
    uint32_t dropped;
    hl_real scale;
} hl_dropout_rate;

/* p in [0, 1), rounded to the nearest multiple of 1 / 65536 (at most 65535 of them). */
hl_dropout_rate hl_dropout_rate_of(hl_real p);

/* Numbers are drawn in groups of this size. A group contains all positions with the same position /
 * HL_DROPOUT_GROUP. */
enum { HL_DROPOUT_GROUP = 128 };

/* Draws from one stream. Set the first two fields and zero the others. It keeps the last group, so that draws in the
 * order of their positions draw no group twice. */
typedef struct hl_dropout_draws {
    hl_random random;
    hl_dropout_rate rate;
    bool has;
    uint64_t group; /* the group that it keeps, if `has` */
    hl_real factors[HL_DROPOUT_GROUP];
} hl_dropout_draws;

/* m[i] = 0 if the number at position first + i is dropped, otherwise the rate's scale, for i < n. The factor at a
 * position depends on (random, position) alone. */
void hl_dropout_draw(hl_dropout_draws *draws, uint64_t first, int64_t n, hl_real *m);

/* Which random numbers each row of a tensor draws. Row r draws with the number places[k], where k = rows[r] - base. If
 * `rows` is NULL, k = r; if `places` is NULL, the number is k itself. Not owned. */
typedef struct hl_dropout_places {
    const int64_t *places;
    const int32_t *rows;
    int32_t base;
} hl_dropout_places;

/* hl_dropout_draw for the numbers first .. first + n - 1 of a tensor (N, D): column d of a row with the number k has
 * the position k * D + d. */
void hl_dropout_draw_rows(hl_dropout_draws *draws, hl_dropout_places places, int64_t D, int64_t first, int64_t n,
                          hl_real *m);
