/* Pruned models in float; double_test_prune.c has the cases. */
#include "heads/prune.h"

#include "core/memory.h"
#include "core/threads.h"
#include "tests/check_suite.h"
#include "tests/heads/example.h"
#include "tests/heads/pruned_is_masked.h"

START_TEST(pruned_is_masked_within_rounding)
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
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, pruned_is_masked_within_rounding);
}
SUITE("pruned models", add_tests)
