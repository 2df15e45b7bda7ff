#include "layers/encoder.h"

#include "core/base/memory.h"

hl_status hl_encoder_init(hl_encoder *encoder, hl_parameters *parameters, hl_name name,
                          const hl_encoder_layer_config *configs, int n_layers)
{
    *encoder = (hl_encoder){ 0 };
    if (n_layers < 1) {
        return hl_error(HL_INVALID, "%s: %d layers cannot be", name.text, n_layers);
    }
    *encoder = (hl_encoder){ .layers = hl_calloc((size_t)n_layers, sizeof *encoder->layers), .n_layers = n_layers };
    HL_NEED(encoder->layers != NULL, "the encoder's layers");
    for (int l = 0; l < n_layers; l++) {
        encoder->layers[l] = hl_encoder_layer_make(parameters, hl_name_of("%s.layers.%d", name.text, l), &configs[l]);
    }
    encoder->has_norm = configs[0].norm == HL_NORM_PRE;
    if (encoder->has_norm) {
        encoder->norm = hl_norm_layer_make(parameters, hl_name_of("%s.norm", name.text), configs[0].attention.d_model,
                                           configs[0].norms);
    }
    return hl_ok();
}

void hl_encoder_free(hl_encoder *encoder)
{
    hl_free(encoder->layers);
    *encoder = (hl_encoder){ 0 };
}

hl_tensor *hl_encoder_layers(hl_tape *tape, const hl_encoder *encoder, int first, hl_tensor *x,
                             const hl_attention_rules *rules, const hl_head_probe *probes)
{
    if (first < 0 || first > encoder->n_layers) {
        HL_THEN(tape->error, hl_error(HL_INVALID, "layer %d is not in 0 .. %d", first, encoder->n_layers));
        return NULL;
    }
    for (int l = first; l < encoder->n_layers; l++) {
        x = hl_encoder_layer_forward(tape, &encoder->layers[l], x, rules, probes != NULL ? &probes[l] : NULL);
    }
    return x;
}

hl_tensor *hl_encoder_end(hl_tape *tape, const hl_encoder *encoder, hl_tensor *x)
{
    return encoder->has_norm ? hl_norm_layer_forward(tape, &encoder->norm, x) : x;
}
