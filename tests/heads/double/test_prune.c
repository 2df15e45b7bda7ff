/* Models with fewer heads against the same heads masked. */
#include "heads/prune.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/example.h"
#include "tests/heads/pruned_is_masked.h"

static hl_model model_with(hl_model_config config)
{
    hl_threads_setup();
    hl_model model;
    example_model(&model, &config);
    pruned_is_masked_shake(&model);
    return model;
}

static void expect_pruned_is_masked(hl_model_config config, const bool *kept, int64_t heads_0, int64_t kv_heads_0)
{
    hl_model model = model_with(config), pruned;
    expect_ok(hl_prune(&model, kept, &pruned));
    ck_assert_int_eq(pruned.config.heads[0], heads_0);
    ck_assert_int_eq(pruned.config.kv_heads[0], kv_heads_0);
    ck_assert_double_le(pruned_is_masked_error(&model, &pruned, kept), 1e-10);
    if (kv_heads_0 <= model.config.kv_heads[0]) {
        ck_assert_int_lt(hl_parameters_count(&pruned.parameters), hl_parameters_count(&model.parameters));
    }
    hl_model_free(&pruned);
    hl_model_free(&model);
}

/* Layer 0 is packed before and has matrices of its own after; layer 1 shares one key/value head. */
TEST(pruned_is_masked)
{
    expect_pruned_is_masked(example_config(8), (bool[]){ 1, 0, 0, 1, 0, 1 }, 2, 2);
    expect_pruned_is_masked(example_config(8), (bool[]){ 0, 0, 1, 0, 1, 1 }, 1, 1);
    expect_pruned_is_masked(example_config(8), (bool[]){ 1, 1, 1, 1, 1, 0 }, 4, 4);
}

TEST(heads_of_any_width_without_biases_and_with_tied_weights)
{
    hl_model_config config = example_config(8);
    config.d_k[0] = 3;
    config.d_v[0] = 5;
    config.bias = false;
    config.tie_embedding = true;
    config.norm = HL_NORM_POST;
    config.causal = true;
    config.positions = HL_POSITIONS_LEARNED;
    expect_pruned_is_masked(config, (bool[]){ 0, 1, 1, 0, 1, 0 }, 2, 2);
    /* 4 of 8 heads that are D / 4 wide fill D again: matrices of their own become packed. */
    config.heads[0] = 8;
    config.kv_heads[0] = 8;
    config.d_k[0] = config.d_v[0] = 2;
    expect_pruned_is_masked(config, (bool[]){ 0, 1, 1, 0, 0, 1, 1, 0, 1, 0 }, 4, 4);
}

/* Four heads for two key/value heads. */
TEST(shared_keys_and_values_stay_shared_where_they_can)
{
    hl_model_config config = example_config(8);
    config.kv_heads[0] = 2;
    expect_pruned_is_masked(config, (bool[]){ 1, 0, 0, 1, 1, 0 }, 2, 2);
    expect_pruned_is_masked(config, (bool[]){ 0, 0, 1, 1, 1, 0 }, 2, 1);
    expect_pruned_is_masked(config, (bool[]){ 0, 1, 0, 0, 1, 0 }, 1, 1);
    expect_pruned_is_masked(config, (bool[]){ 1, 1, 0, 1, 1, 1 }, 3, 3);
    config.heads[0] = 12;
    config.kv_heads[0] = 3;
    expect_pruned_is_masked(config, (bool[]){ 1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0 }, 6, 3);
    expect_pruned_is_masked(config, (bool[]){ 1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0 }, 6, 3);
}

TEST(all_heads_are_the_same_numbers)
{
    hl_model model = model_with(example_config(8)), same;
    expect_ok(hl_prune(&model, (bool[]){ 1, 1, 1, 1, 1, 1 }, &same));
    ck_assert_int_eq(same.parameters.count, model.parameters.count);
    ck_assert_mem_eq(same.parameters.values, model.parameters.values, (size_t)model.parameters.count * sizeof(hl_real));
    hl_model_free(&same);
    hl_model_free(&model);
}

TEST(a_layer_without_heads_is_refused)
{
    hl_model model = model_with(example_config(8)), pruned;
    hl_status status = hl_prune(&model, (bool[]){ 1, 1, 1, 1, 0, 0 }, &pruned);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_msg(strstr(status.text, "layer 1") != NULL, "%s", status.text);
    hl_model_free(&pruned);
    hl_model_free(&model);
}

TEST(the_least_important_goes_next_but_no_layers_last)
{
    const hl_model_config config = { .n_layers = 2, .heads = { 4, 2 } };
    const double importance[6] = { 3, 1, 2, 2, 0.5, 0.7 };
    ck_assert_int_eq(hl_prune_next(&config, importance, (bool[]){ 1, 1, 1, 1, 1, 1 }), 4);
    ck_assert_int_eq(hl_prune_next(&config, importance, (bool[]){ 1, 1, 1, 1, 0, 1 }), 1);
    ck_assert_int_eq(hl_prune_next(&config, importance, (bool[]){ 1, 0, 1, 1, 0, 1 }), 2);
    ck_assert_int_eq(hl_prune_next(&config, importance, (bool[]){ 1, 0, 0, 1, 0, 1 }), 3);
    ck_assert_int_eq(hl_prune_next(&config, importance, (bool[]){ 1, 0, 0, 0, 1, 1 }), 4);
    ck_assert_int_eq(hl_prune_next(&config, importance, (bool[]){ 1, 0, 0, 0, 0, 1 }), -1);
}

TEST(every_allocation_may_fail)
{
    faults_begin();
    hl_model model = model_with(example_config(8)), pruned;
    const bool kept[] = { 1, 0, 0, 1, 0, 1 };
    for (int n = 0; fault_checks_next(&n, FAULTS_ONCE);) {
        fault_checks_turn(hl_prune(&model, kept, &pruned));
        hl_model_free(&pruned);
    }
    hl_model_free(&model);
    faults_end();
}

SUITE("pruned models")
