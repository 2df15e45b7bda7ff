/* All sets of a small model's heads, against each set measured alone by the whole model. */
#include "heads/all_subsets.h"

#include "core/base/threads.h"
#include "heads/importance.h"
#include "heads/subset.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/example.h"

#include <math.h>
#include <string.h>

enum { E = 6, ODD = E / 2, T = 9, HEADS = 6, SETS = 1 << HEADS };

typedef struct all_example {
    hl_model model;
    hl_examples batch;
    hl_patterns layers[EXAMPLE_LAYERS];
    hl_all_subsets subsets;
} all_example;

static all_example x;

static void set_up(hl_norm_place norm)
{
    memset(&x, 0, sizeof x);
    hl_threads_setup();
    hl_model_config config = example_config(8);
    config.norm = norm;
    config.causal = norm == HL_NORM_POST;
    example_model(&x.model, &config);
    x.batch = example_batch(E, T - 3);
    for (int l = 0; l < EXAMPLE_LAYERS; l++) {
        x.layers[l] = hl_patterns_of(NULL, &x.batch, &x.model.config, l, 0);
    }
}

static hl_status measure_in_parts(int64_t slice)
{
    return hl_all_subsets_measure(&x.model, &x.batch, x.layers, slice, 2, NULL, &x.subsets);
}

static void tear_down(void)
{
    hl_all_subsets_free(&x.subsets);
    hl_examples_free(&x.batch);
    hl_model_free(&x.model);
}

/* The mean over the odd-numbered examples of their mean loss, and the share of their scored tokens that are right. */
static void measure_alone(uint32_t set, double *loss, double *accuracy)
{
    bool kept[HEADS];
    for (int i = 0; i < HEADS; i++) {
        kept[i] = set >> i & 1;
    }
    hl_subset subset = { .model = &x.model, .rows = 1, .threads = 1 };
    hl_batch_storage storage = example_rows(&x.batch);
    expect_ok(hl_subset_begin(&subset, T));
    double right = 0, scored = 0;
    *loss = 0;
    for (int64_t e = 1; e < E; e += 2) {
        hl_batch one = hl_batch_slice(&storage.batch, e, 1);
        hl_subset_worth worth;
        expect_ok(hl_subset_measure(&subset, &one, kept, &worth));
        *loss += worth.loss / ODD;
        right += worth.accuracy * (double)one.n_targets;
        scored += (double)one.n_targets;
    }
    *accuracy = right / scored;
    hl_batch_storage_free(&storage);
    hl_subset_free(&subset);
}

/* Norms before, and norms behind with a causal mask. */
LOOP_TEST(every_set_is_worth_what_it_is_alone, HL_NORM_PRE, HL_NORM_POST + 1)
{
    set_up((hl_norm_place)_i);
    for (int64_t slice = 2; slice <= E; slice += E - 2) {
        expect_ok(measure_in_parts(slice));
        ck_assert_int_eq(x.subsets.n, HEADS);
        ck_assert_int_eq(x.subsets.n_examples, ODD);
        for (uint32_t set = 0; set < SETS; set++) {
            double loss, accuracy;
            measure_alone(set, &loss, &accuracy);
            ck_assert_double_eq_tol(x.subsets.losses[set], loss, 1e-12);
            ck_assert_double_eq_tol(x.subsets.accuracies[set], accuracy, 1e-12);
        }
        hl_all_subsets_free(&x.subsets);
    }
}

TEST(shapley_values_sum_to_what_all_heads_take_off_the_loss)
{
    set_up(HL_NORM_PRE);
    expect_ok(measure_in_parts(E));
    double values[HEADS], sum = 0;
    hl_shapley_values(HEADS, x.subsets.losses, values);
    for (int i = 0; i < HEADS; i++) {
        sum += values[i];
        ck_assert_double_gt(fabs(values[i]), 1e-6);
    }
    ck_assert_double_eq_tol(sum, x.subsets.losses[0] - x.subsets.losses[SETS - 1], 1e-9);
    hl_importance importance;
    expect_ok(hl_importance_measure(&x.model, &x.batch, x.layers, E, 1, HL_IMPORTANCE_ZERO, NULL, &importance));
    ck_assert_double_eq_tol(x.subsets.losses[SETS - 1], importance.loss, 1e-12);
    for (int i = 0; i < HEADS; i++) {
        double without = x.subsets.losses[(SETS - 1) ^ (1 << i)] - x.subsets.losses[SETS - 1];
        ck_assert_double_eq_tol(without, importance.heads[i].zero.mean, 1e-12);
    }
    hl_importance_free(&importance);
}

TEST(too_many_heads_are_refused)
{
    set_up(HL_NORM_PRE);
    hl_model_free(&x.model);
    hl_model_config config = example_config(32);
    config.heads[0] = config.kv_heads[0] = 16;
    config.heads[1] = config.kv_heads[1] = 1;
    example_model(&x.model, &config);
    hl_status status = measure_in_parts(E);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_msg(strstr(status.text, "17 heads") != NULL && strstr(status.text, "16") != NULL, "%s", status.text);
    ck_assert_ptr_null(x.subsets.losses);
}

static hl_status measure_any(void *context)
{
    (void)context;
    return measure_in_parts(E);
}

static void free_measured(void *context)
{
    hl_all_subsets_free(context);
}

TEST(every_allocation_may_fail)
{
    faults_begin();
    set_up(HL_NORM_PRE);
    fault_checks_allocations(measure_any, free_measured, &x.subsets);
    faults_end();
}

SUITE("all sets of heads", .after = tear_down)
