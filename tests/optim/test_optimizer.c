#include "optim/optimizer.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/optim/example.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lengths that are no multiples of anything, one number among them; 90,000 numbers: enough for several threads. */
static const int64_t lengths[] = { 1, 70001, 17, 2048, 5000, 12999 };
enum { N_PARAMETERS = 6, N_NAMES = HL_SGD + 1 };

static hl_optimizer_options options_of(hl_optimizer_name name)
{
    return (hl_optimizer_options){ .name = name, .beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9, .weight_decay = 0.1 };
}

static bool same_block(const hl_real *a, const hl_real *b, int64_t count)
{
    return memcmp(a, b, (size_t)count * sizeof(hl_real)) == 0;
}

static bool same_state(const hl_optimizer *a, const hl_optimizer *b)
{
    int64_t count = a->parameters->count;
    bool moments = a->options.name == HL_SGD || (same_block(a->m, b->m, count) && same_block(a->v, b->v, count));
    return moments && a->step == b->step && same_block(a->parameters->values, b->parameters->values, count);
}

LOOP_TEST(values_and_moments_have_the_same_bits_at_any_thread_count, 0, N_NAMES)
{
    hl_parameters *one = example_parameters(N_PARAMETERS, lengths);
    hl_optimizer *alone = example_optimizer(one, options_of((hl_optimizer_name)_i));
    for (int step = 0; step < 3; step++) {
        hl_optimizer_step(alone, 1, 0.01);
    }
    for (int threads = 2; threads <= 4; threads++) {
        hl_parameters *other = example_parameters(N_PARAMETERS, lengths);
        hl_optimizer *together = example_optimizer(other, options_of((hl_optimizer_name)_i));
        for (int step = 0; step < 3; step++) {
            hl_optimizer_step(together, threads, 0.01);
        }
        ck_assert(same_state(together, alone));
    }
}

/* With values 3, gradients 1 and rate 1, SGD is exact: a number that is skipped or updated twice shows. */
LOOP_TEST(every_number_is_updated_once_and_gaps_stay_zero, 1, 5)
{
    hl_parameters *parameters = example_parameters(N_PARAMETERS, lengths);
    for (int i = 0; i < N_PARAMETERS; i++) {
        for (int64_t j = 0; j < lengths[i]; j++) {
            parameters->list[i].tensor->data[j] = 3;
            parameters->list[i].tensor->grad[j] = 1;
        }
    }
    hl_optimizer *optimizer = example_optimizer(parameters, (hl_optimizer_options){ .name = HL_SGD });
    hl_optimizer_step(optimizer, _i, 1);
    int64_t at = 0;
    for (int i = 0; i < N_PARAMETERS; i++) {
        for (; at < parameters->list[i].offset; at++) {
            ck_assert(parameters->values[at] == 0);
        }
        for (; at < parameters->list[i].offset + lengths[i]; at++) {
            ck_assert(parameters->values[at] == 2);
        }
    }
}

LOOP_TEST(gaps_hold_zeros_and_gradients_stay, 0, N_NAMES)
{
    hl_parameters *parameters = example_parameters(N_PARAMETERS, lengths);
    hl_parameters *untouched = example_parameters(N_PARAMETERS, lengths);
    hl_optimizer *optimizer = example_optimizer(parameters, options_of((hl_optimizer_name)_i));
    for (int step = 0; step < 3; step++) {
        hl_optimizer_step(optimizer, 2, 0.01);
    }
    ck_assert(same_block(parameters->grads, untouched->grads, parameters->count));
    for (int i = 0; i + 1 < N_PARAMETERS; i++) {
        for (int64_t at = parameters->list[i].offset + lengths[i]; at < parameters->list[i + 1].offset; at++) {
            ck_assert(parameters->values[at] == 0);
            ck_assert(optimizer->m == NULL || (optimizer->m[at] == 0 && optimizer->v[at] == 0));
        }
    }
}

LOOP_TEST(a_frozen_parameter_keeps_value_and_moments_until_it_thaws, 0, N_NAMES)
{
    hl_parameters *parameters = example_parameters(N_PARAMETERS, lengths);
    hl_parameters *untouched = example_parameters(N_PARAMETERS, lengths);
    hl_optimizer *optimizer = example_optimizer(parameters, options_of((hl_optimizer_name)_i));
    const hl_parameter *frozen = &parameters->list[2]; /* it decays, and has a gradient */
    frozen->tensor->requires_grad = false;
    hl_optimizer_step(optimizer, 1, 0.01);
    hl_optimizer_step(optimizer, 1, 0.01);
    const hl_real *before = untouched->values + frozen->offset;
    ck_assert(same_block(frozen->tensor->data, before, frozen->count));
    for (int64_t j = 0; j < frozen->count && optimizer->m != NULL; j++) {
        ck_assert(optimizer->m[frozen->offset + j] == 0);
        ck_assert(optimizer->v[frozen->offset + j] == 0);
    }
    ck_assert(parameters->list[1].tensor->data[0] != untouched->values[parameters->list[1].offset]);
    ck_assert(parameters->list[3].tensor->data[0] != untouched->values[parameters->list[3].offset]);
    frozen->tensor->requires_grad = true;
    hl_optimizer_step(optimizer, 1, 0.01);
    for (int64_t j = 0; j < frozen->count; j++) {
        ck_assert(frozen->tensor->data[j] != before[j]);
    }
}

/* Without gradients, only decay moves a weight: by rate * decay of itself, or by Adam's full rate towards zero, where
 * the decay is its gradient. */
LOOP_TEST(only_parameters_marked_for_it_decay, 0, N_NAMES)
{
    hl_parameters *parameters = example_parameters(2, (int64_t[]){ 20, 20 });
    hl_parameters *before = example_parameters(2, (int64_t[]){ 20, 20 });
    hl_parameters_zero_grad(parameters);
    hl_optimizer *optimizer = example_optimizer(parameters, options_of((hl_optimizer_name)_i));
    hl_optimizer_step(optimizer, 1, 0.25);
    for (int64_t j = 0; j < 20; j++) {
        double weight = (double)before->list[0].tensor->data[j];
        double decayed = _i == HL_ADAM ? weight - copysign(0.25, weight) : weight * (1 - 0.25 * 0.1);
        ck_assert_double_eq_tol((double)parameters->list[0].tensor->data[j], decayed, 1e-6);
        ck_assert(parameters->list[1].tensor->data[j] == before->list[1].tensor->data[j]);
    }
}

/* Without memory, also of numbers so large that what follows would be lost beside them. */
TEST(moments_of_beta_0_are_the_last_gradient)
{
    hl_parameters *parameters = example_parameters(1, (int64_t[]){ 20 });
    hl_optimizer_options options = options_of(HL_ADAM);
    options.beta1 = options.beta2 = options.weight_decay = 0;
    hl_optimizer *optimizer = example_optimizer(parameters, options);
    hl_real *grads = parameters->grads;
    for (int step = 0; step < 2; step++) {
        for (int i = 0; i < 20; i++) {
            grads[i] = step == 0 ? 1e9F : (hl_real)(i + 1) / 1024;
        }
        hl_optimizer_step(optimizer, 1, 0.01);
    }
    for (int i = 0; i < 20; i++) {
        ck_assert(optimizer->m[i] == grads[i] && optimizer->v[i] == grads[i] * grads[i]);
    }
}

TEST(without_decay_adamw_is_adam)
{
    hl_parameters *a = example_parameters(N_PARAMETERS, lengths), *b = example_parameters(N_PARAMETERS, lengths);
    hl_optimizer_options options = options_of(HL_ADAM);
    options.weight_decay = 0;
    hl_optimizer *adam = example_optimizer(a, options);
    options.name = HL_ADAMW;
    hl_optimizer *adamw = example_optimizer(b, options);
    for (int step = 0; step < 3; step++) {
        hl_optimizer_step(adam, 1, 0.01);
        hl_optimizer_step(adamw, 1, 0.01);
    }
    ck_assert(same_state(adam, adamw));
}

/* What the header promises to checkpoints: step, m, v and the values are all there is. */
LOOP_TEST(a_resumed_optimizer_goes_on_with_the_same_bits, 0, N_NAMES)
{
    hl_parameters *a = example_parameters(N_PARAMETERS, lengths), *b = example_parameters(N_PARAMETERS, lengths);
    hl_optimizer *through = example_optimizer(a, options_of((hl_optimizer_name)_i));
    hl_optimizer *resumed = example_optimizer(b, options_of((hl_optimizer_name)_i));
    for (int step = 0; step < 3; step++) {
        hl_optimizer_step(through, 1, 0.01);
    }
    size_t bytes = (size_t)a->count * sizeof(hl_real);
    memcpy(b->values, a->values, bytes);
    if (through->m != NULL) {
        memcpy(resumed->m, through->m, bytes);
        memcpy(resumed->v, through->v, bytes);
    }
    resumed->step = through->step;
    ck_assert_int_eq(resumed->step, 3);
    hl_optimizer_step(through, 1, 0.01);
    hl_optimizer_step(resumed, 1, 0.01);
    ck_assert(same_state(through, resumed));
}

/* An embedding row that no batch ever names: 0 / (0 + epsilon), step after step. */
TEST(a_gradient_that_is_always_zero_moves_nothing)
{
    hl_parameters *parameters = example_parameters(2, (int64_t[]){ 20, 20 });
    hl_parameters *before = example_parameters(2, (int64_t[]){ 20, 20 });
    hl_parameters_zero_grad(parameters);
    hl_optimizer_options options = options_of(HL_ADAM);
    options.weight_decay = 0;
    hl_optimizer *optimizer = example_optimizer(parameters, options);
    for (int step = 0; step < 100; step++) {
        hl_optimizer_step(optimizer, 1, 1);
    }
    ck_assert(same_block(parameters->values, before->values, parameters->count));
}

TEST(sgd_has_no_moments)
{
    hl_parameters *parameters = example_parameters(1, (int64_t[]){ 5 });
    hl_optimizer *optimizer = example_optimizer(parameters, (hl_optimizer_options){ .name = HL_SGD });
    ck_assert_ptr_null(optimizer->m);
    ck_assert_ptr_null(optimizer->v);
}

static const struct {
    hl_optimizer_options options;
    const char *text;
} refused[] = {
    { { HL_ADAM, 1, 0.98, 1e-9, 0 }, "beta1 must be at least 0 and below 1, not 1" },
    { { HL_ADAM, -0.1, 0.98, 1e-9, 0 }, "beta1 must be at least 0 and below 1, not -0.1" },
    { { HL_ADAM, NAN, 0.98, 1e-9, 0 }, "beta1" },
    { { HL_ADAMW, 0.9, 1, 1e-9, 0 }, "beta2 must be at least 0 and below 1, not 1" },
    { { HL_ADAMW, 0.9, -1, 1e-9, 0 }, "beta2" },
    { { HL_ADAMW, 0.9, NAN, 1e-9, 0 }, "beta2" },
    { { HL_ADAM, 0.9, 0.98, 0, 0 }, "epsilon must be above 0 and finite in float32, not 0" },
    { { HL_ADAM, 0.9, 0.98, -1e-9, 0 }, "epsilon" },
    { { HL_ADAM, 0.9, 0.98, NAN, 0 }, "epsilon" },
    { { HL_ADAM, 0.9, 0.98, INFINITY, 0 }, "epsilon" },
    { { HL_ADAM, 0.9, 0.98, 1e-60, 0 }, "epsilon must be above 0 and finite in float32, not 1e-60" },
    { { HL_ADAM, 0.9, 0.98, 1e-9, -0.1 }, "weight_decay must be at least 0 and finite, not -0.1" },
    { { HL_SGD, 0, 0, 0, NAN }, "weight_decay" },
    { { HL_SGD, 0, 0, 0, INFINITY }, "weight_decay" },
    { { (hl_optimizer_name)(HL_SGD + 1), 0.9, 0.98, 1e-9, 0 }, "unknown optimizer number 3" },
};

LOOP_TEST(options_out_of_range_are_refused_by_name, 0, ROWS(refused))
{
    hl_parameters *parameters = example_parameters(1, (int64_t[]){ 5 });
    hl_optimizer optimizer;
    hl_status status = hl_optimizer_init(&optimizer, parameters, refused[_i].options);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_msg(strncmp(status.text, refused[_i].text, strlen(refused[_i].text)) == 0, "%s", status.text);
    ck_assert_ptr_null(optimizer.m);
    hl_optimizer_free(&optimizer);
}

TEST(unallocated_parameters_are_refused)
{
    hl_parameters parameters = { 0 };
    hl_optimizer optimizer;
    ck_assert_int_eq(hl_optimizer_init(&optimizer, &parameters, options_of(HL_ADAM)).code, HL_INVALID);
    hl_optimizer_step(&optimizer, 1, 0.1);
    ck_assert_int_eq(optimizer.step, 0);
    hl_optimizer_free(&optimizer);
}

TEST(running_out_of_memory_leaves_nothing_behind)
{
    hl_parameters *parameters = example_parameters(1, (int64_t[]){ 5 });
    faults_begin();
    int n = 0;
    while (fault_checks_next(&n, FAULTS_ONCE)) {
        hl_optimizer optimizer;
        fault_checks_turn(hl_optimizer_init(&optimizer, parameters, options_of(HL_ADAM)));
        hl_optimizer_free(&optimizer);
    }
    ck_assert_int_eq(n, 3);
    faults_end();
}

TEST(a_step_allocates_nothing)
{
    hl_parameters *parameters = example_parameters(N_PARAMETERS, lengths);
    faults_begin();
    hl_optimizer *optimizer = example_optimizer(parameters, options_of(HL_ADAMW));
    ck_assert_int_eq(faults_allocations(), 2);
    hl_optimizer_step(optimizer, 2, 0.01);
    ck_assert_int_eq(faults_allocations(), 2);
    hl_optimizer_free(optimizer);
    ck_assert_int_eq(faults_live_blocks(), 0);
    faults_end();
}

SUITE("optimizer", .after = example_end)
