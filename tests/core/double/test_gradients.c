/* Every op's gradient against a numeric one, and what the tape promises about gradients. */
#include "core/ops/activations.h"
#include "core/ops/add.h"
#include "core/ops/attention.h"
#include "core/ops/multiply.h"
#include "core/ops/scale.h"
#include "core/ops/sum.h"
#include "tests/check_suite.h"
#include "tests/core/op_cases.h"
#include "tests/gradient_check.h"
#include "tests/owned.h"

#include <math.h>
#include <string.h>

/* A case made into a check. */
typedef struct prepared {
    const op_case *c;
    gradient_input inputs[OP_CASE_MAX_INPUTS];
    gradient_check check;
} prepared;

static hl_tensor *build_case(hl_tape *tape, hl_tensor *const *inputs, void *context)
{
    const op_case *c = context;
    hl_tensor *padded[OP_CASE_MAX_INPUTS] = { NULL };
    memcpy(padded, inputs, (size_t)op_case_inputs(c) * sizeof *inputs);
    return c->build(tape, padded, c->attributes);
}

/* False for a large case. */
static bool prepare(prepared *p, const op_case *c)
{
    p->c = c;
    for (int i = 0; i < op_case_inputs(c); i++) {
        hl_shape shape = c->inputs[i].shape;
        hl_real *values = owned_calloc(hl_shape_count(shape), sizeof *values);
        op_case_fill(c, i, values);
        p->inputs[i] = (gradient_input){ .name = c->inputs[i].name, .shape = shape, .values = values };
    }
    p->check = (gradient_check){
        .build = build_case,
        .context = (void *)c,
        .inputs = p->inputs,
        .n_inputs = op_case_inputs(c),
        .options = op_case_options(1, true, false),
    };
    return !c->large;
}

/* Of all inputs. */
static int64_t count_numbers(const prepared *p)
{
    int64_t numbers = 0;
    for (int i = 0; i < p->check.n_inputs; i++) {
        numbers += hl_shape_count(p->inputs[i].shape);
    }
    return numbers;
}

LOOP_TEST(every_case_has_the_gradient_that_its_formula_says, 0, op_case_count)
{
    const op_case *c = &op_cases[_i];
    prepared p;
    if (!prepare(&p, c)) {
        return;
    }
    char name[OP_CASE_NAME];
    gradient_report report = gradient_check_run(&p.check);
    ck_assert_msg(report.passed, "%s: %s", op_case_name(c, name), report.text);
    ck_assert_int_eq(report.n_checked, count_numbers(&p));
}

TEST(every_op_has_a_case)
{
    for (int i = 0; i < op_count; i++) {
        int small = 0, large = 0;
        for (int k = 0; k < op_case_count; k++) {
            bool same = strcmp(op_cases[k].op, op_list[i]->name) == 0;
            small += same && !op_cases[k].large;
            large += same && op_cases[k].large;
        }
        ck_assert_msg(small > 0, "the op %s has no row in the gradient checks' table", op_list[i]->name);
        ck_assert_msg(large > 0, "the op %s has no large row in the table of op cases", op_list[i]->name);
    }
    for (int k = 0; k < op_case_count; k++) {
        ck_assert_ptr_eq(op_case_find(op_cases[k].op, op_cases[k].variant), &op_cases[k]);
    }
}

/* What is added to the result of a case: nothing, that of a second call on the same inputs, or the sum of every
 * input. */
typedef enum addition { ALONE, TWICE, WITH_SUMS } addition;

static hl_tensor *add_to(hl_tape *tape, const prepared *p, addition what, hl_tensor **in, hl_tensor *y)
{
    if (what == TWICE) {
        return hl_add(tape, y, build_case(tape, in, (void *)p->c));
    }
    for (int i = 0; what == WITH_SUMS && i < p->check.n_inputs; i++) {
        y = hl_add(tape, y, hl_sum(tape, in[i]));
    }
    return y;
}

/* All gradients of a case, end to end, with the inputs frozen that `frozen` names by bits: those must not come to be.
 * Returns the sum of dy. */
static double gradients_of(const prepared *p, unsigned frozen, addition what, double *gradients)
{
    double sum = 0;
    hl_tape *tape = owned_tape((size_t)1 << 20, op_case_options(1, true, false));
    hl_tensor *in[OP_CASE_MAX_INPUTS];
    for (int i = 0; i < p->check.n_inputs; i++) {
        in[i] = hl_tape_tensor(tape, p->inputs[i].shape, p->inputs[i].values, (frozen >> i & 1) == 0);
    }
    hl_tensor *y = build_case(tape, in, (void *)p->c);
    y = add_to(tape, p, what, in, y);
    ck_assert_ptr_nonnull(y);
    hl_real *dy = owned_calloc(hl_shape_count(y->shape), sizeof *dy);
    for (int64_t i = 0; i < hl_shape_count(y->shape); i++) {
        dy[i] = op_case_dy(i);
        sum += dy[i];
    }
    CHECK_OK(hl_tape_backward_from(tape, y, dy));
    for (int i = 0; i < p->check.n_inputs; i++) {
        if (frozen >> i & 1) {
            ck_assert_ptr_null(in[i]->grad);
        } else {
            ck_assert_ptr_nonnull(in[i]->grad);
            memcpy(gradients, in[i]->grad, (size_t)hl_shape_count(in[i]->shape) * sizeof *gradients);
        }
        gradients += hl_shape_count(p->inputs[i].shape);
    }
    return sum;
}

/* The gradients beside the frozen ones must be the same bits as without. */
static void check_frozen(const prepared *p, unsigned frozen, const double *all, double *some)
{
    char name[OP_CASE_NAME];
    gradients_of(p, frozen, ALONE, some);
    for (int i = 0; i < p->check.n_inputs; i++) {
        int64_t count = hl_shape_count(p->inputs[i].shape);
        if ((frozen >> i & 1) == 0) {
            ck_assert_msg(memcmp(all, some, (size_t)count * sizeof *all) == 0,
                          "%s: d%s changes where others are frozen (bits %u)", op_case_name(p->c, name),
                          p->inputs[i].name, frozen);
        }
        all += count;
        some += count;
    }
}

enum { ENOUGH = 8192 };

LOOP_TEST(a_frozen_input_gets_no_gradient_and_changes_no_other, 0, op_case_count)
{
    const op_case *c = &op_cases[_i];
    prepared p;
    if (!prepare(&p, c)) {
        return;
    }
    double *all = owned_calloc(ENOUGH, sizeof *all), *some = owned_calloc(ENOUGH, sizeof *some);
    gradients_of(&p, 0, ALONE, all);
    for (unsigned frozen = 1; frozen + 1 < 1u << p.check.n_inputs; frozen++) {
        check_frozen(&p, frozen, all, some);
    }
}

/* Every backward must add where a gradient is there already, and only then. */
LOOP_TEST(a_second_call_on_the_same_inputs_adds_its_gradients, 0, op_case_count)
{
    const op_case *c = &op_cases[_i];
    prepared p;
    if (!prepare(&p, c)) {
        return;
    }
    char name[OP_CASE_NAME];
    double *once = owned_calloc(ENOUGH, sizeof *once), *twice = owned_calloc(ENOUGH, sizeof *twice);
    gradients_of(&p, 0, ALONE, once);
    gradients_of(&p, 0, TWICE, twice);
    for (int i = 0; i < ENOUGH; i++) {
        ck_assert_msg(fabs(twice[i] - 2 * once[i]) <= 1e-12, "%s: gradient %d is %g once and %g twice",
                      op_case_name(c, name), i, once[i], twice[i]);
    }
}

/* The same where the gradient that is there already is another: a second call's is 0 wherever the first one's is. */
LOOP_TEST(a_gradient_is_added_to_what_another_op_left, 0, op_case_count)
{
    const op_case *c = &op_cases[_i];
    prepared p;
    if (!prepare(&p, c)) {
        return;
    }
    char name[OP_CASE_NAME];
    double *alone = owned_calloc(ENOUGH, sizeof *alone), *with_sums = owned_calloc(ENOUGH, sizeof *with_sums);
    double dy = gradients_of(&p, 0, ALONE, alone);
    gradients_of(&p, 0, WITH_SUMS, with_sums);
    for (int64_t i = 0; i < count_numbers(&p); i++) {
        ck_assert_msg(fabs(with_sums[i] - (alone[i] + dy)) <= 1e-12, "%s: gradient %d is %g alone and %g added to %g",
                      op_case_name(c, name), (int)i, alone[i], with_sums[i], dy);
    }
}

/* Compositions */

static hl_tensor *build_residual(hl_tape *tape, hl_tensor *const *in, void *context)
{
    (void)context; /* x is read by three ops, one of which reads it twice */
    hl_tensor *y = hl_multiply(tape, hl_gelu(tape, in[0]), hl_scale(tape, in[0], -0.5));
    return hl_add(tape, y, hl_multiply(tape, in[0], in[0]));
}

static hl_tensor *build_unused(hl_tape *tape, hl_tensor *const *in, void *context)
{
    (void)context; /* what reads only b comes to nothing; the last op is not the one that is differentiated */
    hl_gelu(tape, in[1]);
    hl_tensor *y = hl_scale(tape, in[0], 3);
    hl_scale(tape, y, 7);
    return y;
}

static gradient_report check_two(hl_tensor *(*build)(hl_tape *, hl_tensor *const *, void *), hl_real *a, hl_real *b)
{
    gradient_input inputs[] = { { "a", HL_SHAPE(2, 3), a, false }, { "b", HL_SHAPE(2, 3), b, false } };
    return gradient_check_run(&(gradient_check){ .build = build, .inputs = inputs, .n_inputs = 2 });
}

TEST(a_tensor_read_by_several_ops_sums_their_gradients)
{
    hl_real a[6] = { 0.5, -1, 0.25, 2, -0.125, 0.75 }, b[6] = { 1, 2, 3, 4, 5, 6 };
    gradient_report report = check_two(build_residual, a, b);
    ck_assert_msg(report.passed, "%s", report.text);
    ck_assert_int_eq(report.n_checked, 12);
}

TEST(what_the_result_does_not_depend_on_gets_no_gradient)
{
    hl_real a[6] = { 0.5, -1, 0.25, 2, -0.125, 0.75 }, b[6] = { 1, 2, 3, 4, 5, 6 };
    gradient_report report = check_two(build_unused, a, b);
    ck_assert_msg(report.passed, "%s", report.text);
}

SUITE("gradients")
