#include "heads/private/layer_input.h"

#include "core/base/memory.h"

#include <string.h>

int64_t hl_layer_input_width(const hl_model_config *config)
{
    int64_t most = 0;
    for (int l = 0; l < config->n_layers; l++) {
        int64_t width = config->heads[l] * config->d_v[l];
        most = width > most ? width : most;
    }
    return most;
}

hl_status hl_layer_input_init(hl_layer_input *input, const hl_model *model, int64_t n_rows)
{
    size_t x, z;
    bool fits = hl_multiply_sizes((size_t)n_rows, (size_t)model->config.d_model, &x) &&
                hl_multiply_sizes((size_t)n_rows, (size_t)hl_layer_input_width(&model->config), &z);
    *input = (hl_layer_input){ .layer = -1,
                               .x = fits ? hl_calloc(x, sizeof *input->x) : NULL,
                               .z = fits ? hl_calloc(z, sizeof *input->z) : NULL };
    return input->x != NULL && input->z != NULL ? hl_ok() : hl_error_memory("what goes into a layer");
}

void hl_layer_input_free(hl_layer_input *input)
{
    hl_free(input->x);
    hl_free(input->z);
    *input = (hl_layer_input){ 0 };
}

/* A slice of the batch knows the row it begins with: the batch itself begins with row 0. */
hl_real *hl_layer_input_x(const hl_layer_input *input, const hl_model *model, const hl_batch *slice)
{
    return input->x + slice->offsets[0] * model->config.d_model;
}

/* A slice has the same room in layers of whatever width. */
hl_real *hl_layer_input_z(const hl_layer_input *input, const hl_model *model, const hl_batch *slice)
{
    return input->z + slice->offsets[0] * hl_layer_input_width(&model->config);
}

/* The input of layer `layer` of the examples of `slice`, where `input` has that of layer `from`. */
static hl_tensor *run_up_to(hl_tape *tape, const hl_layer_input *input, const hl_model *model, const hl_batch *slice,
                            const hl_attention_rules *rules, int from, int layer)
{
    const hl_encoder_layer *layers = model->encoder.layers;
    hl_tensor *x;
    if (from < 0) {
        x = hl_model_embed(tape, model, slice);
    } else {
        hl_shape in = HL_SHAPE(slice->n_rows, model->config.d_model),
                 heads = HL_SHAPE(slice->n_rows, model->config.heads[from] * model->config.d_v[from]);
        x = hl_tape_tensor(tape, in, hl_layer_input_x(input, model, slice), false);
        hl_tensor *z = hl_tape_tensor(tape, heads, hl_layer_input_z(input, model, slice), false);
        x = hl_encoder_layer_from_heads(tape, &layers[from], x, z);
    }
    for (int l = from + 1; l < layer; l++) {
        x = hl_encoder_layer_forward(tape, &layers[l], x, rules, NULL);
    }
    return x;
}

/* The examples of `slice` from layer `from` to layer `to`. */
static hl_status move_slice(hl_layer_input *input, const hl_model *model, const hl_batch *slice, int from, int to,
                            hl_tape *tape)
{
    hl_attention_rules rules = hl_model_rules(model, slice);
    hl_tensor *x = run_up_to(tape, input, model, slice, &rules, from, to);
    const hl_tensor *z = hl_encoder_layer_heads(tape, &model->encoder.layers[to], x, &rules, NULL);
    HL_TRY(hl_tape_status(tape));
    memcpy(hl_layer_input_x(input, model, slice), x->data, (size_t)hl_shape_count(x->shape) * sizeof *input->x);
    memcpy(hl_layer_input_z(input, model, slice), z->data, (size_t)hl_shape_count(z->shape) * sizeof *input->z);
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
