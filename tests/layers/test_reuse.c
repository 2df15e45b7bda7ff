/* Backward that reuses memory computes the same bits in less memory, in exactly as much as the dry run said. */
#include "core/memory.h"
#include "tests/check_suite.h"
#include "tests/layers/examples.h"

enum { B = 3, T = 7, VARIANTS = 6 };

/* Models whose tensors are used in different ways: residuals before and after norms, shared matrices, no dropout. */
static hl_model_config variant(int i)
{
    hl_model_config config = example_config();
    config.norm = i % 2 == 0 ? HL_NORM_PRE : HL_NORM_POST;
    config.activation = i < 3 ? HL_RELU : HL_GELU;
    config.positions = i == 1 ? HL_POSITIONS_LEARNED : i == 2 ? HL_POSITIONS_NONE : HL_POSITIONS_SINUSOIDAL;
    config.tie_embedding = i == 3;
    config.causal = i == 4;
    if (i != 5) {
        example_dropouts(&config);
    }
    if (i == 2) {
        example_heads(&config, 1, 4, 2, 3, 5);
    }
    return config;
}

/* One step out of an arena of exactly the planned size, after which not a byte of it may be left over. */
static hl_real planned_step(hl_model *model, const hl_examples *batch, bool reuse, size_t *bytes)
{
    hl_tape_options options = { .threads = 2, .training = true, .gradients = true, .reuse = reuse, .seed = 5 };
    hl_model_plan plan;
    hl_arena arena;
    ck_assert_int_eq(hl_model_plan_pass(model, B, T, options, &plan).code, HL_OK);
    ck_assert_int_eq(hl_arena_init(&arena, plan.bytes).code, HL_OK);
    hl_tape tape;
    hl_tape_begin(&tape, &arena, options);
    hl_tensor *loss = hl_model_loss(&tape, model, batch, (hl_cross_entropy_args){ 0 }, NULL);
    hl_parameters_zero_grad(&model->parameters);
    ck_assert_int_eq(hl_tape_backward(&tape, loss).code, HL_OK);
    ck_assert_uint_eq(arena.peak, plan.bytes);
    hl_real result = *loss->data;
    hl_arena_free(&arena);
    *bytes = plan.bytes;
    return result;
}

START_TEST(the_same_bits_in_less_memory)
{
    hl_model model;
    hl_model_config config = variant(_i);
    example_model(&model, &config);
    int32_t lengths[B] = { 7, 4, 6 };
    hl_examples batch = example_batch(B, T, config.vocabulary, lengths);
    size_t kept_bytes, reused_bytes;
    hl_real kept = planned_step(&model, &batch, false, &kept_bytes);
    hl_real *grads = example_grads_copy(&model.parameters);
    hl_real reused = planned_step(&model, &batch, true, &reused_bytes);
    ck_assert_mem_eq(&kept, &reused, sizeof kept);
    ck_assert_mem_eq(grads, model.parameters.grads, (size_t)model.parameters.count * sizeof *grads);
    ck_assert_uint_lt(reused_bytes, kept_bytes);
    hl_free(grads);
    example_batch_free(&batch);
    hl_model_free(&model);
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_loop_test(tc, the_same_bits_in_less_memory, 0, VARIANTS);
}
SUITE("reuse", add_tests)
