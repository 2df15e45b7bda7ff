/* Pruned models in float; double/test_prune.c has the cases. */
#include "heads/prune.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "tests/check_suite.h"
#include "tests/heads/example.h"
#include "tests/heads/pruned_is_masked.h"

TEST(pruned_is_masked_within_rounding)
{
    hl_threads_setup();
    hl_model_config config = example_config(64);
    hl_model model, pruned;
    example_model(&model, &config);
    const bool kept[] = { 0, 1, 0, 1, 0, 1 }, others[] = { 0, 1, 1, 0, 0, 1 };
    expect_ok(hl_prune(&model, kept, &pruned));
    ck_assert_double_le(pruned_is_masked_error(&model, &pruned, kept), 1e-5);
    ck_assert_double_gt(pruned_is_masked_error(&model, &pruned, others), 1e-3);
    hl_model_free(&pruned);
    hl_model_free(&model);
}

/* Half of the heads gone is less arithmetic, by their part of it: a layer's q, k, v and W_O, scores and values. */
TEST(half_of_the_heads_are_less_work)
{
    hl_threads_setup();
    hl_model_config config = example_config(64);
    config.kv_heads[1] = 2;
    config.d_v[1] = 16;
    hl_model model, pruned;
    example_model(&model, &config);
    expect_ok(hl_prune(&model, (bool[]){ 0, 1, 1, 0, 0, 1 }, &pruned));
    enum { B = 3, T = 20, D = 64, HEADS_GONE = 3, DK = 16 };
    hl_batch batch = hl_batch_largest(B, T);
    hl_tape_plan whole, half;
    expect_ok(hl_model_plan(&model, &batch, (hl_tape_options){ .threads = 1 }, &whole));
    expect_ok(hl_model_plan(&pruned, &batch, (hl_tape_options){ .threads = 1 }, &half));
    double projections = 2.0 * B * T * D * DK * 4, attention = 2.0 * B * T * T * DK * 2;
    ck_assert_double_eq_tol(whole.flops - half.flops, HEADS_GONE * (projections + attention), 1e-3);
    ck_assert_uint_lt(half.bytes, whole.bytes);
    hl_tape_plan_free(&whole);
    hl_tape_plan_free(&half);
    hl_model_free(&pruned);
    hl_model_free(&model);
}

SUITE("pruned models")
