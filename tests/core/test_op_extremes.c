/* Every op on numbers whose squares underflow or that are denormal themselves, on zeros of both signs, on very large
 * ones, and on what is not finite: in float against double, values and gradients, over all cases of the table. */
#include "tests/check_suite.h"
#include "tests/core/op_cases.h"
#include "tests/core/op_run.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double largest(const double *numbers, int64_t count)
{
    double most = 0;
    for (int64_t i = 0; i < count; i++) {
        most = fmax(most, fabs(numbers[i]));
    }
    return most;
}

static bool all_finite(const double *numbers, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(numbers[i])) {
            return false;
        }
    }
    return true;
}

/* How far the results of a case in double move when its inputs do by a rounding or two: what no float can spare where
 * an op is that steep, as a softmax of large scores. */
static void find_steepness(int index, int exponent, const op_run_result *wide, double moved[OP_RUN_RESULTS])
{
    enum { NUDGES = 2 };
    for (int nudge = 1; nudge <= NUDGES; nudge++) {
        op_run_result other;
        ck_assert(double_op_run(index, (op_run_options){ .threads = 1, .exponent = exponent, .nudge = nudge }, &other));
        for (int r = 0; r < OP_RUN_RESULTS; r++) {
            for (int64_t i = 0; i < wide->count[r]; i++) {
                moved[r] = fmax(moved[r], fabs(other.numbers[r][i] - wide->numbers[r][i]));
            }
        }
        op_run_free(&other);
    }
}

/* What is left, in float, where terms cancel to 0. With small inputs it is some hundred roundings in the last place
 * that a denormal has; with large ones the rounding of dy, which is near 1. A layer norm of one feature and a
 * cross-entropy of one class cancel terms of full size, the first times 1 / sqrt(1e-5). */
static double remainder_of(const op_case *c, int r, int exponent)
{
    if (r > 0 && strcmp(c->op, "attention") == 0 && exponent > 0) {
        return ldexp(1e-7, 2 * exponent); /* dS cancels terms dz v, and multiplies keys */
    }
    bool cancels = strstr(c->variant, "one class") != NULL || strstr(c->variant, "one feature") != NULL;
    if (exponent < 0) {
        return cancels ? 1e-8 : 1000 * (double)FLT_TRUE_MIN;
    }
    return cancels ? ldexp(4e-5, exponent) : 1e-7;
}

/* Asserts that a float's result is as close to double's as test_op_precision asks, beside what steepness allows or
 * what terms that cancel leave. `may_stop`: numbers that are not finite are right too. */
static void compare(const char *what, int64_t count, const double *single, const double *wide, double tolerance,
                    bool may_stop)
{
    for (int64_t i = 0; i < count; i++) {
        if (!(fabs(single[i] - wide[i]) <= tolerance) && !(may_stop && !isfinite(single[i]))) {
            ck_abort_msg("%s[%lld] is %.9g in float and %.9g in double; the largest is %.3g", what, (long long)i,
                         single[i], wide[i], largest(wide, count));
        }
    }
}

static void check_case(int index, int exponent, bool may_stop)
{
    const op_case *c = &op_cases[index];
    op_run_result single, wide;
    ck_assert(op_run(index, (op_run_options){ .threads = 2, .exponent = exponent }, &single));
    ck_assert(double_op_run(index, (op_run_options){ .threads = 1, .exponent = exponent }, &wide));
    double moved[OP_RUN_RESULTS] = { 0 };
    /* The ops that round what they exponentiate: scores, and a logit less the log of the sum. */
    if (exponent > 0 && (strcmp(c->op, "attention") == 0 || strcmp(c->op, "cross_entropy") == 0)) {
        find_steepness(index, exponent, &wide, moved);
    }
    /* A training stops where y is not finite. */
    bool stops = may_stop && !all_finite(single.numbers[0], single.count[0]);
    for (int r = 0; r < OP_RUN_RESULTS && !stops; r++) {
        char name[OP_CASE_NAME], what[OP_CASE_NAME + 32];
        snprintf(what, sizeof what, "%s with 2^%d: %s", op_case_name(c, name), exponent,
                 r == 0 ? "y" : c->inputs[r - 1].name);
        ck_assert_int_eq(single.count[r], wide.count[r]);
        double most = largest(wide.numbers[r], wide.count[r]);
        double tolerance = fmax(5e-6 * most + 8 * moved[r], remainder_of(c, r, exponent));
        compare(what, wide.count[r], single.numbers[r], wide.numbers[r], tolerance, may_stop);
    }
    op_run_free(&single);
    op_run_free(&wide);
}

/* Fails where the table has no case of the op. */
static void check_op(const char *op, int exponent, bool may_stop)
{
    int checked = 0;
    for (int i = 0; i < op_case_count; i++) {
        if (strcmp(op_cases[i].op, op) == 0) {
            check_case(i, exponent, may_stop);
            checked++;
        }
    }
    ck_assert_msg(checked > 0, "%s has no case", op);
}

/* The last one leaves zeros of both signs. */
LOOP_TEST(small_numbers_agree_with_double, 0, op_count)
{
    static const int exponents[] = { -40, -70, -120, -130, -200 };
    for (int i = 0; i < ROWS(exponents); i++) {
        check_op(op_list[_i]->name, exponents[i], false);
    }
}

/* From some hundred to 1e12: scores of 1e24 in attention. */
LOOP_TEST(large_numbers_agree_with_double, 0, op_count)
{
    static const int exponents[] = { 7, 14, 40 };
    for (int i = 0; i < ROWS(exponents); i++) {
        check_op(op_list[_i]->name, exponents[i], false);
    }
}

/* 1e30, and just below the largest float: products and sums may overflow, at which a training stops. */
LOOP_TEST(huge_numbers_agree_with_double_or_stop_a_training, 0, op_count)
{
    static const int exponents[] = { 100, 127 };
    for (int i = 0; i < ROWS(exponents); i++) {
        check_op(op_list[_i]->name, exponents[i], true);
    }
}

/* An input that y depends on, which its gradient tells, makes a y that is not finite where it is not; but tanh is 1 at
 * infinity. */
static void check_filled(int index, double filling)
{
    const op_case *c = &op_cases[index];
    if (strcmp(c->op, "tanh") == 0 && isinf(filling)) {
        return;
    }
    char name[OP_CASE_NAME];
    op_run_result usual;
    ck_assert(op_run(index, (op_run_options){ .threads = 2 }, &usual));
    for (int input = 0; input < op_case_inputs(c); input++) {
        op_run_result run;
        ck_assert(op_run(index, (op_run_options){ .threads = 2, .filled = input + 1, .filling = filling }, &run));
        bool used = largest(usual.numbers[input + 1], usual.count[input + 1]) > 1e-6;
        ck_assert_msg(!used || !all_finite(run.numbers[0], run.count[0]), "%s: y is finite where all of %s is %g",
                      op_case_name(c, name), c->inputs[input].name, filling);
        op_run_free(&run);
    }
    op_run_free(&usual);
}

LOOP_TEST(what_is_not_finite_is_not_swallowed, 0, op_count)
{
    for (int i = 0; i < op_case_count; i++) {
        if (strcmp(op_cases[i].op, op_list[_i]->name) == 0 && !op_cases[i].large) {
            check_filled(i, (double)NAN);
            check_filled(i, (double)INFINITY);
        }
    }
}

SUITE("op extremes")
