/* Programs may train on threads whose stacks are small. */
#include "core/base/threads.h"
#include "layers/model.h"
#include "optim/clip.h"
#include "optim/optimizer.h"
#include "tests/check_suite.h"
#include "tests/sanitized.h"
#include "tests/stack_used.h"

enum { B = 4, T = 6, V = 10, LAYERS = 2, STEPS = 3, THREADS = 2, MOST = 24 << 10 /* bytes */ };

static hl_model_config config = {
    .vocabulary = V,
    .max_length = T,
    .n_layers = LAYERS,
    .d_model = 16,
    .d_ff = 32,
    .bias = true,
    .dropout_residual = 0.1,
};
static hl_model model;
static hl_arena arena;
static hl_optimizer adam;
static double losses[STEPS];

static hl_status train(void)
{
    static int32_t tokens[B * T], rows[B * T], positions[B * T], offsets[B + 1];
    const hl_batch batch = { .n_examples = B,
                             .n_rows = B * T,
                             .longest = T,
                             .offsets = offsets,
                             .tokens = tokens,
                             .positions = positions,
                             .n_targets = B * T,
                             .target_rows = rows,
                             .target_ids = tokens };
    for (int i = 0; i < B * T; i++) {
        tokens[i] = (i * i + 1) % V;
        rows[i] = i;
        positions[i] = i % T;
        offsets[i / T + 1] = i + 1;
    }
    hl_model_config_heads(&config, 2);
    hl_threads_setup();
    hl_tape_options options = { .threads = THREADS, .training = true, .gradients = true };
    static hl_tape_plan plan;
    hl_tape_plan_free(&plan);
    HL_TRY(hl_model_init(&model, &config));
    HL_TRY(hl_model_plan(&model, &batch, options, &plan));
    options.memory.plan = &plan;
    HL_TRY(hl_arena_init(&arena, plan.bytes));
    HL_TRY(hl_model_allocate(&model, 1));
    const hl_optimizer_options options_of_adam = { .name = HL_ADAM, .beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9 };
    HL_TRY(hl_optimizer_init(&adam, &model.parameters, options_of_adam));
    for (; options.step < STEPS; options.step++) {
        hl_tape tape;
        hl_tape_begin(&tape, &arena, options);
        hl_tensor *loss = hl_model_loss(&tape, &model, &batch, (hl_cross_entropy_args){ 0 }, NULL);
        hl_parameters_zero_grad(&model.parameters);
        HL_TRY(hl_tape_backward(&tape, loss));
        losses[options.step] = (double)*loss->data;
        hl_clip_gradients(THREADS, &model.parameters, 1);
        hl_optimizer_step(&adam, THREADS, 0.01);
        hl_arena_rewind(&arena, 0);
    }
    return hl_ok();
}

static void train_again(void)
{
    CHECK_OK(train());
    ck_assert_double_lt(losses[STEPS - 1], losses[0]);
    hl_arena_free(&arena);
    hl_optimizer_free(&adam);
    hl_model_free(&model);
}

/* The first time LIBXSMM generates code, which alone takes more than 128 KB of stack. */
TEST(training_takes_little_stack)
{
    train_again();
    size_t used = stack_used(train_again);
    ck_assert_msg(SANITIZED || used < MOST, "%zu bytes", used);
}

SUITE("small stacks")
