#include "core/dropout_mask.h"

#include <string.h>
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

/* Which of a group's positions stay. */
static void draw_group(hl_random random, hl_dropout_rate rate, uint64_t group, uint8_t kept[GROUP])
{
    uint32_t words[4][LANES];
    hl_random_blocks(random, group * LANES, words);
    for (int w = 0; w < 4; w++) {
        uint8_t *low = kept + 2 * w * LANES, *high = low + LANES;
#pragma omp simd
        for (int l = 0; l < LANES; l++) {
            low[l] = (words[w][l] & 0xffff) >= rate.dropped;
            high[l] = (words[w][l] >> 16) >= rate.dropped;
        }
    }
}

void hl_dropout_repeat(const uint8_t *kept, hl_real scale, int64_t count, const hl_real *x, hl_real *y, bool add)
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        hl_real dropped = x[i] * ((hl_real)kept[i] * scale);
        y[i] = add ? y[i] + dropped : dropped;
    }
}

void hl_dropout_apply(hl_random random, hl_dropout_rate rate, uint64_t first, int64_t count, const hl_real *x,
                      hl_real *y, uint8_t *kept)
{
    uint8_t group[GROUP];
    int64_t i = 0;
    while (i < count) {
        uint64_t position = first + (uint64_t)i;
        int64_t from = (int64_t)(position % GROUP);
        int64_t n = GROUP - from < count - i ? GROUP - from : count - i;
        draw_group(random, rate, position / GROUP, group);
        memcpy(kept + i, group + from, (size_t)n);
        hl_dropout_repeat(kept + i, rate.scale, n, x + i, y + i, false);
        i += n;
    }
}
