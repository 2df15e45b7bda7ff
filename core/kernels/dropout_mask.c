#include "core/kernels/private/dropout_mask.h"

#include <string.h>
#include <tgmath.h>

/* Sixteen blocks of Philox side by side, one per vector lane, make 128 draws of 16 bits. Draw 16 * d + l comes from
 * word d / 2, half d % 2, of block l. So neighbouring numbers lie in neighbouring lanes. */
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

void hl_dropout_draw(hl_dropout_draws *draws, uint64_t first, int64_t n, hl_real *m)
{
    while (n > 0) {
        uint64_t group = first / GROUP;
        int64_t from = (int64_t)(first % GROUP), here = n < GROUP - from ? n : GROUP - from;
        if (here == GROUP) {
            draw_group(draws->random, draws->rate, group, m);
        } else {
            if (!draws->has || draws->group != group) {
                draw_group(draws->random, draws->rate, group, draws->factors);
                draws->has = true;
                draws->group = group;
            }
            memcpy(m, draws->factors + from, (size_t)here * sizeof *m);
        }
        first += (uint64_t)here;
        m += here;
        n -= here;
    }
}

static int64_t place_of(const hl_dropout_places *places, int64_t row)
{
    int64_t k = places->rows != NULL ? places->rows[row] - places->base : row;
    return places->places != NULL ? places->places[k] : k;
}

void hl_dropout_draw_rows(hl_dropout_draws *draws, hl_dropout_places places, int64_t D, int64_t first, int64_t n,
                          hl_real *m)
{
    if (places.places == NULL && places.rows == NULL) {
        hl_dropout_draw(draws, (uint64_t)first, n, m);
        return;
    }
    while (n > 0) { /* rows with consecutive numbers in `places` are drawn together */
        int64_t row = first / D, column = first % D, run = D - column;
        int64_t place = place_of(&places, row), next = place;
        for (row++; run < n && place_of(&places, row) == ++next; row++) {
            run += D;
        }
        run = run < n ? run : n;
        hl_dropout_draw(draws, (uint64_t)(place * D + column), run, m);
        first += run;
        m += run;
        n -= run;
    }
}
