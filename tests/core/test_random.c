#include "core/kernels/random.h"
#include "tests/check_suite.h"

#include <math.h>
#include <string.h>

/* Known answers of the Random123 distribution (kat_vectors, philox4x32 10). */
LOOP_TEST(philox_gives_the_known_answers, 0, 3)
{
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
        { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
          { 0xffffffff, 0xffffffff },
          { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
        { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
          { 0xa4093822, 0x299f31d0 },
          { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
    };
    uint32_t out[4];
    hl_philox(known[_i].counter, known[_i].key, out);
    ck_assert_mem_eq(out, known[_i].out, sizeof out);
}

TEST(a_word_is_its_place_in_its_block_and_depends_on_every_coordinate)
{
    hl_random random = { .seed = 7, .stream = 3, .step = 11 };
    uint32_t block[4];
    hl_random_block(random, 5, block);
    for (uint64_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(hl_random_word(random, 20 + i), block[i]);
    }
    hl_random others[] = { { 8, 3, 11 }, { 7, 4, 11 }, { 7, 3, 12 }, { 7 + ((uint64_t)1 << 32), 3, 11 } };
    for (int i = 0; i < 4; i++) {
        ck_assert_uint_ne(hl_random_word(others[i], 20), block[0]);
    }
}

TEST(sixteen_blocks_at_once_are_the_same_blocks)
{
    hl_random random = { .seed = (uint64_t)5 << 33 | 7, .stream = 3, .step = 11 };
    static const uint64_t firsts[] = { 0, 1, 1000, UINT32_MAX - 5, (uint64_t)1 << 40 };
    for (int i = 0; i < 5; i++) {
        uint32_t words[4][HL_RANDOM_LANES], block[4];
        hl_random_blocks(random, firsts[i], words);
        for (int l = 0; l < HL_RANDOM_LANES; l++) {
            hl_random_block(random, firsts[i] + (uint64_t)l, block);
            for (int w = 0; w < 4; w++) {
                ck_assert_uint_eq(words[w][l], block[w]);
            }
        }
    }
}

TEST(below_is_in_range_and_even)
{
    hl_random random = { .seed = 1, .stream = 2 };
    int seen[7] = { 0 };
    for (uint64_t i = 0; i < 70000; i++) {
        uint32_t x = hl_random_below(random, i, 7);
        ck_assert_uint_lt(x, 7);
        seen[x]++;
    }
    for (int i = 0; i < 7; i++) {
        ck_assert_int_gt(seen[i], 9600); /* 10000 expected, standard deviation 93 */
        ck_assert_int_lt(seen[i], 10400);
    }
    ck_assert_uint_eq(hl_random_below(random, 0, 1), 0);
    /* Where half of all words must be rejected, the results are still spread over the whole range. */
    uint32_t bound = 0x80000001u, high = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        uint32_t x = hl_random_below(random, i, bound);
        ck_assert_uint_lt(x, bound);
        high += x >= bound / 2;
    }
    ck_assert_uint_gt(high, 400);
    ck_assert_uint_lt(high, 600);
}

TEST(numbers_below_drawn_at_once_are_those_drawn_one_by_one)
{
    static const uint32_t bounds[] = { 1, 2, 13, 0x60000000u, 0x80000000u };
    hl_random random = { .seed = 3, .stream = 5, .step = 7 };
    for (int i = 0; i < 5 * 50; i++) {
        int n = i / 5;
        int32_t numbers[51];
        numbers[n] = -1;
        hl_random_below_each(random, (uint64_t)n * 1000, bounds[i % 5], n, numbers);
        for (int j = 0; j < n; j++) {
            ck_assert_int_eq(numbers[j], (int32_t)hl_random_below(random, (uint64_t)(n * 1000 + j), bounds[i % 5]));
        }
        ck_assert_int_eq(numbers[n], -1);
    }
}

TEST(uniform_and_normal_have_their_moments)
{
    hl_random random = { .seed = 42, .stream = 9 };
    enum { N = 200000 };
    double sum = 0, squares = 0, normal_sum = 0, normal_squares = 0;
    for (uint64_t i = 0; i < N; i++) {
        double u = (double)hl_random_uniform(random, i);
        ck_assert(u >= 0 && u < 1);
        sum += u;
        squares += u * u;
        double z = (double)hl_random_normal(random, i);
        ck_assert(isfinite(z));
        normal_sum += z;
        normal_squares += z * z;
    }
    ck_assert_double_eq_tol(sum / N, 0.5, 0.004);
    ck_assert_double_eq_tol(squares / N, 1.0 / 3, 0.004);
    ck_assert_double_eq_tol(normal_sum / N, 0, 0.012);
    ck_assert_double_eq_tol(normal_squares / N, 1, 0.02);
}

TEST(streams_are_fnv_1a_of_the_name)
{
    ck_assert_uint_eq(hl_random_stream(""), 0x811c9dc5);
    ck_assert_uint_eq(hl_random_stream("a"), 0xe40c292c);
    ck_assert_uint_eq(hl_random_stream("foobar"), 0xbf9cf968);
}

SUITE("random")
