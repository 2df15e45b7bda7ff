#include "core/kernels/private/exp.h"
#include "tests/check_suite.h"

TEST(within_two_units_in_the_last_place_of_the_true_value)
{
    for (int i = -86999; i <= 88000; i++) {
        float x = (float)i * 1e-3f;
        double truth = exp((double)x), unit = ldexp(1, ilogb(truth) - 23);
        ck_assert_msg(fabs((double)hl_exp(x) - truth) <= 2 * unit, "e^%g is %.9g", (double)x, (double)hl_exp(x));
    }
    ck_assert(hl_exp(0) == 1);
}

TEST(ends_and_nan)
{
    ck_assert(hl_exp(-87.5f) == 0);
    ck_assert(hl_exp(-INFINITY) == 0);
    ck_assert(isnan(hl_exp(NAN)));
}

TEST(the_sigmoid_is_within_three_units_in_the_last_place)
{
    for (int i = -86000; i <= 90000; i++) {
        float x = (float)i * 1e-3f;
        double truth = 1 / (1 + exp(-(double)x)), unit = ldexp(1, ilogb(truth) - 23);
        ck_assert_msg(fabs((double)hl_sigmoid(x) - truth) <= 3 * unit, "s(%g) is %.9g", (double)x,
                      (double)hl_sigmoid(x));
    }
    ck_assert(hl_sigmoid(INFINITY) == 1 && hl_sigmoid(-INFINITY) == 0 && isnan(hl_sigmoid(NAN)));
}

static float normal(float x)
{
    return hl_normal_cdf(x, hl_exp(-0.5f * x * x));
}

TEST(the_normal_distribution_is_within_three_ten_millionths)
{
    for (int i = -12000; i <= 12000; i++) {
        float x = (float)i * 1e-3f;
        double truth = 0.5 * erfc(-(double)x / sqrt(2));
        ck_assert_msg(fabs((double)normal(x) - truth) <= 3e-7, "Phi(%g) is %.9g, not %.9g", (double)x,
                      (double)normal(x), truth);
    }
    ck_assert(normal(INFINITY) == 1 && normal(-INFINITY) == 0 && isnan(normal(NAN)));
}

SUITE("exp")
