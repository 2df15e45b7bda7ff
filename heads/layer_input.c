#include "heads/private/layer_input.h"

#include "core/memory.h"

#include <string.h>

hl_status hl_layer_input_init(hl_layer_input *input, const hl_model *model, int64_t n, int64_t T)
{
    size_t count;
    bool fits = hl_multiply_sizes((size_t)(n * T), (size_t)model->config.d_model, &count);
    *input = (hl_layer_input){ .layer = -1, .x = fits ? hl_calloc(count, sizeof *input->x) : NULL };
    return input->x != NULL ? hl_ok() : hl_error_memory("what goes into a layer");
}

void hl_layer_input_free(hl_layer_input *input)
{
    hl_free(input->x);
    *input = (hl_layer_input){ 0 };
}

hl_tensor *hl_layer_input_tensor(hl_tape *tape, const hl_layer_input *input, const hl_model *model, int64_t first,
                                 int64_t count, int64_t T)
{
    int64_t D = model->config.d_model;
    return hl_tape_tensor(tape, HL_SHAPE(count, T, D), input->x + first * T * D, false);
}

/* The examples of `slice`, from `first` on, from layer `from` to layer `to`. */
static hl_status move_slice(hl_layer_input *input, const hl_model *model, const hl_examples *slice, int64_t first,
                            int from, int to, hl_tape *tape)
{
    hl_tensor *x = from < 0 ? hl_model_embed(tape, model, slice)
                            : hl_layer_input_tensor(tape, input, model, first, slice->n_examples, slice->n_tokens);
    for (int l = from < 0 ? 0 : from; l < to; l++) {
        x = hl_encoder_layer_forward(tape, &model->encoder.layers[l], x, hl_model_mask(model, slice), NULL);
    }
    HL_TRY(hl_tape_status(tape));
    memcpy(input->x + first * slice->n_tokens * model->config.d_model, x->data,
           (size_t)hl_shape_count(x->shape) * sizeof *input->x);
    return hl_ok();
}

hl_status hl_layer_input_move(hl_layer_input *input, const hl_model *model, const hl_examples *examples, int64_t slice,
                              hl_arena *arena, int threads, int layer)
{
    int from = input->layer <= layer ? input->layer : -1;
    if (from == layer) {
        return hl_ok();
    }
    input->layer = -1;
    for (int64_t first = 0; first < examples->n_examples; first += slice) {
        int64_t rest = examples->n_examples - first;
        hl_examples some = hl_examples_slice(examples, first, rest < slice ? rest : slice);
        hl_tape tape;
        hl_tape_begin(&tape, arena, (hl_tape_options){ .threads = threads });
        hl_status status = move_slice(input, model, &some, first, from, layer, &tape);
        hl_arena_rewind(arena, 0);
        HL_TRY(status);
    }
    input->layer = layer;
    return hl_ok();
}
