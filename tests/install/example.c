#include <headlight.h>
#include <stdio.h>

/* A two-layer encoder learns to say each of six tokens again: ten training steps on one batch of two examples. Where a
 * call fails, HL_TRY returns its status: a code and one line that says what is wrong. */
static hl_status train(hl_model *model, hl_optimizer *adam, hl_arena *arena, hl_batch_storage *examples)
{
    /* The answers are the tokens themselves; HL_IGNORE would ask for none. The second example is shorter. */
    const int32_t tokens[2][6] = { { 3, 1, 4, 1, 5, 9 }, { 2, 7, 1, 8 } };
    hl_optimizer_options options = { .name = HL_ADAM, .beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9 };

    HL_TRY(hl_batch_storage_init(examples, 2, 10, 6)); /* memory for two examples of ten tokens, none longer than six */
    HL_TRY(hl_batch_storage_add(examples, tokens[0], tokens[0], 6));
    HL_TRY(hl_batch_storage_add(examples, tokens[1], tokens[1], 4));
    HL_TRY(hl_model_allocate(model, 1));                          /* initial weights, drawn from seed 1 */
    HL_TRY(hl_optimizer_init(adam, &model->parameters, options)); /* zero moments for each weight */
    HL_TRY(hl_arena_init(arena, 1 << 20));                        /* 1 MiB, in which the tensors of a step live */
    for (int step = 0; step < 10; step++) {
        hl_tape tape; /* the record of one pass; .training turns dropout on, .step is part of its random numbers */
        hl_tape_begin(&tape, arena, (hl_tape_options){ .training = true, .gradients = true, .step = (uint32_t)step });
        /* Each op of the model and of the cross-entropy runs at once and is recorded. One that fails gives NULL, those
         * that are given NULL give NULL, and hl_tape_backward returns the first error: so no call here is checked. */
        hl_tensor *loss = hl_model_loss(&tape, model, &examples->batch, (hl_cross_entropy_args){ 0 }, NULL);
        hl_parameters_zero_grad(&model->parameters); /* gradients add up, so they are cleared first */
        HL_TRY(hl_tape_backward(&tape, loss));       /* walks the record in reverse: gradients of all weights */
        hl_optimizer_step(adam, 1, 0.01);            /* on one thread, with a learning rate of 0.01 */
        printf("step %d: loss %.3f\n", step, (double)*loss->data);
        hl_arena_rewind(arena, 0); /* the step's tensors are gone; the next one takes their memory */
    }
    return hl_ok();
}

int main(void)
{
    hl_model_config config = {
        .vocabulary = 10, .max_length = 6, .n_layers = 2, .d_model = 32, .d_ff = 64, .bias = true
    };
    hl_model_config_heads(&config, 4); /* in every layer; or set .heads, .kv_heads, .d_k and .d_v of each */
    hl_threads_setup();                /* how many threads the machine allows; once, before the first op */
    hl_model model;
    hl_optimizer adam = { 0 };
    hl_arena arena = { 0 };
    hl_batch_storage examples = { 0 };
    hl_status status = hl_model_init(&model, &config); /* checks the config, names the weights, allocates none */
    if (status.code == HL_OK) {
        status = train(&model, &adam, &arena, &examples);
    }
    puts(status.text);
    hl_batch_storage_free(&examples);
    hl_arena_free(&arena); /* these take zeroed and half-made objects, too */
    hl_optimizer_free(&adam);
    hl_model_free(&model);
    return status.code;
}
