#include "core/kernels/random.h"

#include <math.h>
#include <stdbool.h>

/* Constants of Salmon et al. 2011, table 2: two multipliers, and the Weyl increments (golden ratio, sqrt(3) - 1). */
static const uint32_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
static const uint32_t weyl_0 = 0x9E3779B9, weyl_1 = 0xBB67AE85;

void hl_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t product_0 = (uint64_t)multiplier_0 * c0;
        uint64_t product_1 = (uint64_t)multiplier_1 * c2;
        c0 = (uint32_t)(product_1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)product_1;
        c2 = (uint32_t)(product_0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)product_0;
        k0 += weyl_0;
        k1 += weyl_1;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

uint32_t hl_random_stream(const char *use)
{
    uint32_t hash = 2166136261u;
    for (const char *c = use; *c != '\0'; c++) {
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    }
    return hash;
}

void hl_random_block(hl_random random, uint64_t block, uint32_t out[4])
{
    const uint32_t counter[4] = { (uint32_t)block, (uint32_t)(block >> 32), random.step, random.stream };
    const uint32_t key[2] = { (uint32_t)random.seed, (uint32_t)(random.seed >> 32) };
    hl_philox(counter, key, out);
}

void hl_random_blocks(hl_random random, uint64_t first, uint32_t words[4][HL_RANDOM_LANES])
{
    const uint32_t key_0 = (uint32_t)random.seed, key_1 = (uint32_t)(random.seed >> 32);
    /* Each word lies in a lane of 64 bits, whose upper half does not matter, so products need no shuffling. All rounds
     * of a lane run in registers. */
#pragma omp simd
    for (int l = 0; l < HL_RANDOM_LANES; l++) {
        uint64_t block = first + (uint64_t)l;
        uint64_t c0 = block, c1 = block >> 32, c2 = random.step, c3 = random.stream;
#pragma GCC unroll 10
        for (uint32_t round = 0; round < 10; round++) {
            uint64_t product_0 = (uint64_t)multiplier_0 * (uint32_t)c0;
            uint64_t product_1 = (uint64_t)multiplier_1 * (uint32_t)c2;
            c0 = product_1 >> 32 ^ c1 ^ (key_0 + round * weyl_0);
            c1 = product_1;
            c2 = product_0 >> 32 ^ c3 ^ (key_1 + round * weyl_1);
            c3 = product_0;
        }
        words[0][l] = (uint32_t)c0;
        words[1][l] = (uint32_t)c1;
        words[2][l] = (uint32_t)c2;
        words[3][l] = (uint32_t)c3;
    }
}

uint32_t hl_random_word(hl_random random, uint64_t position)
{
    uint32_t block[4];
    hl_random_block(random, position / 4, block);
    return block[position % 4];
}

uint32_t hl_random_below(hl_random random, uint64_t position, uint32_t bound)
{
    /* A word below `floor` would make some results more likely than others. It is rejected, and the next word of the
     * block is used, then the words of blocks at further distances of 2^56. */
    uint32_t floor = (uint32_t)-bound % bound;
    for (uint64_t block = position;; block += (uint64_t)1 << 56) {
        uint32_t words[4];
        hl_random_block(random, block, words);
        for (int i = 0; i < 4; i++) {
            uint64_t product = (uint64_t)words[i] * bound;
            if ((uint32_t)product >= floor) {
                return (uint32_t)(product >> 32);
            }
        }
    }
}

void hl_random_below_each(hl_random random, uint64_t position, uint32_t bound, int64_t n, int32_t *numbers)
{
    uint32_t floor = (uint32_t)-bound % bound;
    for (int64_t i = 0; i < n; i += HL_RANDOM_LANES) {
        int here = n - i < HL_RANDOM_LANES ? (int)(n - i) : HL_RANDOM_LANES;
        uint32_t words[4][HL_RANDOM_LANES];
        hl_random_blocks(random, position + (uint64_t)i, words);
        for (int l = 0; l < here; l++) {
            uint64_t product = (uint64_t)words[0][l] * bound;
            bool accepted = (uint32_t)product >= floor;
            numbers[i + l] = (int32_t)(accepted ? (uint32_t)(product >> 32)
                                                : hl_random_below(random, position + (uint64_t)(i + l), bound));
        }
    }
}

hl_real hl_random_uniform(hl_random random, uint64_t position)
{
    uint32_t word = hl_random_word(random, position);
#ifdef HL_DOUBLE
    return word * 0x1p-32;
#else
    return (float)(word >> 8) * 0x1p-24f;
#endif
}

hl_real hl_random_normal(hl_random random, uint64_t position)
{
    uint32_t block[4]; /* holds the words 2 * position and 2 * position + 1 */
    hl_random_block(random, position / 2, block);
    const uint32_t *words = block + 2 * (position % 2);
    double u = (words[0] + 1.0) * 0x1p-32; /* in (0, 1], so that its logarithm exists */
    double v = words[1] * 0x1p-32;
    return (hl_real)(sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v));
}
