#include "layers/linear.h"

#include "core/ops/linear.h"

hl_linear_layer hl_linear_layer_make(hl_parameters *parameters, hl_name name, int64_t inputs, int64_t outputs,
                                     bool bias)
{
    hl_linear_layer layer = { .name = name };
    layer.weight = hl_name_matrix(parameters, name, "weight", outputs, inputs, 1);
    if (bias) {
        layer.bias = hl_name_vector(parameters, name, "bias", outputs, HL_INIT_ZERO);
    }
    return layer;
}

hl_tensor *hl_linear_layer_then(hl_tape *tape, const hl_linear_layer *layer, hl_tensor *x, hl_linear_after after)
{
    const char *before = hl_tape_scope(tape, layer->name.text);
    hl_tensor *y = hl_linear_fused(tape, (hl_linear_args){
                                             .x = x,
                                             .W = layer->weight,
                                             .b = layer->bias,
                                             .relu = after.relu,
                                             .dropout = after.dropout != NULL ? after.dropout->p : 0,
                                             .dropout_stream = after.dropout != NULL ? after.dropout->stream : 0,
                                             .residual = after.residual,
                                         });
    hl_tape_scope(tape, before);
    return y;
}

hl_tensor *hl_linear_layer_forward(hl_tape *tape, const hl_linear_layer *layer, hl_tensor *x)
{
    return hl_linear_layer_then(tape, layer, x, (hl_linear_after){ 0 });
}
