#include "programs/ablate/statistics.h"
#include "tests/check_suite.h"

#include <math.h>

/* From published tables of Student's distribution: two-sided, by degrees of freedom. */
TEST(quantiles_are_those_of_the_tables)
{
    static const struct {
        double confidence, freedom, t;
    } table[] = {
        { 0.95, 1, 12.7062 }, { 0.95, 2, 4.3027 },   { 0.95, 3, 3.1824 },    { 0.95, 4, 2.7764 },
        { 0.95, 9, 2.2622 },  { 0.95, 30, 2.0423 },  { 0.95, 120, 1.9799 },  { 0.95, 100000, 1.9600 },
        { 0.90, 4, 2.1318 },  { 0.99, 4, 4.6041 },   { 0.99, 1, 63.6567 },   { 0.999, 10, 4.5869 },
        { 0.5, 7, 0.7111 },   { 0.999, 2, 31.5991 }, { 0.999, 100, 3.3905 },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double t = hl_student_quantile(table[i].confidence, table[i].freedom);
        ck_assert_msg(fabs(t - table[i].t) <= 0.5e-4 * fmax(1, table[i].t / 10), "%g, %g: %.6f", table[i].confidence,
                      table[i].freedom, t);
    }
}

/* Where the distribution has a closed form: 1, 2 and 4 degrees of freedom. */
TEST(probabilities_are_those_of_the_closed_forms)
{
    for (int i = -60; i <= 60; i++) {
        double t = pow(1.25, i);
        double two = 2 / (2 + t * t + t * sqrt(2 + t * t)); /* 1 - t / sqrt(2 + t^2), without cancellation */
        ck_assert_double_le(fabs(hl_student_two_sided(t, 1) - 2 / acos(-1) * atan(1 / t)), 1e-13);
        ck_assert_double_le(fabs(hl_student_two_sided(t, 2) / two - 1), 1e-12);
        double root = t / sqrt(4 + t * t);
        ck_assert_double_le(fabs(hl_student_two_sided(t, 4) - (1 - root * (1.5 - 0.5 * root * root))), 1e-13);
        ck_assert_double_eq(hl_student_two_sided(t, 5), hl_student_two_sided(-t, 5));
    }
}

TEST(extremes_have_their_limits)
{
    ck_assert_double_eq(hl_student_two_sided(0, 3), 1);
    ck_assert_double_eq(hl_student_two_sided(INFINITY, 3), 0);
    ck_assert_double_eq(hl_student_two_sided(1e300, 3), 0);
    ck_assert(isnan(hl_student_two_sided(NAN, 3)));
}

TEST(an_interval_is_the_mean_and_t_standard_errors)
{
    hl_interval found = hl_interval_of((const double[]){ 1, 2, 3, 4, 10 }, 5, 0.95);
    ck_assert_int_eq(found.n, 5);
    ck_assert_double_eq(found.mean, 4);
    ck_assert_double_le(fabs(found.half_width - 2.776445105 * sqrt(12.5 / 5)), 1e-8);
    found = hl_interval_of((const double[]){ 7, 7 }, 2, 0.95);
    ck_assert(found.mean == 7 && found.half_width == 0);
}

TEST(too_few_values_give_no_interval)
{
    hl_interval one = hl_interval_of((const double[]){ 3 }, 1, 0.95), none = hl_interval_of(NULL, 0, 0.95);
    ck_assert(one.mean == 3 && isnan(one.half_width));
    ck_assert(none.n == 0 && isnan(none.mean) && isnan(none.half_width));
}

/* The sleep of ten patients under two drugs, from Student's paper of 1908: t = -4.0621, p = 0.002833. */
TEST(the_paired_test_agrees_with_students_own_data)
{
    static const double first[] = { 0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0 };
    static const double second[] = { 1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4 };
    ck_assert_double_le(fabs(hl_paired_test(first, second, 10) - 0.00283289), 1e-7);
    ck_assert_double_eq(hl_paired_test(first, second, 10), hl_paired_test(second, first, 10));
}

TEST(pairs_that_allow_no_test_give_none)
{
    static const double a[] = { 1, 2, 4 }, b[] = { 1, 2, 4 }, c[] = { 2, 3, 5 };
    ck_assert(isnan(hl_paired_test(a, b, 3)));
    ck_assert(isnan(hl_paired_test(a, c, 1)));
    ck_assert_double_eq(hl_paired_test(a, c, 3), 0);
}

SUITE("statistics")
