/* Shapley values of games whose values are known, and the smallest set. */
#include "heads/all_subsets.h"

#include "tests/check_suite.h"

#include <math.h>
#include <stdbool.h>

TEST(of_one_head_it_is_the_whole_difference)
{
    double value;
    hl_shapley_values(1, (double[]){ 5, 2 }, &value);
    ck_assert_double_eq_tol(value, 3, 1e-15);
}

/* Each head takes a number of its own off the loss, whatever else is there. */
TEST(where_heads_only_add_up_each_is_worth_what_it_adds)
{
    enum { N = 5 };
    const double own[N] = { 1, 0, 2.5, -0.5, 4 };
    double losses[1 << N], values[N];
    for (uint32_t set = 0; set < 1 << N; set++) {
        losses[set] = 10;
        for (int i = 0; i < N; i++) {
            losses[set] -= set >> i & 1 ? own[i] : 0;
        }
    }
    hl_shapley_values(N, losses, values);
    for (int i = 0; i < N; i++) {
        ck_assert_double_eq_tol(values[i], own[i], 1e-13);
    }
}

/* Head 0 has the left glove, heads 1 and 2 have right ones; a pair is worth 6: 4 for the rare glove, 1 for each of the
 * others. */
TEST(a_game_known_from_textbooks)
{
    double losses[8], values[3];
    for (uint32_t set = 0; set < 8; set++) {
        losses[set] = (set & 1) != 0 && (set & 6) != 0 ? -6 : 0;
    }
    hl_shapley_values(3, losses, values);
    ck_assert_double_eq_tol(values[0], 4, 1e-14);
    ck_assert_double_eq_tol(values[1], 1, 1e-14);
    ck_assert_double_eq_tol(values[2], 1, 1e-14);
}

/* Losses that depend on how many heads there are: none is worth more than another; and a sum as promised for numbers
 * without any order. */
TEST(equal_heads_are_worth_the_same_and_all_sum_to_the_difference)
{
    enum { N = 11 };
    static double losses[1 << N];
    double values[N], sum = 0;
    for (uint32_t set = 0; set < 1 << N; set++) {
        losses[set] = exp(-__builtin_popcount(set));
    }
    hl_shapley_values(N, losses, values);
    for (int i = 0; i < N; i++) {
        ck_assert_double_eq_tol(values[i], (1 - exp(-N)) / N, 1e-14);
    }
    for (uint32_t set = 0; set < 1 << N; set++) {
        losses[set] = sin(set * set + 1.0);
    }
    hl_shapley_values(N, losses, values);
    for (int i = 0; i < N; i++) {
        sum += values[i];
    }
    ck_assert_double_eq_tol(sum, losses[0] - losses[(1 << N) - 1], 1e-12);
}

TEST(the_smallest_set_is_good_enough_and_the_best_of_its_size)
{
    /* all 0b111: 1.0; 0b011 and 0b110: 0.99, the second of less loss; 0b001: 0.98 */
    const double accuracies[8] = { 0, 0.98, 0, 0.99, 0, 0, 0.99, 1 };
    const double losses[8] = { 9, 1, 9, 3, 9, 9, 2, 1 };
    ck_assert_uint_eq(hl_smallest_set(3, losses, accuracies, 0.99), 6);
    ck_assert_uint_eq(hl_smallest_set(3, losses, accuracies, 0.98), 1);
    ck_assert_uint_eq(hl_smallest_set(3, losses, accuracies, 0.995), 7);
    ck_assert_uint_eq(hl_smallest_set(3, losses, accuracies, 0), 0);
}

SUITE("Shapley values")
