#include "layers/output.h"

#include "core/ops/activations.h"
#include "core/ops/linear.h"
#include "layers/model_config.h"

static hl_tensor *(*const functions[])(hl_tape *tape, hl_tensor *x) = {
    [HL_POOLER_TANH] = hl_tanh,
    [HL_POOLER_RELU] = hl_relu,
    [HL_POOLER_GELU] = hl_gelu,
};

hl_tensor *hl_pooler_function(hl_tape *tape, hl_pooler pooler, hl_tensor *x)
{
    return functions[pooler](tape, x);
}

hl_output_layer hl_output_layer_make(hl_parameters *parameters, const hl_model_config *config, hl_tensor *shared)
{
    /* One statement each: the order of registration is the order in files. */
    hl_output_layer layer = {
        .head = config->head, .pooler = config->pooler, .activation = config->activation, .targets = config->targets
    };
    layer.dropout_pooler = hl_dropout_layer_make(hl_name_of("pooler.dropout"), (hl_real)config->dropout_pooler);
    layer.dropout = hl_dropout_layer_make(hl_name_of("output.dropout"), (hl_real)config->dropout_output);
    if (config->head == HL_HEAD_NONE) {
        return layer;
    }
    int64_t D = config->d_model, width = D;
    if (config->pooler != HL_POOLER_NONE) {
        layer.pooler_dense = hl_linear_layer_make(parameters, hl_name_of("pooler.dense"), D, D, config->bias);
    }
    bool transforms = config->head == HL_HEAD_TRANSFORM;
    if (transforms) {
        width = config->embedding_size;
        layer.transform_dense =
            hl_linear_layer_make(parameters, hl_name_of("head.dense"), D, width, config->head_bias == HL_BIAS_TRUE);
        layer.transform_norm =
            hl_norm_layer_make(parameters, hl_name_of("head.norm"), width, hl_model_config_norms(config));
    }
    if (shared != NULL) {
        hl_parameters_alias(parameters, "output.weight", shared);
        layer.linear = (hl_linear_layer){ .name = hl_name_of("output"), .weight = shared };
    } else {
        layer.linear =
            hl_linear_layer_make(parameters, hl_name_of("output"), width, config->targets, config->bias && !transforms);
    }
    int64_t rows = shared != NULL ? shared->shape.size[0] : config->targets;
    if (transforms ? config->bias : shared != NULL && config->tied_bias) {
        layer.linear.bias =
            hl_name_vector(parameters, hl_name_of(transforms ? "head" : "output"), "bias", rows, HL_INIT_ZERO);
    }
    return layer;
}

hl_tensor *hl_output_layer_forward(hl_tape *tape, const hl_output_layer *layer, hl_tensor *x, const int32_t *rows,
                                   int32_t base)
{
    if (layer->head == HL_HEAD_NONE) {
        HL_THEN(tape->error,
                hl_error(HL_INVALID, "the model has no output layer: it gives hidden states and no logits"));
        return NULL;
    }
    if (layer->pooler != HL_POOLER_NONE) {
        x = hl_dropout_layer_rows(tape, &layer->dropout_pooler, x, rows, base);
        x = hl_linear_layer_forward(tape, &layer->pooler_dense, x);
        const char *before = hl_tape_scope(tape, layer->pooler_dense.name.text);
        x = hl_pooler_function(tape, layer->pooler, x);
        hl_tape_scope(tape, before);
    }
    if (layer->head == HL_HEAD_TRANSFORM) {
        x = hl_linear_layer_forward(tape, &layer->transform_dense, x);
        const char *before = hl_tape_scope(tape, layer->transform_dense.name.text);
        x = hl_activate(tape, layer->activation, x);
        hl_tape_scope(tape, before);
        x = hl_norm_layer_forward(tape, &layer->transform_norm, x);
    }
    x = hl_dropout_layer_rows(tape, &layer->dropout, x, rows, base);
    const hl_linear_layer *linear = &layer->linear;
    if (linear->weight->shape.size[0] == layer->targets) {
        return hl_linear_layer_forward(tape, linear, x);
    }
    const char *before = hl_tape_scope(tape, linear->name.text);
    x = hl_linear(tape, x, hl_tape_parameter_rows(tape, linear->weight, 0, layer->targets),
                  hl_tape_parameter_rows(tape, linear->bias, 0, layer->targets));
    hl_tape_scope(tape, before);
    return x;
}
