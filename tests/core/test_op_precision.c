/* Every op in float against the same op in double: values and gradients. */
#include "tests/check_suite.h"
#include "tests/core/op_cases.h"
#include "tests/core/op_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the largest magnitude of a result. A float is wrong by up to 6e-8; sums here have at most some hundred terms,
 * whose errors go as the root of their number, and pass through at most three products in a row. */
static const double tolerance = 5e-6;

static double largest(const double *numbers, int64_t count)
{
    double most = 0;
    for (int64_t i = 0; i < count; i++) {
        most = fmax(most, fabs(numbers[i]));
    }
    return most;
}

static void compare(const op_case *c, const char *what, int64_t count, const double *single, const double *wide)
{
    char name[OP_CASE_NAME];
    /* Where terms cancel to 0 (a layer norm of one feature) their roundings are left, and they are near 1. */
    double scale = fmax(largest(wide, count), 0.25);
    for (int64_t i = 0; i < count; i++) {
        double error = fabs(single[i] - wide[i]);
        if (!(error <= tolerance * scale)) { /* a passing assertion writes to Check's pipe, which takes time */
            ck_abort_msg("%s: %s[%lld] is %.9g in float and %.9g in double: %.2g of the largest", op_case_name(c, name),
                         what, (long long)i, single[i], wide[i], error / scale);
        }
    }
}

static void check_case(int index)
{
    const op_case *c = &op_cases[index];
    op_run_result single, wide;
    ck_assert(op_run(index, (op_run_options){ .threads = 2 }, &single));
    ck_assert(double_op_run(index, (op_run_options){ .threads = 1 }, &wide));
    for (int i = 0; i < OP_RUN_RESULTS; i++) {
        ck_assert_int_eq(single.count[i], wide.count[i]);
        compare(c, i == 0 ? "y" : c->inputs[i - 1].name, wide.count[i], single.numbers[i], wide.numbers[i]);
    }
    op_run_free(&single);
    op_run_free(&wide);
}

LOOP_TEST(every_case_agrees_with_double, 0, op_count)
{
    for (int i = 0; i < op_case_count; i++) {
        if (strcmp(op_cases[i].op, op_list[_i]->name) == 0) {
            check_case(i);
        }
    }
}

/* The comparison would be empty if both were the same library. */
TEST(the_two_precisions_differ)
{
    op_run_result single, wide;
    int index = (int)(op_case_find("gelu", "2-D") - op_cases);
    ck_assert(op_run(index, (op_run_options){ .threads = 1 }, &single));
    ck_assert(double_op_run(index, (op_run_options){ .threads = 1 }, &wide));
    int differ = 0;
    for (int64_t i = 0; i < wide.count[0]; i++) {
        differ += single.numbers[0][i] != wide.numbers[0][i];
    }
    ck_assert_int_gt(differ, wide.count[0] / 2);
    op_run_free(&single);
    op_run_free(&wide);
}

SUITE("op precision")
