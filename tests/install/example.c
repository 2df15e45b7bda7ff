#include "core/op_cross_entropy.h"
#include "core/random.h"
#include "layers/encoder.h"
#include "optim/optimizer.h"

#include <stdio.h>

/* A two-layer encoder over random inputs x (B, T, D), one training step to predict `targets`, and the loss after it. */
enum { B = 4, T = 6, D = 32, V = 10 };

static hl_tensor *loss_of(hl_tape *tape, const hl_encoder *encoder, const hl_linear_layer *output, hl_real *x,
                          const int32_t *targets)
{
    hl_tensor *input = hl_tape_tensor(tape, HL_SHAPE(B, T, D), x, false);
    hl_tensor *logits =
        hl_linear_layer_forward(tape, output, hl_encoder_forward(tape, encoder, input, (hl_mask){ 0 }, NULL));
    return hl_cross_entropy(tape, logits, (hl_cross_entropy_args){ .targets = targets });
}

int main(void)
{
    hl_encoder_layer_config layer = {
        .attention = { .d_model = D, .n_heads = 4, .n_kv_heads = 4, .d_k = 8, .d_v = 8, .bias = true },
        .d_ff = 64,
        .norm = HL_NORM_PRE
    };
    hl_parameters parameters = { 0 };
    hl_encoder encoder;
    hl_optimizer adam;
    hl_arena arena;
    hl_real x[B * T * D], losses[2];
    int32_t targets[B * T];
    for (int i = 0; i < B * T * D; i++) { /* tokens of a made-up task */
        x[i] = hl_random_normal((hl_random){ .seed = 1 }, (uint64_t)i);
        targets[i / D] = i / D % V;
    }
    hl_status status =
        hl_encoder_init(&encoder, &parameters, hl_name_of("encoder"), (hl_encoder_layer_config[]){ layer, layer }, 2);
    hl_linear_layer output = hl_linear_layer_make(&parameters, hl_name_of("output"), D, V, true);
    if (status.code != HL_OK || (status = hl_parameters_allocate(&parameters)).code != HL_OK ||
        (status = hl_arena_init(&arena, 4 << 20)).code != HL_OK ||
        (status = hl_optimizer_init(&adam, &parameters, (hl_optimizer_options){ HL_ADAM, 0.9, 0.98, 1e-9, 0 })).code !=
            HL_OK) {
        fprintf(stderr, "%s\n", status.text);
        return status.code;
    }
    hl_parameters_initialise(&parameters, 1);
    for (int step = 0; step < 2; step++) {
        hl_tape tape;
        hl_tape_begin(&tape, &arena, (hl_tape_options){ .training = true, .gradients = true });
        hl_tensor *loss = loss_of(&tape, &encoder, &output, x, targets);
        if ((status = hl_tape_backward(&tape, loss)).code != HL_OK) {
            fprintf(stderr, "%s\n", status.text);
            return status.code;
        }
        losses[step] = *loss->data;
        hl_optimizer_step(&adam, 1, 0.01);
        hl_arena_rewind(&arena, 0);
    }
    printf("loss %.3f, after one step %.3f\n", (double)losses[0], (double)losses[1]);
    hl_optimizer_free(&adam);
    hl_encoder_free(&encoder);
    hl_parameters_free(&parameters);
    hl_arena_free(&arena);
    return losses[1] < losses[0] ? 0 : 1;
}
