/* Tests the gradient check: it must reject ops that are wrong on purpose and accept the same ops done right. */
#include "core/kernels/mask.h"
#include "core/op.h"
#include "core/ops/add.h"
#include "core/ops/linear.h"
#include "core/ops/matmul.h"
#include "core/ops/softmax.h"
#include "tests/check_suite.h"
#include "tests/gradient_check.h"

#include <math.h>
#include <string.h>

static bool infer_same(hl_tape *tape, hl_node *node)
{
    (void)tape;
    node->out->shape = node->in[0]->shape;
    return true;
}

/* y = forward * x, with a backward of its own: dx = backward * dy, written over what is there where it forgets to
 * add. */
typedef struct crooked_scale {
    double forward, backward;
    bool forgets_to_add;
} crooked_scale;

static void scale_forward(const hl_op_call *call)
{
    const hl_node *node = call->node;
    const crooked_scale *a = node->attributes;
    for (int64_t i = 0; i < hl_shape_count(node->out->shape); i++) {
        node->out->data[i] = a->forward * node->in[0]->data[i];
    }
}

static void scale_backward(const hl_op_call *call)
{
    const hl_node *node = call->node;
    hl_grad dx = call->din[0];
    const crooked_scale *a = node->attributes;
    for (int64_t i = 0; i < hl_shape_count(node->out->shape); i++) {
        hl_grad_put(&dx.at[i], a->backward * node->out->grad[i], dx.add && !a->forgets_to_add);
    }
}

static const hl_op op_scale = {
    .name = "crooked_scale",
    .min_inputs = 1,
    .infer = infer_same,
    .forward = { .whole = scale_forward },
    .backward = { .whole = scale_backward },
};

static hl_tensor *scale(hl_tape *tape, hl_tensor *x, crooked_scale a)
{
    return hl_tape_apply(tape, &op_scale, &x, 1, &a, sizeof a);
}

/* A causal softmax over rows (T, T), whose backward draws the weights anew and may drop the mask. */
static void softmax_forward(const hl_op_call *call)
{
    const hl_node *node = call->node;
    int64_t T = hl_shape_last(node->out->shape);
    for (int64_t i = 0; i < T; i++) {
        hl_masked_softmax(node->in[0]->data + i * T, NULL, (hl_keys){ 0, i + 1 }, T, node->out->data + i * T);
    }
}

static void softmax_backward(const hl_op_call *call)
{
    const hl_node *node = call->node;
    hl_grad dx = call->din[0];
    bool drops_mask = *(const bool *)node->attributes;
    int64_t T = hl_shape_last(node->out->shape);
    for (int64_t i = 0; i < T; i++) {
        hl_masked_softmax(node->in[0]->data + i * T, NULL, (hl_keys){ 0, drops_mask ? T : i + 1 }, T, node->scratch);
        hl_masked_softmax_backward(node->scratch, node->out->grad + i * T, T, 1, dx.at + i * T, dx.add);
    }
}

static int64_t softmax_scratch(const hl_tape *tape, const hl_node *node)
{
    (void)tape;
    return hl_shape_last(node->out->shape);
}

static const hl_op op_softmax = {
    .name = "crooked_softmax",
    .min_inputs = 1,
    .infer = infer_same,
    .forward = { .whole = softmax_forward },
    .backward = { .whole = softmax_backward },
    .scratch = softmax_scratch,
};

static hl_tensor *softmax(hl_tape *tape, hl_tensor *x, bool drops_mask)
{
    return hl_tape_apply(tape, &op_softmax, &x, 1, &drops_mask, sizeof drops_mask);
}

/* y = x, with a backward that writes outside its gradient. */
static void trespass_backward(const hl_op_call *call)
{
    const hl_node *node = call->node;
    hl_grad dx = call->din[0];
    for (int64_t i = 0; i < hl_shape_count(node->out->shape); i++) {
        hl_grad_put(&dx.at[i], node->out->grad[i], dx.add);
    }
    node->in[1]->grad[2] = 1e-300;
}

static void trespass_forward(const hl_op_call *call)
{
    const hl_node *node = call->node;
    memcpy(node->out->data, node->in[0]->data, (size_t)hl_shape_count(node->out->shape) * sizeof(hl_real));
}

static const hl_op op_trespass = {
    .name = "trespass",
    .min_inputs = 2,
    .infer = infer_same,
    .forward = { .whole = trespass_forward },
    .backward = { .whole = trespass_backward },
};

/* Graphs over x (3, 3), y (3, 3), z (3, 3) */

static hl_tensor *build_scale(hl_tape *tape, hl_tensor *const *in, void *context)
{
    return scale(tape, in[0], *(const crooked_scale *)context);
}

static hl_tensor *build_sum_of_two(hl_tape *tape, hl_tensor *const *in, void *context)
{
    hl_tensor *crooked = scale(tape, in[0], *(const crooked_scale *)context); /* first here, so last in backward */
    return hl_add(tape, crooked, scale(tape, in[0], (crooked_scale){ 2, 2, false }));
}

static hl_tensor *build_attention(hl_tape *tape, hl_tensor *const *in, void *context)
{
    hl_tensor *scores = scale(tape, hl_matmul(tape, in[0], in[1], false, true), *(const crooked_scale *)context);
    return hl_matmul(tape, hl_softmax(tape, scores, (hl_mask){ .causal = true }, 0), in[2], false, false);
}

static hl_tensor *build_masked(hl_tape *tape, hl_tensor *const *in, void *context)
{
    hl_tensor *scores = hl_matmul(tape, in[0], in[1], false, true);
    return hl_matmul(tape, softmax(tape, scores, *(const bool *)context), in[2], false, false);
}

typedef hl_tensor *(*build_graph)(hl_tape *, hl_tensor *const *, void *);

static const hl_real numbers[3][9] = {
    { 0.5, -1.25, 0.75, 1, 0.25, -0.5, -0.75, 1.5, 2 },
    { -0.25, 1, 1.25, 0.5, -1, 0.75, 2, -0.5, 0.25 },
    { 1, 0.5, -0.25, -1.5, 0.75, 1.25, 0.25, -1, 0.5 },
};

static gradient_report check(build_graph build, void *context)
{
    hl_real values[3][9];
    memcpy(values, numbers, sizeof values);
    gradient_input inputs[] = {
        { "x", HL_SHAPE(3, 3), values[0], false },
        { "y", HL_SHAPE(3, 3), values[1], false },
        { "z", HL_SHAPE(3, 3), values[2], false },
    };
    gradient_report report =
        gradient_check_run(&(gradient_check){ .build = build, .context = context, .inputs = inputs, .n_inputs = 3 });
    ck_assert_mem_eq(values, numbers, sizeof values);
    return report;
}

static void accepts(build_graph build, void *context)
{
    gradient_report report = check(build, context);
    ck_assert_msg(report.passed, "%s", report.text);
    ck_assert_int_eq(report.n_checked, 27);
    ck_assert_double_le(report.worst, 1);
}

static void rejects(build_graph build, void *context, const char *words)
{
    gradient_report report = check(build, context);
    ck_assert_msg(!report.passed, "the check is content: %s", report.text);
    ck_assert_msg(strstr(report.text, words) != NULL, "not '%s' but: %s", words, report.text);
}

TEST(a_flipped_sign_is_caught)
{
    accepts(build_scale, &(crooked_scale){ 3, 3, false });
    rejects(build_scale, &(crooked_scale){ 3, -3, false }, "dx[");
}

TEST(one_per_cent_is_caught)
{
    rejects(build_scale, &(crooked_scale){ 3, 3 * 1.01, false }, "dx[");
    rejects(build_scale, &(crooked_scale){ 3, 3 * 0.99, false }, "dx[");
}

TEST(the_bound_is_a_millionth)
{
    accepts(build_scale, &(crooked_scale){ 3, 3 * (1 + 0.9e-6), false });
    rejects(build_scale, &(crooked_scale){ 3, 3 * (1 + 1.1e-6), false }, "dx[");
    accepts(build_scale, &(crooked_scale){ 0, 0.9e-9, false });
    rejects(build_scale, &(crooked_scale){ 0, 2e-9, false }, "dx[");
}

TEST(a_missing_gradient_is_caught)
{
    rejects(build_scale, &(crooked_scale){ 3, 0, false }, "dx[");
}

TEST(a_missing_root_of_d_k_is_caught)
{
    double root = sqrt(3);
    accepts(build_attention, &(crooked_scale){ 1 / root, 1 / root, false });
    rejects(build_attention, &(crooked_scale){ 1 / root, 1, false }, "d");
    rejects(build_attention, &(crooked_scale){ 1, 1 / root, false }, "d");
}

TEST(a_dropped_mask_is_caught)
{
    accepts(build_masked, &(bool){ false });
    rejects(build_masked, &(bool){ true }, "d");
}

TEST(a_sum_that_is_overwritten_is_caught)
{
    accepts(build_sum_of_two, &(crooked_scale){ 5, 5, false });
    rejects(build_sum_of_two, &(crooked_scale){ 5, 5, true }, "dx[");
}

TEST(nan_is_caught_and_stays_the_worst)
{
    rejects(build_scale, &(crooked_scale){ 3, (double)NAN, false }, "nan");
    rejects(build_scale, &(crooked_scale){ (double)NAN, 3, false }, "nan");
    rejects(build_scale, &(crooked_scale){ (double)INFINITY, 3, false }, "nan");
    rejects(build_scale, &(crooked_scale){ 3, (double)INFINITY, false }, "inf");
}

static hl_tensor *build_mismatch(hl_tape *tape, hl_tensor *const *in, void *context)
{
    (void)context;
    return hl_matmul(tape, in[0], scale(tape, hl_add(tape, in[1], NULL), (crooked_scale){ 1, 1, false }), false, false);
}

TEST(a_graph_that_does_not_build_says_why)
{
    rejects(build_mismatch, NULL, "does not build: add: input 1 is missing");
}

/* Parameters: b[1] of y = x W^T + b, where the output passes through a scale that is wrong. */
static hl_tensor *build_linear(hl_tape *tape, hl_tensor *const *in, void *context)
{
    const hl_parameters *p = context;
    hl_tensor *y = hl_linear(tape, in[0], p->list[0].tensor, p->list[1].tensor);
    return p->list[2].tensor->data[0] > 0.5 ? scale(tape, y, (crooked_scale){ 1, 1.01, false }) : y;
}

static hl_tensor *build_trespass(hl_tape *tape, hl_tensor *const *in, void *context)
{
    const hl_parameters *p = context;
    return hl_tape_apply(tape, &op_trespass, (hl_tensor *[]){ in[0], p->list[0].tensor }, 2, NULL, 0);
}

static gradient_report check_parameters(build_graph build, hl_parameters *p, bool frozen_x, int64_t at_most)
{
    hl_real x[6] = { 1, 2, 3, 4, 5, 6 };
    gradient_input inputs[] = { { "x", HL_SHAPE(2, 3), x, frozen_x } };
    return gradient_check_run(&(gradient_check){
        .build = build,
        .context = p,
        .inputs = inputs,
        .n_inputs = 1,
        .parameters = p,
        .at_most = at_most,
    });
}

static void make_parameters(hl_parameters *p)
{
    *p = (hl_parameters){ 0 };
    hl_parameters_add(p, (hl_parameter_spec){ .name = "W", .shape = HL_SHAPE(4, 3), .init = HL_INIT_ONE });
    hl_parameters_add(p, (hl_parameter_spec){ .name = "b", .shape = HL_SHAPE(4), .init = HL_INIT_ONE });
    hl_parameters_add(p, (hl_parameter_spec){ .name = "wrong", .shape = HL_SHAPE(1) });
    CHECK_OK(hl_parameters_allocate(p));
    hl_parameters_initialise(p, 1);
}

TEST(parameters_are_checked_and_frozen_ones_left_alone)
{
    hl_parameters p;
    make_parameters(&p);
    gradient_report report = check_parameters(build_linear, &p, false, 0);
    ck_assert_msg(report.passed, "%s", report.text);
    ck_assert_int_eq(report.n_checked, 6 + 12 + 4 + 1);
    p.list[0].tensor->requires_grad = false;
    report = check_parameters(build_linear, &p, true, 0);
    ck_assert_msg(report.passed, "%s", report.text);
    ck_assert_int_eq(report.n_checked, 4 + 1);
    p.list[2].tensor->data[0] = 1;
    report = check_parameters(build_linear, &p, true, 0);
    ck_assert(!report.passed);
    ck_assert_msg(strncmp(report.text, "db[", 3) == 0, "%s", report.text);
    report = check_parameters(build_trespass, &p, false, 0);
    ck_assert(!report.passed);
    ck_assert_str_eq(report.text, "a gradient reached the frozen W");
    hl_parameters_free(&p);
}

TEST(some_numbers_of_large_tensors_are_enough_and_none_is_not)
{
    hl_parameters p;
    make_parameters(&p);
    gradient_report report = check_parameters(build_linear, &p, false, 5);
    ck_assert_msg(report.passed, "%s", report.text);
    ck_assert_int_eq(report.n_checked, 5 + 5 + 4 + 1);
    p.list[0].tensor->requires_grad = p.list[1].tensor->requires_grad = p.list[2].tensor->requires_grad = false;
    report = check_parameters(build_linear, &p, true, 0);
    ck_assert(!report.passed);
    hl_parameters_free(&p);
}

SUITE("gradient checker")
