#include "core/kernels/private/log.h"
#include "tests/check_suite.h"

#include <float.h>
#include <math.h>

static void expect_near(double x)
{
    long double truth = logl((long double)x);
    double unit = truth == 0 ? 0 : ldexp(1, ilogb((double)truth) - 52); /* exact where x = 1 */
    ck_assert_msg(fabsl((long double)hl_log(x) - truth) <= 4 * unit, "ln %.17g is %.17g, not %.17Lg", x, hl_log(x),
                  truth);
}

TEST(within_four_units_in_the_last_place_of_the_true_value)
{
    for (int i = 1; i <= 300000; i++) {
        expect_near((double)i / 100001); /* weights, and beyond 1 */
    }
    for (int exponent = -1022; exponent <= 1023; exponent++) {
        for (int m = exponent == 0; m < 77; m++) { /* ln 1 is below */
            expect_near(ldexp(1 + m / 77.0, exponent));
        }
    }
    expect_near(FLT_TRUE_MIN);
    expect_near(DBL_MIN);
    expect_near(DBL_MAX);
}

/* Where the logarithm is near 0, and where n changes. */
TEST(next_to_one_and_to_the_square_root_of_a_half)
{
    ck_assert_double_eq(hl_log(1), 0);
    double above = 1, below = 1, root = sqrt(0.5) - 20 * DBL_EPSILON;
    for (int i = 0; i < 100; i++) {
        above = nextafter(above, 2);
        below = nextafter(below, 0);
        root = nextafter(root, 1);
        expect_near(above);
        expect_near(below);
        expect_near(root);
    }
}

TEST(zero_times_its_logarithm_is_zero)
{
    ck_assert(isfinite(hl_log(0)));
    ck_assert_double_eq(0 * hl_log(0), 0);
}

SUITE("log")
