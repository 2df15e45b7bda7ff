#include "core/private/dropout_mask.h"

#include <string.h>
#include <tgmath.h>

/* Sixteen blocks of Philox side by side, one a vector lane, make 128 draws of 16 bits: draw 16 * d + l comes from word
 * d / 2, half d % 2, of block l, so that neighbouring numbers lie in neighbouring lanes. */
enum { LANES = HL_RANDOM_LANES, GROUP = HL_DROPOUT_GROUP, DRAWS = 65536 };

hl_dropout_rate hl_dropout_rate_of(hl_real p)
{
    long dropped = lround(p * DRAWS);
    if (dropped >= DRAWS) {
        dropped = DRAWS - 1;
    }
    return (hl_dropout_rate){ .dropped = (uint32_t)dropped, .scale = (hl_real)DRAWS / (hl_real)(DRAWS - dropped) };
}

static void draw_group(hl_random random, hl_dropout_rate rate, uint64_t group, hl_real m[GROUP])
{
    uint32_t words[4][LANES];
    hl_random_blocks(random, group * LANES, words);
    for (int w = 0; w < 4; w++) {
        hl_real *low = m + 2 * w * LANES, *high = low + LANES;
#pragma omp simd
        for (int l = 0; l < LANES; l++) {
            low[l] = (words[w][l] & 0xffff) >= rate.dropped ? rate.scale : 0;
            high[l] = (words[w][l] >> 16) >= rate.dropped ? rate.scale : 0;
        }
    }
}

void hl_dropout_factors(hl_random random, hl_dropout_rate rate, uint64_t first, int n, hl_real m[HL_DROPOUT_GROUP])
{
    int from = (int)(first % GROUP);
    draw_group(random, rate, first / GROUP, m);
    if (from > 0) {
        int here = n < GROUP - from ? n : GROUP - from;
        memmove(m, m + from, (size_t)here * sizeof *m);
        if (here < n) {
            hl_real next[GROUP];
            draw_group(random, rate, first / GROUP + 1, next);
            memcpy(m + here, next, (size_t)(n - here) * sizeof *m);
        }
    }
}
