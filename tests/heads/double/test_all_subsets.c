/* All sets of a small model's heads, against each set measured alone by the whole model. */
#include "heads/all_subsets.h"

#include "heads/importance.h"
#include "heads/subset.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/double/measured.h"

#include <math.h>
#include <string.h>

enum { SETS = 1 << HEADS };

static hl_all_subsets subsets;

static void set_up(hl_norm_place norm)
{
    hl_model_config config = example_config(8);
    config.norm = norm;
    config.causal = norm == HL_NORM_POST;
    measured_set_up(&config);
}

static hl_status measure_in_parts(int64_t slice)
{
    return hl_all_subsets_measure(&model, &batch, layers, slice, 2, NULL, &subsets);
}

static void tear_down(void)
{
    hl_all_subsets_free(&subsets);
    measured_tear_down();
}

/* The mean over the odd-numbered examples of their mean loss, and the share of their scored tokens that are right. */
static void measure_alone(uint32_t set, double *loss, double *accuracy)
{
    bool kept[HEADS];
    for (int i = 0; i < HEADS; i++) {
        kept[i] = set >> i & 1;
    }
    hl_subset subset = { .model = &model, .rows = 1, .threads = 1 };
    hl_batch_storage storage = example_rows(&batch);
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
        ck_assert_int_eq(subsets.n, HEADS);
        ck_assert_int_eq(subsets.n_examples, ODD);
        for (uint32_t set = 0; set < SETS; set++) {
            double loss, accuracy;
            measure_alone(set, &loss, &accuracy);
            ck_assert_double_eq_tol(subsets.losses[set], loss, 1e-12);
            ck_assert_double_eq_tol(subsets.accuracies[set], accuracy, 1e-12);
        }
        hl_all_subsets_free(&subsets);
    }
}

TEST(shapley_values_sum_to_what_all_heads_take_off_the_loss)
{
    set_up(HL_NORM_PRE);
    expect_ok(measure_in_parts(E));
    double values[HEADS], sum = 0;
    hl_shapley_values(HEADS, subsets.losses, values);
    for (int i = 0; i < HEADS; i++) {
        sum += values[i];
        ck_assert_double_gt(fabs(values[i]), 1e-6);
    }
    ck_assert_double_eq_tol(sum, subsets.losses[0] - subsets.losses[SETS - 1], 1e-9);
    hl_importance importance;
    expect_ok(hl_importance_measure(&model, &batch, layers, E, 1, HL_IMPORTANCE_ZERO, NULL, &importance));
    ck_assert_double_eq_tol(subsets.losses[SETS - 1], importance.loss, 1e-12);
    for (int i = 0; i < HEADS; i++) {
        double without = subsets.losses[(SETS - 1) ^ (1 << i)] - subsets.losses[SETS - 1];
        ck_assert_double_eq_tol(without, importance.heads[i].zero.mean, 1e-12);
    }
    hl_importance_free(&importance);
}

TEST(too_many_heads_are_refused)
{
    set_up(HL_NORM_PRE);
    hl_model_free(&model);
    hl_model_config config = example_config(32);
    config.heads[0] = config.kv_heads[0] = 16;
    config.heads[1] = config.kv_heads[1] = 1;
    example_model(&model, &config);
    hl_status status = measure_in_parts(E);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_msg(strstr(status.text, "17 heads") != NULL && strstr(status.text, "16") != NULL, "%s", status.text);
    ck_assert_ptr_null(subsets.losses);
}

TEST(every_allocation_may_fail)
{
    faults_begin();
    set_up(HL_NORM_PRE);
    for (int n = 0; fault_checks_next(&n, FAULTS_ONCE);) {
        hl_status status = measure_in_parts(E);
        fault_checks_turn(status);
        ck_assert(status.code == HL_OK || subsets.losses == NULL);
        hl_all_subsets_free(&subsets);
    }
    faults_end();
}

SUITE("all sets of heads", .after = tear_down)
