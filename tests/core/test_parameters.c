#include "core/parameters.h"

#include "tests/check_suite.h"
#include "tests/faults.h"
#include "tests/messages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static hl_parameter_spec spec(const char *name, hl_shape shape, hl_init init, hl_real scale, int64_t n_matrices)
{
    return (hl_parameter_spec){ .name = name, .shape = shape, .init = init, .scale = scale, .n_matrices = n_matrices };
}

static void allocate(hl_parameters *parameters)
{
    CHECK_OK(hl_parameters_allocate(parameters));
}

TEST(parameters_are_found_by_name_and_alias)
{
    hl_parameters parameters = { 0 };
    char name[] = "embedding.weight";
    hl_tensor *W = hl_parameters_add(&parameters, (hl_parameter_spec){
                                                      .name = name,
                                                      .shape = HL_SHAPE(5, 3),
                                                      .init = HL_INIT_NORMAL,
                                                      .scale = 0.5f,
                                                      .decay = true,
                                                  });
    name[0] = '?'; /* the name is the registry's own */
    hl_tensor *b = hl_parameters_add(&parameters, spec("output.bias", HL_SHAPE(5), HL_INIT_ZERO, 0, 0));
    hl_parameters_alias(&parameters, "output.weight", W);
    hl_parameters_alias(&parameters, "nothing", NULL);
    CHECK_OK(hl_parameters_status(&parameters));
    const hl_parameter *found = hl_parameters_find(&parameters, "embedding.weight");
    ck_assert_ptr_eq(found->tensor, W);
    ck_assert_str_eq(found->name, "embedding.weight");
    ck_assert(found->decay && found->init == HL_INIT_NORMAL && found->scale == 0.5f && found->n_matrices == 1);
    ck_assert_ptr_eq(hl_parameters_find(&parameters, "output.weight"), found);
    ck_assert_ptr_eq(hl_parameters_find(&parameters, "output.bias")->tensor, b);
    ck_assert_ptr_null(hl_parameters_find(&parameters, "output.weigh"));
    ck_assert_ptr_null(hl_parameters_find(&parameters, "nothing"));
    ck_assert_int_eq(hl_parameters_count(&parameters), 20);
    ck_assert(W->requires_grad && W->grad_written && W->data == NULL && hl_shape_equal(W->shape, HL_SHAPE(5, 3)));
    hl_parameters_free(&parameters);
    ck_assert_int_eq(parameters.n, 0);
    hl_parameters_free(&parameters);
}

/* The registry reports the error, and every later call does nothing. */
static void refuses(hl_parameters *parameters, const hl_tensor *result, const char *id)
{
    ck_assert_ptr_null(result);
    message_check(hl_parameters_status(parameters), HL_INVALID, id);
    int n = parameters->n;
    ck_assert_ptr_null(hl_parameters_add(parameters, spec("later", HL_SHAPE(1), HL_INIT_ZERO, 0, 0)));
    ck_assert_int_eq(parameters->n, n);
    ck_assert_int_eq(hl_parameters_allocate(parameters).code, HL_INVALID);
    ck_assert_ptr_null(parameters->values);
    parameters->error = hl_ok();
}

TEST(names_come_once_and_shapes_are_possible)
{
    hl_parameters parameters = { 0 };
    hl_tensor *a = hl_parameters_add(&parameters, spec("a", HL_SHAPE(2), HL_INIT_ONE, 0, 0));
    refuses(&parameters, hl_parameters_add(&parameters, spec("a", HL_SHAPE(3), HL_INIT_ONE, 0, 0)),
            "parameters.parameter_registered_twice");
    hl_parameters_alias(&parameters, "b", a);
    refuses(&parameters, hl_parameters_add(&parameters, spec("b", HL_SHAPE(3), HL_INIT_ONE, 0, 0)),
            "parameters.parameter_b_registered_twice");
    hl_parameters_alias(&parameters, "a", a);
    refuses(&parameters, NULL, "parameters.parameter_registered_twice");
    hl_parameters_alias(&parameters, "b", a);
    refuses(&parameters, NULL, "parameters.parameter_b_registered_twice");
    refuses(&parameters, hl_parameters_add(&parameters, spec("c", HL_SHAPE(2, 0), HL_INIT_ONE, 0, 0)),
            "parameters.parameter_c_impossible_shape_2");
    refuses(&parameters, hl_parameters_add(&parameters, spec("c", HL_SHAPE(-2, -2), HL_INIT_ONE, 0, 0)),
            "parameters.parameter_c_impossible_shape_minus_2");
    refuses(&parameters, hl_parameters_add(&parameters, spec("c", HL_SHAPE(INT64_MAX, 2), HL_INIT_ONE, 0, 0)),
            "parameters.parameter_c_impossible_shape_9223372036854775807");
    refuses(&parameters, hl_parameters_add(&parameters, spec("c", HL_SHAPE(INT64_MAX), HL_INIT_ONE, 0, 0)),
            "parameters.parameter_c_impossible_shape_9223372036854775807_2");
    ck_assert_int_eq(parameters.n, 1);
    ck_assert_int_eq(parameters.n_aliases, 1);
    hl_parameters_free(&parameters);
}

TEST(values_and_gradients_are_one_block_each_with_zero_gaps)
{
    hl_parameters parameters = { 0 };
    static const hl_shape shapes[] = { { 2, { 5, 3 } }, { 1, { 16 } }, { 1, { 1 } }, { 3, { 2, 3, 4 } } };
    char name[8];
    for (int i = 0; i < 40; i++) { /* more than the list holds at first */
        snprintf(name, sizeof name, "p%d", i);
        hl_parameters_add(&parameters, spec(name, shapes[i % 4], HL_INIT_ONE, 0, 0));
    }
    allocate(&parameters);
    hl_parameters_initialise(&parameters, 1);
    ck_assert_int_eq(hl_parameters_count(&parameters), 10 * (15 + 16 + 1 + 24));
    ck_assert_int_eq(parameters.count, 10 * (16 + 16 + 16 + 32));
    int64_t at = 0, ones = 0;
    for (int i = 0; i < 40; i++) {
        const hl_parameter *p = &parameters.list[i];
        ck_assert_int_eq(p->offset, at);
        ck_assert_int_eq(p->count, hl_shape_count(shapes[i % 4]));
        ck_assert_ptr_eq(p->tensor->data, parameters.values + at);
        ck_assert_ptr_eq(p->tensor->grad, parameters.grads + at);
        ck_assert_uint_eq((uintptr_t)p->tensor->data % 64, 0);
        at += (p->count + 15) / 16 * 16;
    }
    for (int64_t i = 0; i < parameters.count; i++) {
        ck_assert(parameters.values[i] == 0 || parameters.values[i] == 1);
        ones += parameters.values[i] == 1;
        ck_assert(parameters.grads[i] == 0);
        parameters.grads[i] = 7;
    }
    ck_assert_int_eq(ones, hl_parameters_count(&parameters));
    hl_parameters_zero_grad(&parameters);
    for (int64_t i = 0; i < parameters.count; i++) {
        ck_assert(parameters.grads[i] == 0);
    }
    hl_parameters_free(&parameters);
}

typedef struct moments {
    double mean, variance, least, most;
} moments;

static moments moments_of(const hl_real *x, int64_t n)
{
    moments m = { .least = INFINITY, .most = -INFINITY };
    for (int64_t i = 0; i < n; i++) {
        m.mean += (double)x[i] / (double)n;
        m.variance += (double)x[i] * (double)x[i] / (double)n;
        m.least = fmin(m.least, (double)x[i]);
        m.most = fmax(m.most, (double)x[i]);
    }
    m.variance -= m.mean * m.mean;
    return m;
}

/* Uniform in (-bound, bound), and up to its ends. */
static void check_uniform(const hl_real *x, int64_t n, double bound)
{
    moments m = moments_of(x, n);
    ck_assert_double_ge(m.least, -bound * (1 + 1e-6));
    ck_assert_double_le(m.most, bound * (1 + 1e-6));
    ck_assert_double_le(m.least, -0.99 * bound);
    ck_assert_double_ge(m.most, 0.99 * bound);
    ck_assert_double_eq_tol(m.mean / bound, 0, 4 * sqrt(1.0 / 3 / (double)n));
    ck_assert_double_eq_tol(m.variance / (bound * bound / 3), 1, 4 * sqrt(0.8 / (double)n));
}

TEST(xavier_is_uniform_with_the_bound_of_each_stacked_matrix)
{
    hl_parameters parameters = { 0 };
    hl_tensor *packed =
        hl_parameters_add(&parameters, spec("in_proj_weight", HL_SHAPE(192, 64), HL_INIT_XAVIER_UNIFORM, 0, 3));
    hl_tensor *wide = hl_parameters_add(&parameters, spec("W", HL_SHAPE(200, 50), HL_INIT_XAVIER_UNIFORM, 0, 0));
    allocate(&parameters);
    hl_parameters_initialise(&parameters, 42);
    for (int i = 0; i < 3; i++) {
        check_uniform(packed->data + i * 64 * 64, 64 * 64, sqrt(6.0 / 128));
    }
    ck_assert(memcmp(packed->data, packed->data + 64 * 64, 64 * 64 * sizeof(hl_real)) != 0);
    check_uniform(wide->data, 200 * 50, sqrt(6.0 / 250));
    hl_parameters_free(&parameters);
}

TEST(other_initial_values_are_as_asked)
{
    hl_parameters parameters = { 0 };
    hl_tensor *normal = hl_parameters_add(&parameters, spec("n", HL_SHAPE(200, 100), HL_INIT_NORMAL, 0.25f, 0));
    hl_tensor *uniform = hl_parameters_add(&parameters, spec("u", HL_SHAPE(100, 100), HL_INIT_UNIFORM, 0.125f, 0));
    hl_tensor *zero = hl_parameters_add(&parameters, spec("z", HL_SHAPE(3), HL_INIT_ZERO, 1, 0));
    hl_tensor *one = hl_parameters_add(&parameters, spec("o", HL_SHAPE(3), HL_INIT_ONE, 5, 0));
    allocate(&parameters);
    zero->data[1] = 5;
    hl_parameters_initialise(&parameters, 42);
    moments m = moments_of(normal->data, 20000);
    ck_assert_double_eq_tol(m.mean, 0, 4 * 0.25 / sqrt(20000));
    ck_assert_double_eq_tol(sqrt(m.variance), 0.25, 4 * 0.25 / sqrt(40000));
    ck_assert_double_gt(m.most, 3 * 0.25);
    check_uniform(uniform->data, 10000, 0.125);
    for (int i = 0; i < 3; i++) {
        ck_assert(zero->data[i] == 0 && one->data[i] == 1);
    }
    hl_parameters_free(&parameters);
}

TEST(several_threads_draw_the_same)
{
    static const hl_init inits[] = { HL_INIT_NORMAL, HL_INIT_XAVIER_UNIFORM };
    for (int i = 0; i < 2; i++) {
        hl_parameters one = { 0 }, more = { 0 };
        hl_tensor *x = hl_parameters_add(&one, spec("weight", HL_SHAPE(301, 67), inits[i], 0, 0));
        hl_tensor *y = hl_parameters_add(&more, spec("weight", HL_SHAPE(301, 67), inits[i], 0, 0));
        allocate(&one);
        allocate(&more);
        hl_parameters_initialise(&one, 3);
        hl_parameters_initialise_on(&more, 3, 3);
        ck_assert_mem_eq(x->data, y->data, 301 * 67 * sizeof(hl_real));
        hl_parameters_free(&one);
        hl_parameters_free(&more);
    }
}

TEST(every_parameter_draws_from_a_stream_of_its_own)
{
    hl_parameters alone = { 0 }, more = { 0 };
    hl_shape shape = HL_SHAPE(6, 5);
    hl_tensor *x = hl_parameters_add(&alone, spec("layer.1.weight", shape, HL_INIT_XAVIER_UNIFORM, 0, 0));
    hl_tensor *first = hl_parameters_add(&more, spec("layer.0.weight", shape, HL_INIT_XAVIER_UNIFORM, 0, 0));
    hl_tensor *same = hl_parameters_add(&more, spec("layer.1.weight", shape, HL_INIT_XAVIER_UNIFORM, 0, 0));
    allocate(&alone);
    allocate(&more);
    hl_parameters_initialise(&alone, 7);
    hl_parameters_initialise(&more, 7);
    ck_assert_mem_eq(x->data, same->data, 30 * sizeof(hl_real));
    int equal = 0;
    for (int i = 0; i < 30; i++) {
        equal += first->data[i] == same->data[i];
    }
    ck_assert_int_eq(equal, 0);
    hl_parameters_initialise(&more, 8);
    ck_assert(memcmp(x->data, same->data, 30 * sizeof(hl_real)) != 0);
    hl_parameters_initialise(&more, 7);
    ck_assert_mem_eq(x->data, same->data, 30 * sizeof(hl_real));
    hl_parameters_free(&alone);
    hl_parameters_free(&more);
}

/* Registers 40 parameters and an alias, and allocates. */
static hl_status make(hl_parameters *parameters)
{
    char name[8];
    hl_tensor *last = NULL;
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "p%d", i);
        last = hl_parameters_add(parameters, spec(name, HL_SHAPE(3), HL_INIT_ONE, 0, 0));
    }
    hl_parameters_alias(parameters, "alias", last);
    return hl_parameters_allocate(parameters);
}

TEST(any_failing_allocation_is_a_clean_error)
{
    faults_begin();
    hl_parameters parameters = { 0 };
    faults_in_memory(0, FAULTS_ONCE);
    CHECK_OK(make(&parameters));
    int n = faults_allocations();
    ck_assert_int_gt(n, 80);
    hl_parameters_free(&parameters);
    for (int i = 1; i <= n; i++) {
        faults_in_memory(i, i % 2 == 0 ? FAULTS_ONCE : FAULTS_FOR_EVER);
        hl_status status = make(&parameters);
        ck_assert_int_eq(status.code, HL_NO_MEMORY);
        ck_assert_str_eq(status.text, i < n - 1    ? "out of memory: the list of parameters"
                                      : i == n - 1 ? "out of memory: 120 parameters"
                                                   : "out of memory: the gradients of 120 parameters");
        hl_parameters_free(&parameters);
        ck_assert_int_eq(faults_live_blocks(), 0);
    }
    faults_end();
}

SUITE("parameters")
