/* Backward that reuses memory computes the same bits in less memory, in exactly as much as the dry run said. */
#include "core/base/memory.h"
#include "core/kernels/random.h"
#include "tests/check_suite.h"
#include "tests/layers/examples.h"

#include <string.h>

enum { B = 3, T = 7 };

/* One step out of an arena of exactly the planned size, after which not a byte of it may be left over. */
static hl_real planned_step(hl_model *model, const hl_batch *batch, bool reuse, size_t *bytes)
{
    hl_tape_options options = {
        .threads = 2, .training = true, .gradients = true, .memory = { .reuse = reuse }, .seed = 5
    };
    hl_tape_plan plan;
    hl_arena arena;
    CHECK_OK(hl_model_plan(model, batch, options, &plan));
    CHECK_OK(hl_arena_init(&arena, plan.bytes));
    memset(arena.block, 0xff, arena.capacity); /* NaN: what is read before it is written shows */
    options.memory.plan = reuse ? &plan : NULL;
    if (!reuse) { /* all pieces one after the other, the largest case */
        hl_arena_free(&arena);
        CHECK_OK(hl_arena_init(&arena, (size_t)4 << 20));
    }
    hl_tape tape;
    hl_tape_begin(&tape, &arena, options);
    hl_tensor *loss = hl_model_loss(&tape, model, batch, (hl_cross_entropy_args){ 0 }, NULL);
    hl_parameters_zero_grad(&model->parameters);
    CHECK_OK(hl_tape_backward(&tape, loss));
    ck_assert(!reuse || arena.peak == plan.bytes);
    hl_real result = *loss->data;
    hl_arena_free(&arena);
    *bytes = plan.bytes;
    hl_tape_plan_free(&plan);
    return result;
}

LOOP_TEST(the_same_bits_in_less_memory, 0, EXAMPLE_VARIANTS)
{
    hl_model_config config = example_variant(_i);
    hl_model *model = example_model(&config);
    int32_t lengths[B] = { 7, 4, 6 };
    hl_batch batch = example_batch(B, T, config.vocabulary, lengths);
    size_t kept_bytes, reused_bytes;
    hl_real kept = planned_step(model, &batch, false, &kept_bytes);
    hl_real *grads = example_grads_copy(&model->parameters);
    hl_real reused = planned_step(model, &batch, true, &reused_bytes);
    ck_assert_mem_eq(&kept, &reused, sizeof kept);
    ck_assert_mem_eq(grads, model->parameters.grads, (size_t)model->parameters.count * sizeof *grads);
    ck_assert_uint_lt(reused_bytes, kept_bytes);
}

enum { MOST_B = 9, MOST_T = 20, PASSES = 40 };

/* The loss of a batch and, with gradients, those; the loss in an arena whose bytes all are NaN. */
static hl_real pass(hl_model *model, const hl_batch *batch, hl_tape_options options, hl_arena *arena)
{
    memset(arena->block, 0xff, arena->capacity);
    hl_parameters_zero_grad(&model->parameters);
    hl_tape tape;
    hl_tape_begin(&tape, arena, options);
    hl_tensor *loss = hl_model_loss(&tape, model, batch, (hl_cross_entropy_args){ 0 }, NULL);
    CHECK_OK(options.gradients ? hl_tape_backward(&tape, loss) : hl_tape_status(&tape));
    hl_real result = *loss->data;
    hl_arena_rewind(arena, 0);
    return result;
}

/* Every smaller pass fits into the slots of the largest and has the bits of one in fresh memory, with gradients and
 * without. */
LOOP_TEST(smaller_passes_fit_into_the_slots_of_the_largest, 0, 2 * EXAMPLE_VARIANTS)
{
    hl_model_config config = example_variant(_i % EXAMPLE_VARIANTS);
    config.max_length = MOST_T;
    hl_model *model = example_model(&config);
    bool gradients = _i < EXAMPLE_VARIANTS;
    hl_tape_options options = {
        .threads = 2, .training = gradients, .gradients = gradients, .memory = { .reuse = true }
    };
    hl_batch largest = hl_batch_largest(MOST_B, MOST_T);
    hl_tape_plan plan;
    hl_arena arena, fresh;
    CHECK_OK(hl_model_plan(model, &largest, options, &plan));
    CHECK_OK(hl_arena_init(&arena, plan.bytes));
    CHECK_OK(hl_arena_init(&fresh, (size_t)16 << 20));
    for (int i = 0; i < PASSES; i++) {
        hl_random random = { .seed = (uint64_t)i };
        int32_t lengths[MOST_B], n = 1 + (int32_t)hl_random_below(random, 20, MOST_B);
        for (int b = 0; b < n; b++) {
            lengths[b] = 2 + (int32_t)hl_random_below(random, (uint64_t)b, MOST_T - 1);
        }
        hl_batch batch = example_batch(n, MOST_T, config.vocabulary, lengths);
        options.memory.plan = NULL;
        hl_real expected = pass(model, &batch, options, &fresh);
        hl_real *grads = example_grads_copy(&model->parameters);
        options.memory.plan = &plan;
        hl_real got = pass(model, &batch, options, &arena);
        ck_assert_mem_eq(&got, &expected, sizeof got);
        ck_assert_mem_eq(model->parameters.grads, grads, (size_t)model->parameters.count * sizeof *grads);
    }
    hl_arena_free(&arena);
    hl_arena_free(&fresh);
    hl_tape_plan_free(&plan);
}

TEST(a_larger_pass_than_planned_is_refused)
{
    hl_model_config config = example_config();
    hl_model *model = example_model(&config);
    hl_tape_plan plan;
    hl_arena arena;
    hl_batch planned = hl_batch_largest(2, 4), larger = example_batch(3, 4, config.vocabulary, NULL);
    CHECK_OK(hl_model_plan(model, &planned, (hl_tape_options){ .memory = { .reuse = true } }, &plan));
    CHECK_OK(hl_arena_init(&arena, plan.bytes));
    hl_tape tape;
    hl_tape_begin(&tape, &arena, (hl_tape_options){ .memory = { .plan = &plan } });
    hl_model_loss(&tape, model, &larger, (hl_cross_entropy_args){ 0 }, NULL);
    ck_assert_int_eq(hl_tape_status(&tape).code, HL_INVALID);
    ck_assert_str_eq(hl_tape_status(&tape).text, "a pass that is not the planned one, or larger");
    hl_arena_rewind(&arena, 0);
    arena.capacity -= 64;
    hl_tape_begin(&tape, &arena, (hl_tape_options){ .memory = { .plan = &plan } });
    hl_batch fits = hl_batch_slice(&larger, 0, 2);
    hl_model_loss(&tape, model, &fits, (hl_cross_entropy_args){ 0 }, NULL);
    ck_assert_int_eq(hl_tape_status(&tape).code, HL_NO_MEMORY);
    hl_arena_free(&arena);
    hl_tape_plan_free(&plan);
}

/* Of one sequence as long as this: where backward makes attention's weights again, twice the length takes no more than
 * twice the memory; where they are kept it takes more. */
static size_t planned_bytes(int64_t length, bool recompute)
{
    hl_model_config config = example_config();
    config.max_length = length;
    config.recompute = recompute;
    hl_batch batch = hl_batch_largest(1, length);
    hl_tape_plan plan;
    hl_model *model = example_made(&config);
    CHECK_OK(hl_model_plan(
        model, &batch,
        (hl_tape_options){ .threads = 2, .training = true, .gradients = true, .memory = { .reuse = true } }, &plan));
    size_t bytes = plan.bytes;
    hl_tape_plan_free(&plan);
    return bytes;
}

TEST(memory_grows_with_the_length_where_weights_are_made_again)
{
    for (int64_t length = 1024; length <= 16384; length *= 2) {
        ck_assert_uint_le(planned_bytes(2 * length, true), 2 * planned_bytes(length, true));
        ck_assert_uint_gt(planned_bytes(2 * length, false), 3 * planned_bytes(length, false));
    }
}

/* The model of configs/bench/long.ini on one example of 16384 tokens, in 1 GiB: the rest of a run takes less than
 * 100 MiB. */
TEST(sixteen_thousand_tokens_fit)
{
    enum { LENGTH = 16384, MIB = 1 << 20, REST = 100 };
    hl_model_config config = { .vocabulary = 256,
                               .max_length = LENGTH,
                               .n_layers = 4,
                               .d_model = 256,
                               .d_ff = 1024,
                               .norm = HL_NORM_PRE,
                               .activation = HL_RELU,
                               .bias = true,
                               .recompute = true,
                               .dropout_attention = 0.1,
                               .dropout_residual = 0.1,
                               .dropout_ffn = 0.1 };
    hl_model_config_heads(&config, 8);
    hl_batch batch = hl_batch_largest(1, LENGTH);
    hl_tape_options options = { .threads = 2, .training = true, .gradients = true, .memory = { .reuse = true } };
    hl_tape_plan plan;
    hl_model *model = example_made(&config);
    CHECK_OK(hl_model_plan(model, &batch, options, &plan));
    ck_assert_uint_lt(plan.bytes / MIB + REST, 1024);
    hl_tape_plan_free(&plan);
}

SUITE("reuse")
