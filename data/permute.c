#include "data/permute.h"

#include "core/kernels/random.h"

#include <assert.h>

/* A Feistel network permutes the numbers of 2 * bits bits for any round function: each round adds a random function of
 * one half to the other, which can be undone. Halves of one or two bits reach only some of all permutations, for any
 * number of rounds. With three bits and six rounds, no order of up to six examples is more likely than another. */
enum { ROUNDS = 6, LEAST_BITS = 3 };

static uint64_t scrambled(hl_random random, int bits, uint64_t value)
{
    uint64_t mask = ((uint64_t)1 << bits) - 1, left = value >> bits, right = value & mask;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint32_t words[4];
        hl_random_block(random, round << 32 | right, words);
        uint64_t sum = left ^ (words[0] & mask);
        left = right;
        right = sum;
    }
    return left << bits | right;
}

int64_t hl_permute(uint64_t seed, int64_t pass, int64_t n, int64_t i)
{
    assert(0 <= i && i < n && n <= (int64_t)1 << 62 && 0 <= pass && pass <= UINT32_MAX);
    int bits = LEAST_BITS;
    while (bits < 31 && n > (int64_t)1 << 2 * bits) {
        bits++;
    }
    hl_random random = { .seed = seed, .stream = hl_random_stream("order of examples"), .step = (uint32_t)pass };
    /* The domain has more numbers than n, usually up to four times as many. From a number outside 0 .. n - 1, walk on
     * along its cycle. It comes back to a number inside, at the latest to i. */
    uint64_t at = (uint64_t)i;
    do {
        at = scrambled(random, bits, at);
    } while (at >= (uint64_t)n);
    return (int64_t)at;
}
