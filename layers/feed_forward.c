#include "layers/feed_forward.h"

#include "core/ops/ops.h"

#define ENTRY(constant, name) [constant] = hl_##name,
static hl_tensor *(*const activations[])(hl_tape *tape, hl_tensor *x) = { HL_ACTIVATIONS(ENTRY) };

hl_tensor *hl_activate(hl_tape *tape, hl_activation activation, hl_tensor *x)
{
    return activations[activation](tape, x);
}

hl_feed_forward hl_feed_forward_make(hl_parameters *parameters, hl_name prefix, int64_t d_model, int64_t d_ff,
                                     hl_activation activation, bool bias, hl_real dropout)
{
    /* One statement each: the order of registration is the order in files. */
    hl_feed_forward layer = { .name = prefix, .activation = activation };
    if ((size_t)activation >= sizeof activations / sizeof *activations) {
        hl_parameters_fail(parameters,
                           hl_error(HL_INVALID, "%s: unknown activation number %d", prefix.text, (int)activation));
    }
    layer.linear1 = hl_linear_layer_make(parameters, hl_name_of("%s.linear1", prefix.text), d_model, d_ff, bias);
    layer.linear2 = hl_linear_layer_make(parameters, hl_name_of("%s.linear2", prefix.text), d_ff, d_model, bias);
    layer.dropout = hl_dropout_layer_make(hl_name_of("%s.dropout", prefix.text), dropout);
    return layer;
}

hl_tensor *hl_feed_forward_forward(hl_tape *tape, const hl_feed_forward *layer, hl_tensor *x, hl_linear_after after)
{
    const char *before = hl_tape_scope(tape, layer->name.text);
    if (layer->activation == HL_RELU) { /* computed with the linear map, in one pass over the numbers */
        x = hl_linear_layer_then(tape, &layer->linear1, x,
                                 (hl_linear_after){ .relu = true, .dropout = &layer->dropout });
    } else {
        x = hl_activate(tape, layer->activation, hl_linear_layer_forward(tape, &layer->linear1, x));
        x = hl_dropout_layer_forward(tape, &layer->dropout, x);
    }
    x = hl_linear_layer_then(tape, &layer->linear2, x, after);
    hl_tape_scope(tape, before);
    return x;
}
