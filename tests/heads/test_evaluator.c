/* A model run over examples slice by slice. */
#include "heads/evaluator.h"
#include "tests/check_suite.h"
#include "tests/heads/example.h"

#include <math.h>
#include <string.h>

enum { E = 7, SLICE = 3 };

/* What a visitor has seen. */
typedef struct seen {
    int64_t slices, examples, most; /* after `most` slices it wants no more */
} seen;

static bool wants(void *context, hl_evaluator_slice *slice)
{
    const seen *s = context;
    ck_assert_int_eq(slice->first, s->slices * SLICE);
    return s->slices < s->most;
}

static void see(void *context, const hl_evaluator_slice *slice, const hl_real *logits)
{
    seen *s = context;
    ck_assert(isfinite(logits[0]));
    s->slices++;
    s->examples += slice->examples.n_examples;
}

/* A model, seven examples and an evaluator by threes with as much memory as it says it needs. */
typedef struct evaluated {
    hl_model model;
    hl_examples batch;
    hl_arena arena;
    seen seen;
    hl_evaluator evaluator;
} evaluated;

static void set_up(evaluated *f)
{
    hl_model_config config = example_config(16);
    size_t bytes;
    example_model(&f->model, &config);
    f->batch = example_batch(E, 12);
    f->seen = (seen){ .most = E };
    f->evaluator = (hl_evaluator){ .model = &f->model,
                                   .arena = &f->arena,
                                   .slice = SLICE,
                                   .threads = 1,
                                   .loss = "step 3: the loss",
                                   .context = &f->seen };
    expect_ok(hl_evaluator_plan(&f->evaluator, f->batch.n_tokens, &bytes));
    expect_ok(hl_arena_init(&f->arena, bytes));
    f->evaluator.begin = wants;
    f->evaluator.end = see;
}

static void tear_down(evaluated *f)
{
    hl_arena_free(&f->arena);
    hl_examples_free(&f->batch);
    hl_model_free(&f->model);
}

START_TEST(slices_make_up_the_whole)
{
    evaluated f;
    set_up(&f);
    hl_cross_entropy_result sum = { 0 };
    expect_ok(hl_evaluate(&f.evaluator, &f.batch, &sum));
    ck_assert_int_eq(f.seen.slices, 3);
    ck_assert_int_eq(f.seen.examples, E);
    ck_assert_int_eq(sum.n_scored, hl_examples_scored(&f.batch));
    double by_hand = 0;
    for (int64_t e = 0; e < E; e++) {
        hl_examples one = hl_examples_slice(&f.batch, e, 1);
        hl_cross_entropy_result its = { 0 };
        hl_evaluator alone = f.evaluator;
        alone.begin = NULL;
        alone.end = NULL;
        expect_ok(hl_evaluate(&alone, &one, &its));
        by_hand += its.loss_sum;
    }
    ck_assert_double_eq_tol(sum.loss_sum, by_hand, 1e-4 * by_hand);
    ck_assert_uint_eq(f.arena.used, 0);
    tear_down(&f);
}
END_TEST

START_TEST(a_visitor_may_end_it)
{
    evaluated f;
    set_up(&f);
    f.seen.most = 1;
    hl_cross_entropy_result sum = { 0 };
    expect_ok(hl_evaluate(&f.evaluator, &f.batch, &sum));
    hl_examples first = hl_examples_slice(&f.batch, 0, SLICE);
    ck_assert_int_eq(sum.n_scored, hl_examples_scored(&first));
    tear_down(&f);
}
END_TEST

START_TEST(a_loss_that_is_not_finite_is_named)
{
    evaluated f;
    set_up(&f);
    f.model.output.weight->data[0] = (hl_real)NAN;
    hl_cross_entropy_result sum = { 0 };
    hl_status status = hl_evaluate(&f.evaluator, &f.batch, &sum);
    ck_assert_int_eq(status.code, HL_NOT_FINITE);
    ck_assert_str_eq(status.text, "step 3: the loss is nan; the first tensor that is not finite is the output of "
                                  "linear in output");
    ck_assert_int_eq(f.seen.slices, 0);
    ck_assert_uint_eq(f.arena.used, 0);
    tear_down(&f);
}
END_TEST

START_TEST(less_memory_than_planned_does_not_do)
{
    evaluated f;
    set_up(&f);
    size_t bytes;
    expect_ok(hl_evaluator_plan(&f.evaluator, f.batch.n_tokens, &bytes));
    hl_arena_free(&f.arena);
    expect_ok(hl_arena_init(&f.arena, bytes - 4096));
    ck_assert_int_eq(hl_evaluate(&f.evaluator, &f.batch, NULL).code, HL_NO_MEMORY);
    ck_assert_int_eq(hl_evaluator_plan(&f.evaluator, 65, &bytes).code, HL_INVALID);
    tear_down(&f);
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, slices_make_up_the_whole);
    tcase_add_test(tc, a_visitor_may_end_it);
    tcase_add_test(tc, a_loss_that_is_not_finite_is_named);
    tcase_add_test(tc, less_memory_than_planned_does_not_do);
}
SUITE("evaluator", add_tests)
