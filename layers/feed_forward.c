#include "layers/feed_forward.h"

#include "core/ops/ops.h"

#define ENTRY(constant, name) [constant] = hl_##name,
static hl_tensor *(*const activations[])(hl_tape *tape, hl_tensor *x) = { HL_ACTIVATIONS(ENTRY) };

hl_tensor *hl_activate(hl_tape *tape, hl_activation activation, hl_tensor *x)
{
    return activations[activation](tape, x);
}

hl_feed_forward hl_feed_forward_make(hl_parameters *parameters, hl_name prefix, int64_t d_model,
                                     const hl_feed_forward_config *config)
{
    /* One statement each: the order of registration is the order in files. */
    int64_t D = d_model, F = config->d_ff;
    bool bias = config->bias, gated = config->kind == HL_FEED_FORWARD_GATED;
    hl_feed_forward layer = { .name = prefix, .activation = config->activation, .gated = gated };
    if ((size_t)config->activation >= sizeof activations / sizeof *activations) {
        hl_parameters_fail(
            parameters, hl_error(HL_INVALID, "%s: unknown activation number %d", prefix.text, (int)config->activation));
    }
    layer.linear1 = hl_linear_layer_make(parameters, hl_name_of("%s.linear1", prefix.text), D, F, bias);
    layer.linear2 = hl_linear_layer_make(parameters, hl_name_of("%s.linear2", prefix.text), F, D, bias);
    if (gated) {
        layer.linear3 = hl_linear_layer_make(parameters, hl_name_of("%s.linear3", prefix.text), D, F, bias);
    }
    layer.dropout = hl_dropout_layer_make(hl_name_of("%s.dropout", prefix.text), config->dropout);
    return layer;
}

/* The inner numbers (N, F), after dropout. */
static hl_tensor *inner(hl_tape *tape, const hl_feed_forward *layer, hl_tensor *x)
{
    if (layer->activation == HL_RELU && !layer->gated) {
        /* computed with the linear map, in one pass over the numbers */
        return hl_linear_layer_then(tape, &layer->linear1, x,
                                    (hl_linear_after){ .relu = true, .dropout = &layer->dropout });
    }
    hl_tensor *h = hl_activate(tape, layer->activation, hl_linear_layer_forward(tape, &layer->linear1, x));
    h = layer->gated ? hl_multiply(tape, h, hl_linear_layer_forward(tape, &layer->linear3, x)) : h;
    return hl_dropout_layer_forward(tape, &layer->dropout, h);
}

hl_tensor *hl_feed_forward_forward(hl_tape *tape, const hl_feed_forward *layer, hl_tensor *x, hl_linear_after after)
{
    const char *before = hl_tape_scope(tape, layer->name.text);
    x = hl_linear_layer_then(tape, &layer->linear2, inner(tape, layer, x), after);
    hl_tape_scope(tape, before);
    return x;
}
