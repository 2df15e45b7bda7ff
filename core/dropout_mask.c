#include "core/dropout_mask.h"

#include <tgmath.h>

/* Sixteen blocks of Philox side by side, one a vector lane, make 128 draws of 16 bits: draw 16 * d + l comes from word
 * d / 2, half d % 2, of block l, so that neighbouring numbers lie in neighbouring lanes. */
enum { LANES = HL_RANDOM_LANES, DRAWS_A_LANE = 8, GROUP = LANES * DRAWS_A_LANE, DRAWS = 65536 };

hl_dropout_rate hl_dropout_rate_of(hl_real p)
{
    long dropped = lround(p * DRAWS);
    if (dropped >= DRAWS) {
        dropped = DRAWS - 1;
    }
    return (hl_dropout_rate){ .dropped = (uint32_t)dropped, .scale = (hl_real)DRAWS / (hl_real)(DRAWS - dropped) };
}

/* The factors, 0 or scale, of the positions of a group. */
static void group_factors(hl_random random, hl_dropout_rate rate, uint64_t group, hl_real factors[GROUP])
{
    uint32_t words[4][LANES];
    hl_random_blocks(random, group * LANES, words);
    for (int w = 0; w < 4; w++) {
        hl_real *low = factors + 2 * w * LANES, *high = low + LANES;
#pragma omp simd
        for (int l = 0; l < LANES; l++) {
            low[l] = (words[w][l] & 0xffff) < rate.dropped ? 0 : rate.scale;
            high[l] = (words[w][l] >> 16) < rate.dropped ? 0 : rate.scale;
        }
    }
}

void hl_dropout_apply(hl_random random, hl_dropout_rate rate, uint64_t first, int64_t count, const hl_real *x,
                      hl_real *y, bool add)
{
    hl_real factors[GROUP];
    int64_t i = 0;
    while (i < count) {
        uint64_t position = first + (uint64_t)i;
        int64_t from = (int64_t)(position % GROUP);
        int64_t n = GROUP - from < count - i ? GROUP - from : count - i;
        group_factors(random, rate, position / GROUP, factors);
#pragma omp simd
        for (int64_t j = 0; j < n; j++) {
            hl_real dropped = x[i + j] * factors[from + j];
            y[i + j] = add ? y[i + j] + dropped : dropped;
        }
        i += n;
    }
}
