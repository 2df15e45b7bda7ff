/* A model run over a batch slice by slice. */
#include "heads/evaluator.h"
#include "tests/check_suite.h"
#include "tests/heads/example.h"
#include "tests/messages.h"

#include <math.h>
#include <string.h>

enum { E = 7, ROWS = 27 }; /* examples of 9, 6 and 12 tokens in turn: three slices of 3, 3 and 1 of them */

/* What a visitor has seen. */
typedef struct seen {
    int64_t slices, examples, most; /* after `most` slices it wants no more */
} seen;

static hl_status wants(void *context, hl_evaluator_slice *slice)
{
    const seen *s = context;
    ck_assert_int_eq(slice->first, s->slices * 3);
    return s->slices < s->most ? hl_ok() : hl_error(HL_FAILED, "enough");
}

static hl_status see(void *context, const hl_evaluator_slice *slice, const hl_real *logits)
{
    seen *s = context;
    ck_assert(isfinite(logits[0]));
    s->slices++;
    s->examples += slice->batch.n_examples;
    return hl_ok();
}

/* A model, seven examples and an evaluator of so many rows with as much memory as it says it needs. */
typedef struct evaluated {
    hl_model model;
    hl_batch_storage storage;
    hl_tape_plan plan;
    hl_arena arena;
    seen seen;
    hl_evaluator evaluator;
} evaluated;

static evaluated f;

static void set_up_pooling(hl_pooling pooling)
{
    hl_model_config config = example_config(16);
    config.pooling = pooling;
    example_model(&f.model, &config);
    hl_examples examples = example_batch(E, 12);
    f.storage = example_rows(&examples);
    hl_examples_free(&examples);
    f.seen = (seen){ .most = E };
    f.evaluator = (hl_evaluator){ .model = &f.model,
                                  .arena = &f.arena,
                                  .plan = &f.plan,
                                  .rows = ROWS,
                                  .threads = 1,
                                  .loss = "step 3: the loss",
                                  .context = &f.seen };
    expect_ok(hl_evaluator_plan(&f.evaluator, 12, &f.plan));
    expect_ok(hl_arena_init(&f.arena, f.plan.bytes));
    f.evaluator.begin = wants;
    f.evaluator.end = see;
}

static void set_up(void)
{
    set_up_pooling(HL_POOLING_ROWS);
}

static void tear_down(void)
{
    hl_arena_free(&f.arena);
    hl_batch_storage_free(&f.storage);
    hl_tape_plan_free(&f.plan);
    hl_model_free(&f.model);
}

TEST(slices_make_up_the_whole)
{
    hl_cross_entropy_result sum = { 0 };
    expect_ok(hl_evaluate(&f.evaluator, &f.storage.batch, &sum));
    ck_assert_int_eq(f.seen.slices, 3);
    ck_assert_int_eq(f.seen.examples, E);
    ck_assert_int_eq(sum.n_scored, f.storage.batch.n_targets);
    double by_hand = 0;
    for (int64_t e = 0; e < E; e++) {
        hl_batch one = hl_batch_slice(&f.storage.batch, e, 1);
        hl_cross_entropy_result its = { 0 };
        hl_evaluator alone = f.evaluator;
        alone.begin = NULL;
        alone.end = NULL;
        expect_ok(hl_evaluate(&alone, &one, &its));
        by_hand += its.loss_sum;
    }
    ck_assert_double_eq_tol(sum.loss_sum, by_hand, 1e-4 * by_hand);
    ck_assert_uint_eq(f.arena.used, 0);
}

TEST(a_visitor_may_end_it)
{
    f.seen.most = 1;
    hl_cross_entropy_result sum = { 0 };
    ck_assert_str_eq(hl_evaluate(&f.evaluator, &f.storage.batch, &sum).text, "enough");
    ck_assert_int_eq(sum.n_scored, hl_batch_slice(&f.storage.batch, 0, 3).n_targets);
}

TEST(a_loss_that_is_not_finite_is_named)
{
    f.model.output.linear.weight->data[0] = (hl_real)NAN;
    hl_cross_entropy_result sum = { 0 };
    hl_status status = hl_evaluate(&f.evaluator, &f.storage.batch, &sum);
    message_check(status, HL_NOT_FINITE, "evaluator.not_finite");
    ck_assert_int_eq(f.seen.slices, 0);
    ck_assert_uint_eq(f.arena.used, 0);
}

TEST(less_memory_than_planned_does_not_do)
{
    hl_arena_free(&f.arena);
    expect_ok(hl_arena_init(&f.arena, f.plan.bytes - 4096));
    ck_assert_int_eq(hl_evaluate(&f.evaluator, &f.storage.batch, NULL).code, HL_NO_MEMORY);
    hl_tape_plan plan;
    ck_assert_int_eq(hl_evaluator_plan(&f.evaluator, 65, &plan).code, HL_INVALID);
    f.evaluator.rows = 0;
    ck_assert_int_eq(hl_evaluator_plan(&f.evaluator, 12, &plan).code, HL_INVALID);
}

/* An example that has more rows than a slice is run alone; one without a target adds nothing. */
TEST(every_slice_has_an_example)
{
    hl_cross_entropy_result sum = { 0 }, without = { 0 };
    f.evaluator.begin = NULL;
    f.evaluator.rows = 1;
    expect_ok(hl_evaluate(&f.evaluator, &f.storage.batch, &sum));
    ck_assert_int_eq(f.seen.slices, E);
    ck_assert_int_eq(sum.n_scored, f.storage.batch.n_targets);
    f.evaluator.end = NULL;
    hl_batch unscored = f.storage.batch;
    unscored.n_targets = 0;
    expect_ok(hl_evaluate(&f.evaluator, &unscored, &without));
    ck_assert(without.n_scored == 0 && without.loss_sum == 0);
}

static hl_status see_pooled(void *context, const hl_evaluator_slice *slice, const hl_real *logits)
{
    hl_real *all = context;
    size_t row = (size_t)EXAMPLE_VOCABULARY * sizeof *all;
    memcpy(all + slice->first * EXAMPLE_VOCABULARY, logits, (size_t)slice->batch.n_examples * row);
    return hl_ok();
}

/* A row of logits an example, in slices of as many examples as rows have room for. */
TEST(a_pooled_model_answers_once_an_example)
{
    tear_down();
    set_up_pooling(HL_POOLING_MEAN);
    hl_batch batch = f.storage.batch;
    int32_t rows[E], ids[E];
    hl_real logits[2][E * EXAMPLE_VOCABULARY];
    for (int64_t e = 0; e < E; e++) {
        rows[e] = batch.offsets[e + 1] - 1;
        ids[e] = (int32_t)e;
    }
    batch.n_targets = E;
    batch.target_rows = rows;
    batch.target_ids = ids;
    f.evaluator.begin = NULL;
    f.evaluator.end = see_pooled;
    f.evaluator.context = logits[0];
    hl_cross_entropy_result sum = { 0 };
    expect_ok(hl_evaluate(&f.evaluator, &batch, &sum));
    ck_assert_int_eq(sum.n_scored, E);
    f.evaluator.context = logits[1];
    f.evaluator.loss = NULL;
    expect_ok(hl_evaluate(&f.evaluator, &batch, NULL));
    ck_assert_mem_eq(logits[0], logits[1], sizeof logits[0]);

    const int32_t counted[] = { 0, 1, 2, 3, 4, 5, 6, 7 }; /* more examples in a slice than before */
    batch = (hl_batch){ .n_examples = E,
                        .n_rows = E,
                        .longest = 1,
                        .offsets = counted,
                        .tokens = f.storage.batch.tokens,
                        .positions = (const int32_t[E]){ 0 },
                        .n_targets = E,
                        .target_rows = counted,
                        .target_ids = ids };
    expect_ok(hl_evaluate(&f.evaluator, &batch, NULL));
}

/* Layers' outputs share memory: far less than a tape keeps that goes on to a backward pass. */
TEST(what_is_dead_gives_its_memory)
{
    hl_tape_plan kept;
    hl_batch largest = hl_batch_largest(3, 12);
    expect_ok(hl_model_plan(&f.model, &largest, (hl_tape_options){ .threads = 1 }, &kept));
    ck_assert_uint_lt(2 * f.plan.numbers, kept.numbers);
    hl_tape_plan_free(&kept);
}

SUITE("evaluator", .before = set_up, .after = tear_down)
