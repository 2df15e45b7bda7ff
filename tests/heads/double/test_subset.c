/* Models with some of their heads, against models whose W_O lacks the others' columns. */
#include "heads/subset.h"

#include "core/base/threads.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/example.h"
#include "tests/heads/zeroed.h"

#include <math.h>

enum { E = 7, T = 9, HEADS = 6 };

typedef struct subset_example {
    hl_model model;
    hl_examples batch;
} subset_example;

static subset_example x;

static void set_up(void)
{
    hl_threads_setup();
    hl_model_config config = example_config(8);
    example_model(&x.model, &config);
    x.batch = example_batch(E, T - 3);
}

static void tear_down(void)
{
    hl_examples_free(&x.batch);
    hl_model_free(&x.model);
}

static hl_status measure_in_parts(const hl_model *model, const hl_examples *batch, int64_t slice, const bool *kept,
                                  hl_subset_worth *worth)
{
    hl_subset subset = { .model = model, .rows = slice * T, .threads = 2 };
    hl_batch_storage storage;
    HL_TRY(hl_batch_storage_of(&storage, batch, T));
    hl_status status = hl_subset_begin(&subset, T);
    if (status.code == HL_OK) {
        status = hl_subset_measure(&subset, &storage.batch, kept, worth);
    }
    hl_batch_storage_free(&storage);
    hl_subset_free(&subset);
    return status;
}

static hl_subset_worth measure(const hl_model *model, const hl_examples *batch, const bool *kept)
{
    hl_subset_worth worth;
    expect_ok(measure_in_parts(model, batch, E, kept, &worth));
    return worth;
}

TEST(a_head_that_is_left_out_is_one_without_columns_of_W_O)
{
    static const bool sets[][HEADS] = {
        { 1, 1, 0, 1, 1, 1 }, { 0, 0, 0, 0, 1, 0 }, { 1, 0, 1, 0, 0, 0 }, { 0 }, { 1, 1, 1, 1, 0, 1 }
    };
    hl_subset_worth whole = measure(&x.model, &x.batch, NULL);
    for (int i = 0; i < ROWS(sets); i++) {
        hl_model zeroed = copied_model(&x.model);
        zero_out(&zeroed, sets[i]);
        hl_subset_worth expected = measure(&zeroed, &x.batch, NULL), found = measure(&x.model, &x.batch, sets[i]);
        ck_assert_double_eq_tol(found.loss, expected.loss, 1e-12);
        ck_assert_double_eq(found.accuracy, expected.accuracy);
        ck_assert_double_gt(fabs(found.loss - whole.loss), 1e-4);
        hl_model_free(&zeroed);
    }
}

TEST(all_heads_are_the_model_itself)
{
    const bool all[HEADS] = { 1, 1, 1, 1, 1, 1 };
    hl_subset_worth named = measure(&x.model, &x.batch, all), unnamed = measure(&x.model, &x.batch, NULL);
    ck_assert_double_eq(named.loss, unnamed.loss);
    hl_arena arena;
    expect_ok(hl_arena_init(&arena, 1 << 20));
    hl_cross_entropy_result result = { 0 };
    hl_tape tape;
    hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = 2 });
    hl_batch_storage storage = example_rows(&x.batch);
    hl_model_loss(&tape, &x.model, &storage.batch, (hl_cross_entropy_args){ .result = &result }, NULL);
    expect_ok(hl_tape_status(&tape));
    ck_assert_double_eq(unnamed.loss, result.loss_sum / (double)result.n_scored);
    ck_assert_double_eq(unnamed.accuracy, (double)result.n_correct / (double)result.n_scored);
    hl_batch_storage_free(&storage);
    hl_arena_free(&arena);
}

TEST(parts_change_only_rounding)
{
    const bool kept[HEADS] = { 0, 1, 1, 0, 0, 1 };
    hl_subset_worth whole = measure(&x.model, &x.batch, kept), found;
    for (int64_t slice = 1; slice < E; slice++) {
        expect_ok(measure_in_parts(&x.model, &x.batch, slice, kept, &found));
        ck_assert_double_eq_tol(found.loss, whole.loss, 1e-12);
        ck_assert_double_eq(found.accuracy, whole.accuracy);
    }
}

TEST(what_cannot_be_measured_is_said)
{
    faults_begin();
    hl_subset_worth worth;
    hl_subset subset = { .model = &x.model, .rows = 2, .threads = 1 };
    ck_assert_int_eq(hl_subset_begin(&subset, x.model.config.max_length + 1).code, HL_INVALID);
    hl_subset_free(&subset);
    hl_subset_free(&subset); /* twice is allowed */
    int n = 0;
    while (fault_checks_next(&n, FAULTS_ONCE)) {
        fault_checks_turn(measure_in_parts(&x.model, &x.batch, 2, NULL, &worth));
    }
    ck_assert_int_gt(n, 3);
    x.model.output.linear.weight->data[0] = (hl_real)NAN;
    ck_assert_int_eq(measure_in_parts(&x.model, &x.batch, 2, NULL, &worth).code, HL_NOT_FINITE);
    faults_end();
}

SUITE("subsets of heads", .before = set_up, .after = tear_down)
