#include "core/threads.h"
#include "layers/model.h"
#include "optim/optimizer.h"
#include <stdio.h>

/* A two-layer encoder learns to say each of six tokens again: ten training steps on one batch of two examples. */
static hl_status train(hl_model *model, hl_optimizer *adam, hl_arena *arena)
{
    int32_t tokens[2][6] = { { 3, 1, 4, 1, 5, 9 }, { 2, 7, 1, 8, 2, 8 } }, lengths[2] = { 6, 6 };
    hl_batch batch = { .n_examples = 2, .n_tokens = 6, .tokens = tokens[0], .targets = tokens[0], .lengths = lengths };
    HL_TRY(hl_model_allocate(model, 1));
    HL_TRY(hl_optimizer_init(adam, &model->parameters, (hl_optimizer_options){ HL_ADAM, 0.9, 0.98, 1e-9, 0 }));
    HL_TRY(hl_arena_init(arena, 1 << 20));
    for (int step = 0; step < 10; step++) {
        hl_tape tape;
        hl_tape_begin(&tape, arena, (hl_tape_options){ .training = true, .gradients = true, .step = (uint32_t)step });
        hl_tensor *loss = hl_model_loss(&tape, model, &batch, (hl_cross_entropy_args){ 0 }, NULL);
        hl_parameters_zero_grad(&model->parameters);
        HL_TRY(hl_tape_backward(&tape, loss)); /* reports whatever went wrong since hl_tape_begin */
        hl_optimizer_step(adam, 1, 0.01);
        printf("step %d: loss %.3f\n", step, (double)*loss->data);
        hl_arena_rewind(arena, 0);
    }
    return hl_ok();
}

int main(void)
{
    hl_model_config config = {
        .vocabulary = 10, .max_length = 6, .n_layers = 2, .d_model = 32, .d_ff = 64, .bias = true
    };
    for (int layer = 0; layer < 2; layer++) {
        config.heads[layer] = config.kv_heads[layer] = 4;
        config.d_k[layer] = config.d_v[layer] = 8;
    }
    hl_threads_setup();
    hl_model model;
    hl_optimizer adam = { 0 };
    hl_arena arena = { 0 };
    hl_status status = hl_model_init(&model, &config);
    if (status.code == HL_OK) {
        status = train(&model, &adam, &arena);
    }
    puts(status.text);
    hl_arena_free(&arena);
    hl_optimizer_free(&adam);
    hl_model_free(&model);
    return status.code;
}
