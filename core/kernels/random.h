/* Counter-based random numbers: Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3").
 *
 * A number is a pure function of (seed, stream, step, position). There is no state to save or lose. A run that is
 * resumed at any step draws the same numbers, and so does a run on any number of threads.
 *
 * The key is the seed. The counter consists of position (low 64 bits), step (32 bits) and stream (high 32 bits). One
 * call of the generator yields four words, so position p of a scalar draw is word p % 4 of block p / 4. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/real.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* Selects the numbers: a seed, a use of the seed (see hl_random_stream) and a step. */
typedef struct hl_random {
    uint64_t seed;
    uint32_t stream;
    uint32_t step;
} hl_random;

/* The generator itself: ten rounds over `counter` with `key`, four words into `out`. */
void hl_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* The stream of a use, computed from its name ("init encoder.layers.0.linear1.weight") by 32-bit FNV-1a. So every
 * parameter and every dropout has its own random numbers, which do not change when the model grows. */
uint32_t hl_random_stream(const char *use);

/* The four words of block number `block`: positions 4 * block ... 4 * block + 3. */
void hl_random_block(hl_random random, uint64_t block, uint32_t out[4]);

/* Blocks first ... first + 15 at once; word w of block first + l is words[w][l]. Compilers turn this into vector
 * code. */
enum { HL_RANDOM_LANES = 16 };
void hl_random_blocks(hl_random random, uint64_t first, uint32_t words[4][HL_RANDOM_LANES]);

/* The word at `position`. */
uint32_t hl_random_word(hl_random random, uint64_t position);

/* Uniform in [0, bound), without bias (Lemire 2019: multiply, and reject words in the short remainder). Each draw uses
 * block number `position`; after a rejection, it uses blocks that follow at distances of 2^56. position < 2^56, bound
 * >= 1. */
uint32_t hl_random_below(hl_random random, uint64_t position, uint32_t bound);

/* numbers[i] = hl_random_below(random, position + i, bound) for i < n, bound <= 2^31. Drawing many at once takes a
 * fraction of the time. */
void hl_random_below_each(hl_random random, uint64_t position, uint32_t bound, int64_t n, int32_t *numbers);

/* Uniform in [0, 1) with 24 (float) or 32 (double) random bits. */
hl_real hl_random_uniform(hl_random random, uint64_t position);

/* Standard normal, by Box and Muller's method, from the words at 2 * position and 2 * position + 1. Computed in double
 * and rounded. */
hl_real hl_random_normal(hl_random random, uint64_t position);

HL_END_DECLS
