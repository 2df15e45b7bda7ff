#include "optim/clip.h"
#include "tests/check_suite.h"
#include "tests/optim/example.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 90,000 numbers: enough for several threads. */
static const int64_t lengths[] = { 1, 70001, 17, 20000 };
enum { N_PARAMETERS = 4 };

static hl_real *copy_of_grads(const hl_parameters *parameters)
{
    size_t bytes = (size_t)parameters->count * sizeof(hl_real);
    hl_real *copy = malloc(bytes);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, parameters->grads, bytes);
    return copy;
}

static bool grads_are(const hl_parameters *parameters, const hl_real *expected)
{
    return memcmp(parameters->grads, expected, (size_t)parameters->count * sizeof(hl_real)) == 0;
}

static double norm_of(const hl_real *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += (double)x[i] * (double)x[i];
    }
    return sqrt(sum);
}

TEST(gradients_above_the_limit_are_scaled_to_it_and_the_norm_before_is_returned)
{
    hl_parameters *parameters = example_parameters(N_PARAMETERS, lengths);
    hl_real *before = copy_of_grads(parameters);
    double norm = hl_clip_gradients(2, parameters, 0.5);
    double expected = norm_of(before, parameters->count);
    ck_assert_double_eq_tol(norm, expected, 1e-11 * expected);
    for (int64_t i = 0; i < parameters->count; i++) {
        double scaled = (double)before[i] * (0.5 / (expected + 1e-6));
        ck_assert_double_le(fabs((double)parameters->grads[i] - scaled), 1.5e-7 * fabs(scaled));
    }
    ck_assert_double_eq_tol(norm_of(parameters->grads, parameters->count), 0.5, 1e-6);
    free(before);
}

TEST(the_limit_is_divided_by_the_norm_plus_a_millionth)
{
    hl_parameters *parameters = example_parameters(1, (int64_t[]){ 2 });
    parameters->grads[0] = 0;
    parameters->grads[1] = (hl_real)3e-6;
    ck_assert_double_eq_tol(hl_clip_gradients(1, parameters, 1e-6), 3e-6, 1e-12);
    ck_assert_double_eq_tol((double)parameters->grads[1], 0.75e-6, 1e-12);
}

TEST(gradients_below_the_limit_stay_and_limit_0_only_measures)
{
    hl_parameters *parameters = example_parameters(N_PARAMETERS, lengths);
    hl_real *before = copy_of_grads(parameters);
    double norm = norm_of(before, parameters->count);
    double limits[] = { 0, norm + 1, 1e9 };
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq_tol(hl_clip_gradients(2, parameters, limits[i]), norm, 1e-11 * norm);
        ck_assert(grads_are(parameters, before));
    }
    hl_parameters_zero_grad(parameters);
    ck_assert_double_eq(hl_clip_gradients(1, parameters, 1), 0);
    free(before);
}

TEST(squares_that_float_cannot_hold_are_no_obstacle)
{
    hl_parameters *parameters = example_parameters(1, (int64_t[]){ 2 });
    parameters->grads[0] = (hl_real)3e30;
    parameters->grads[1] = (hl_real)4e30;
    ck_assert_double_eq_tol(hl_clip_gradients(1, parameters, 10), 5e30, 1e24);
    ck_assert_double_eq_tol((double)parameters->grads[0], 6, 1e-5);
    ck_assert_double_eq_tol((double)parameters->grads[1], 8, 1e-5);
}

LOOP_TEST(a_norm_that_is_not_finite_is_returned_and_changes_nothing, 0, 3)
{
    static const double bad[] = { INFINITY, -INFINITY, NAN };
    hl_parameters *parameters = example_parameters(N_PARAMETERS, lengths);
    ck_assert_ptr_null(hl_clip_find_not_finite(parameters));
    parameters->list[1].tensor->grad[70000] = (hl_real)bad[_i];
    hl_real *before = copy_of_grads(parameters);
    double norm = hl_clip_gradients(2, parameters, 1);
    ck_assert(isnan(bad[_i]) ? isnan(norm) : isinf(norm));
    ck_assert(grads_are(parameters, before));
    ck_assert_ptr_eq(hl_clip_find_not_finite(parameters), &parameters->list[1]);
    parameters->list[0].tensor->grad[0] = (hl_real)bad[_i];
    ck_assert_ptr_eq(hl_clip_find_not_finite(parameters), &parameters->list[0]);
    free(before);
}

TEST(norm_and_gradients_have_the_same_bits_at_any_thread_count)
{
    hl_parameters *one = example_parameters(N_PARAMETERS, lengths);
    double norm = hl_clip_gradients(1, one, 1);
    for (int threads = 2; threads <= 4; threads++) {
        hl_parameters *other = example_parameters(N_PARAMETERS, lengths);
        double other_norm = hl_clip_gradients(threads, other, 1);
        ck_assert_mem_eq(&other_norm, &norm, sizeof norm);
        ck_assert(grads_are(other, one->grads));
    }
}

SUITE("clip", .after = example_end)
