#include "data/permute.h"

#include "tests/check_suite.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void check_bijection(uint64_t seed, int64_t pass, int64_t n)
{
    bool *seen = calloc((size_t)n, sizeof *seen);
    ck_assert_ptr_nonnull(seen);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = hl_permute(seed, pass, n, i);
        ck_assert_msg(at >= 0 && at < n && !seen[at], "n %lld, i %lld: %lld", (long long)n, (long long)i,
                      (long long)at);
        seen[at] = true;
    }
    free(seen);
}

TEST(every_number_comes_once)
{
    for (int64_t n = 1; n <= 300; n++) {
        check_bijection(7, n % 5, n);
    }
    static const int64_t sizes[] = { 1023, 1024, 1025, 4095, 4096, 4097, 16385, 65537, 100003 };
    for (int s = 0; s < ROWS(sizes); s++) {
        check_bijection(UINT64_MAX - s, UINT32_MAX, sizes[s]);
    }
}

TEST(the_largest_numbers_stay_in_range)
{
    const int64_t n = (int64_t)1 << 62;
    int64_t largest = 0;
    for (int64_t i = 0; i < 100; i++) {
        int64_t at = hl_permute(1, 0, n, n - 1 - i), odd = hl_permute(1, 0, n / 2 + 1, n / 2 - i);
        ck_assert(at >= 0 && at < n && odd >= 0 && odd <= n / 2);
        largest = at > largest ? at : largest;
    }
    ck_assert_int_gt(largest, n / 2);
}

/* The order of n examples as a number from 0 to n! - 1. */
static int code_of(int64_t pass, int n)
{
    int64_t order[8];
    int code = 0;
    for (int i = 0; i < n; i++) {
        order[i] = hl_permute(3, pass, n, i);
    }
    for (int i = 0; i < n; i++) {
        int smaller = 0;
        for (int j = i + 1; j < n; j++) {
            smaller += order[j] < order[i];
        }
        code = code * (n - i) + smaller;
    }
    return code;
}

/* chi2 of counts that should all be `expected`, less its mean, in units of its standard deviation. */
static double excess(const int *counts, int n, double expected)
{
    double chi2 = 0;
    for (int i = 0; i < n; i++) {
        chi2 += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
    return (chi2 - (n - 1)) / sqrt(2.0 * (n - 1));
}

TEST(no_order_of_few_is_likelier_than_another)
{
    static int counts[120];
    for (int n = 2, orders = 2; n <= 5; orders *= ++n) {
        memset(counts, 0, sizeof counts);
        for (int64_t pass = 0; pass < 100 * orders; pass++) {
            counts[code_of(pass, n)]++;
        }
        ck_assert_msg(fabs(excess(counts, orders, 100)) < 4, "n %d: %f", n, excess(counts, orders, 100));
    }
}

/* Where the first and the following of 1,000 go, over passes and over seeds: evenly, and not beside each other. */
TEST(places_are_spread_and_neighbours_part)
{
    enum { N = 1000, CELLS = 50, PASSES = 4000 };
    for (int over_seeds = 0; over_seeds < 2; over_seeds++) {
        int place[CELLS] = { 0 }, distance[CELLS] = { 0 }, fixed = 0;
        for (int64_t p = 0; p < PASSES; p++) {
            uint64_t seed = over_seeds ? (uint64_t)p : 11;
            int64_t pass = over_seeds ? 0 : p, i = p % (N - 1);
            int64_t a = hl_permute(seed, pass, N, i), b = hl_permute(seed, pass, N, i + 1);
            place[a * CELLS / N]++;
            distance[((b - a + N) % N - 1) * CELLS / (N - 1)]++;
            fixed += a == i;
        }
        ck_assert_msg(fabs(excess(place, CELLS, (double)PASSES / CELLS)) < 4, "places");
        ck_assert_msg(fabs(excess(distance, CELLS, (double)PASSES / CELLS)) < 4, "distances");
        ck_assert_int_le(fixed, 16); /* 4 are expected */
    }
}

TEST(passes_and_seeds_differ_and_nothing_else_decides)
{
    int same_pass = 0, same_seed = 0;
    for (int64_t i = 0; i < 1000; i++) {
        int64_t at = hl_permute(5, 1, 1000, i);
        same_pass += at == hl_permute(5, 2, 1000, i);
        same_seed += at == hl_permute(6, 1, 1000, i);
        ck_assert_int_eq(at, hl_permute(5, 1, 1000, i));
    }
    ck_assert_int_le(same_pass, 6);
    ck_assert_int_le(same_seed, 6);
    /* Runs are resumed with the order that they began with: these never change. */
    ck_assert_int_eq(hl_permute(1, 0, 10, 0), 5);
    ck_assert_int_eq(hl_permute(1, 2, 1000000, 3), 29436);
}

SUITE("permute")
