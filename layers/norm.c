#include "layers/norm.h"

#include "core/ops/layer_norm.h"

hl_norm_layer hl_norm_layer_make(hl_parameters *parameters, hl_name name, int64_t d_model, hl_norm_config config)
{
    hl_norm_layer layer = { .name = name,
                            .kind = config.kind,
                            .epsilon = config.epsilon > 0 ? config.epsilon : (hl_real)1e-5 };
    if ((unsigned)config.kind > HL_NORM_RMS) {
        hl_parameters_fail(parameters,
                           hl_error(HL_INVALID, "%s: unknown kind number %d of norm", name.text, (int)config.kind));
    }
    layer.weight = hl_name_vector(parameters, name, "weight", d_model, HL_INIT_ONE);
    if (config.bias && config.kind == HL_NORM_LAYER) {
        layer.bias = hl_name_vector(parameters, name, "bias", d_model, HL_INIT_ZERO);
    }
    return layer;
}

hl_tensor *hl_norm_layer_forward(hl_tape *tape, const hl_norm_layer *layer, hl_tensor *x)
{
    if (layer->weight == NULL) {
        return x;
    }
    const char *before = hl_tape_scope(tape, layer->name.text);
    hl_tensor *y = layer->kind == HL_NORM_RMS ? hl_rms_norm(tape, x, layer->weight, layer->epsilon)
                                              : hl_layer_norm(tape, x, layer->weight, layer->bias, layer->epsilon);
    hl_tape_scope(tape, before);
    return y;
}
