/* Every op on numbers whose squares underflow or that are denormal themselves, and on very large ones. */
#include "core/op_list.h"
#include "tests/check_suite.h"
#include "tests/core/op_cases.h"
#include "tests/core/op_run.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef void check_result(const char *what, int64_t count, const double *single, const double *wide);

static void run_cases(const char *op, int exponent, check_result *check)
{
    for (int i = 0; i < op_case_count; i++) {
        if (strcmp(op_cases[i].op, op) != 0) {
            continue;
        }
        op_run_result single, wide;
        ck_assert(op_run(i, (op_run_options){ .threads = 2, .exponent = exponent }, &single));
        ck_assert(double_op_run(i, (op_run_options){ .threads = 1, .exponent = exponent }, &wide));
        for (int r = 0; r < OP_RUN_RESULTS; r++) {
            char name[OP_CASE_NAME], what[OP_CASE_NAME + 32];
            snprintf(what, sizeof what, "%s with 2^%d: %s", op_case_name(&op_cases[i], name), exponent,
                     r == 0 ? "y" : op_cases[i].inputs[r - 1].name);
            ck_assert_int_eq(single.count[r], wide.count[r]);
            check(what, wide.count[r], single.numbers[r], wide.numbers[r]);
        }
        op_run_free(&single);
        op_run_free(&wide);
    }
}

static double largest(const double *numbers, int64_t count)
{
    double most = 0;
    for (int64_t i = 0; i < count; i++) {
        most = fmax(most, fabs(numbers[i]));
    }
    return most;
}

/* As close as test_op_precision asks, or to some hundred roundings in the last place that a denormal has. Where there
 * is but one class or one feature the gradient is 0, and the rounding of terms that cancel is left. */
static void expect_near(const char *what, int64_t count, const double *single, const double *wide)
{
    bool cancels = strstr(what, "one class") != NULL || strstr(what, "one feature") != NULL;
    double most = largest(wide, count), floor = cancels ? 1e-8 : 1000 * (double)FLT_TRUE_MIN;
    double tolerance = fmax(5e-6 * most, floor);
    for (int64_t i = 0; i < count; i++) {
        double error = fabs(single[i] - wide[i]);
        if (!(error <= tolerance)) {
            ck_abort_msg("%s[%lld] is %.9g in float and %.9g in double; the largest is %.3g", what, (long long)i,
                         single[i], wide[i], most);
        }
    }
}

static void expect_finite(const char *what, int64_t count, const double *single, const double *wide)
{
    ck_assert_msg(largest(wide, count) < (double)FLT_MAX, "%s is too large for float", what);
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(single[i])) {
            ck_abort_msg("%s[%lld] is %g in float and %g in double", what, (long long)i, single[i], wide[i]);
        }
    }
}

START_TEST(small_numbers_agree_with_double)
{
    static const int exponents[] = { -40, -70, -120, -130 };
    for (int i = 0; i < 4; i++) {
        run_cases(hl_op_list[_i]->name, exponents[i], expect_near);
    }
}
END_TEST

/* Logits of 2^40 from a softmax's input, of 2^80 in attention. */
START_TEST(large_numbers_make_nothing_that_is_not_finite)
{
    static const int exponents[] = { 10, 25, 40 };
    for (int i = 0; i < 3; i++) {
        run_cases(hl_op_list[_i]->name, exponents[i], expect_finite);
    }
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, small_numbers_agree_with_double, 0, hl_op_count);
    tcase_add_loop_test(tc, large_numbers_make_nothing_that_is_not_finite, 0, hl_op_count);
}
SUITE("op extremes", add_tests)
