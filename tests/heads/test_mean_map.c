#include "heads/mean_map.h"
#include "tests/check_suite.h"
#include "tests/heads/made_up.h"

enum { T = 3 };

static made_up made;

/* Five examples: of example e every weight is e + i / 10 + j / 100. */
static hl_patterns make(void)
{
    made = made_up_empty(5, T, false);
    for (int e = 0; e < 5; e++) {
        for (int i = 0; i < T; i++) {
            for (int j = 0; j < T; j++) {
                *made_up_at(&made, e, i, j) = (hl_real)e + (hl_real)i / 10 + (hl_real)j / 100;
            }
        }
    }
    return made_up_patterns(&made);
}

TEST(of_one_length_the_scoring_ones_are_shown)
{
    hl_patterns all = make(), shown = hl_patterns_shown(&all);
    ck_assert_int_eq(shown.n_examples, 2); /* 1 and 3 */
    ck_assert_ptr_eq(hl_patterns_at(&shown, 0).weights, made_up_at(&made, 1, 0, 0));
    ck_assert_ptr_eq(hl_patterns_at(&shown, 1).weights, made_up_at(&made, 3, 0, 0));
    hl_real mean[T * T];
    hl_patterns_mean(&shown, mean);
    for (int i = 0; i < T * T; i++) {
        int row = i / T, column = i % T;
        ck_assert_double_eq_tol((double)mean[i], 2 + row / 10.0 + column / 100.0, 1e-6);
    }
}

TEST(of_several_lengths_the_first_longest_is_shown)
{
    hl_patterns all = make();
    static const int32_t lengths[] = { 1, 2, 2, 1, 2 };
    for (int e = 0; e < 5; e++) {
        made.lengths[e] = lengths[e];
    }
    all = made_up_patterns(&made);
    hl_patterns shown = hl_patterns_shown(&all);
    ck_assert_int_eq(shown.n_examples, 1);
    ck_assert_int_eq(shown.first, 1);
    hl_real mean[4];
    hl_patterns_mean(&shown, mean); /* (2, 2), of weights three apart */
    static const double expected[] = { 1, 1.01, 1.1, 1.11 };
    for (int i = 0; i < 4; i++) {
        ck_assert_double_eq_tol((double)mean[i], expected[i], 1e-6);
    }
}

TEST(lengths_of_choosing_examples_do_not_count)
{
    hl_patterns all = make();
    made.lengths[0] = made.lengths[2] = made.lengths[4] = 1;
    all = made_up_patterns(&made);
    ck_assert_int_eq(hl_patterns_shown(&all).n_examples, 2);
    all.n_examples = 1;
    hl_patterns one = hl_patterns_shown(&all);
    ck_assert(one.n_examples == 1 && one.first == 0);
}

SUITE("mean map")
