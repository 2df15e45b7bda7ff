#include "layers/norm.h"

#include "core/ops/layer_norm.h"

hl_norm_layer hl_norm_layer_make(hl_parameters *parameters, hl_name name, int64_t d_model, bool bias, hl_real epsilon)
{
    hl_norm_layer layer = { .name = name, .epsilon = epsilon > 0 ? epsilon : (hl_real)1e-5 };
    layer.weight = hl_parameters_add(parameters, (hl_parameter_spec){ .name = hl_name_of("%s.weight", name.text).text,
                                                                      .shape = HL_SHAPE(d_model),
                                                                      .init = HL_INIT_ONE });
    if (bias) {
        layer.bias = hl_parameters_add(parameters, (hl_parameter_spec){ .name = hl_name_of("%s.bias", name.text).text,
                                                                        .shape = HL_SHAPE(d_model),
                                                                        .init = HL_INIT_ZERO });
    }
    return layer;
}

hl_tensor *hl_norm_layer_forward(hl_tape *tape, const hl_norm_layer *layer, hl_tensor *x)
{
    const char *before = hl_tape_scope(tape, layer->name.text);
    hl_tensor *y = hl_layer_norm(tape, x, layer->weight, layer->bias, layer->epsilon);
    hl_tape_scope(tape, before);
    return y;
}
