/* Rank correlation, and estimates, against figures worked out by hand. */
#include "heads/importance.h"

#include "heads/estimate.h"
#include "tests/check_suite.h"

#include <math.h>

TEST(orders_that_agree_and_orders_that_do_not)
{
    const double a[] = { 1, 2, 3, 4, 5 }, cubes[] = { -8, -1, 0, 1, 1000 }, falling[] = { 9, 7, 6, 1, -4 };
    ck_assert_double_eq_tol(hl_spearman(a, cubes, 5), 1, 1e-15);
    ck_assert_double_eq_tol(hl_spearman(a, falling, 5), -1, 1e-15);
    /* Without ties 1 - 6 sum d^2 / (n (n^2 - 1)): ranks 2 1 4 3 5, sum d^2 = 4. */
    ck_assert_double_eq_tol(hl_spearman(a, (double[]){ 2, 1, 4, 3, 5 }, 5), 1 - 6 * 4 / 120.0, 1e-15);
}

TEST(equal_numbers_share_their_ranks)
{
    /* Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: covariance 4.5, variances 4.5 and 5. */
    ck_assert_double_eq_tol(hl_spearman((double[]){ 0, 7, 7, 8 }, (double[]){ 1, 2, 3, 4 }, 4), 4.5 / sqrt(4.5 * 5),
                            1e-15);
}

TEST(without_an_order_there_is_no_correlation)
{
    ck_assert(isnan(hl_spearman((double[]){ 1 }, (double[]){ 1 }, 1)));
    ck_assert(isnan(hl_spearman((double[]){ 1, 1 }, (double[]){ 1, 2 }, 2)));
    ck_assert(isnan(hl_spearman((double[]){ 1, NAN, 3 }, (double[]){ 1, 2, 3 }, 3)));
}

TEST(a_mean_has_its_standard_error)
{
    hl_estimate found = hl_estimate_of((double[]){ 1, -9, 2, -9, 6, -9 }, 2, 3);
    ck_assert_double_eq_tol(found.mean, 3, 1e-15);
    ck_assert_double_eq_tol(found.error, sqrt((4 + 1 + 9) / 2.0 / 3), 1e-15);
    ck_assert(isinf(hl_estimate_of((double[]){ 4 }, 1, 1).error));
}

SUITE("rank correlation")
