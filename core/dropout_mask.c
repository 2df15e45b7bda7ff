#include "core/dropout_mask.h"

#include <tgmath.h>

enum { DRAWS_A_BLOCK = 8, DRAWS = 65536 };

hl_dropout_rate hl_dropout_rate_of(hl_real p)
{
    long dropped = lround(p * DRAWS);
    if (dropped >= DRAWS) {
        dropped = DRAWS - 1;
    }
    return (hl_dropout_rate){ .dropped = (uint32_t)dropped, .scale = (hl_real)DRAWS / (hl_real)(DRAWS - dropped) };
}

/* The factors, 0 or scale, of the eight positions of a block. */
static void block_factors(hl_random random, hl_dropout_rate rate, uint64_t block, hl_real factors[DRAWS_A_BLOCK])
{
    uint32_t words[4];
    hl_random_block(random, block, words);
    for (int i = 0; i < 4; i++) {
        factors[2 * i] = (words[i] & 0xffff) < rate.dropped ? 0 : rate.scale;
        factors[2 * i + 1] = (words[i] >> 16) < rate.dropped ? 0 : rate.scale;
    }
}

void hl_dropout_apply(hl_random random, hl_dropout_rate rate, uint64_t first, int64_t count, const hl_real *x,
                      hl_real *y, bool add)
{
    hl_real factors[DRAWS_A_BLOCK];
    int64_t i = 0;
    while (i < count) {
        uint64_t position = first + (uint64_t)i;
        int64_t lane = (int64_t)(position % DRAWS_A_BLOCK);
        int64_t n = DRAWS_A_BLOCK - lane < count - i ? DRAWS_A_BLOCK - lane : count - i;
        block_factors(random, rate, position / DRAWS_A_BLOCK, factors);
        for (int64_t j = 0; j < n; j++) {
            hl_real dropped = x[i + j] * factors[lane + j];
            y[i + j] = add ? y[i + j] + dropped : dropped;
        }
        i += n;
    }
}
