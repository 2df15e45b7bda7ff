#include "heads/private/layer_input.h"

#include "core/memory.h"

#include <string.h>

hl_status hl_layer_input_init(hl_layer_input *input, const hl_model *model, int64_t n_rows)
{
    size_t count;
    bool fits = hl_multiply_sizes((size_t)n_rows, (size_t)model->config.d_model, &count);
    *input = (hl_layer_input){ .layer = -1, .x = fits ? hl_calloc(count, sizeof *input->x) : NULL };
    return input->x != NULL ? hl_ok() : hl_error_memory("what goes into a layer");
}

void hl_layer_input_free(hl_layer_input *input)
{
    hl_free(input->x);
    *input = (hl_layer_input){ 0 };
}

/* A slice of the batch knows the row it begins with: the batch itself begins with row 0. */
hl_real *hl_layer_input_of(const hl_layer_input *input, const hl_model *model, const hl_batch *slice)
{
    return input->x + slice->offsets[0] * model->config.d_model;
}

hl_tensor *hl_layer_input_tensor(hl_tape *tape, const hl_layer_input *input, const hl_model *model,
                                 const hl_batch *slice)
{
    return hl_tape_tensor(tape, HL_SHAPE(slice->n_rows, model->config.d_model), hl_layer_input_of(input, model, slice),
                          false);
}

/* The examples of `slice` from layer `from` to layer `to`. */
static hl_status move_slice(hl_layer_input *input, const hl_model *model, const hl_batch *slice, int from, int to,
                            hl_tape *tape)
{
    hl_tensor *x = from < 0 ? hl_model_embed(tape, model, slice) : hl_layer_input_tensor(tape, input, model, slice);
    hl_attention_rules rules = hl_model_rules(model, slice);
    for (int l = from < 0 ? 0 : from; l < to; l++) {
        x = hl_encoder_layer_forward(tape, &model->encoder.layers[l], x, &rules, NULL);
    }
    HL_TRY(hl_tape_status(tape));
    memcpy(hl_layer_input_of(input, model, slice), x->data, (size_t)hl_shape_count(x->shape) * sizeof *input->x);
    return hl_ok();
}

hl_status hl_layer_input_move(hl_layer_input *input, const hl_model *model, const hl_batch *batch, int64_t slice,
                              hl_arena *arena, int threads, int layer)
{
    int from = input->layer <= layer ? input->layer : -1;
    if (from == layer) {
        return hl_ok();
    }
    input->layer = -1;
    for (int64_t first = 0; first < batch->n_examples; first += slice) {
        int64_t rest = batch->n_examples - first;
        hl_batch some = hl_batch_slice(batch, first, rest < slice ? rest : slice);
        hl_tape tape;
        hl_tape_begin(&tape, arena, (hl_tape_options){ .threads = threads });
        hl_status status = move_slice(input, model, &some, from, layer, &tape);
        hl_arena_rewind(arena, 0);
        HL_TRY(status);
    }
    input->layer = layer;
    return hl_ok();
}
