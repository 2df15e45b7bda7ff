/* A stack of encoder layers, each with its own initial values. With pre-norm, a last layer norm follows; PyTorch's
 * nn.TransformerEncoder. */
#pragma once

#include "core/base/declarations.h"
#include "layers/encoder_layer.h"

HL_BEGIN_DECLS

typedef struct hl_encoder {
    int n_layers;
    hl_encoder_layer *layers; /* owned */
    bool has_norm;
    hl_norm_layer norm; /* with pre-norm only, where nothing else would normalise the sum of residuals */
} hl_encoder;

/* Registers <name>.layers.0.*, <name>.layers.1.*, ..., and with pre-norm <name>.norm.*. `configs`: one per layer,
 * n_layers >= 1, all with the same d_model and norm. HL_NO_MEMORY, HL_INVALID (n_layers below 1); errors of
 * registration stay on the registry. Owned by the caller: hl_encoder_free. */
hl_status hl_encoder_init(hl_encoder *encoder, hl_parameters *parameters, hl_name name,
                          const hl_encoder_layer_config *configs, int n_layers);

void hl_encoder_free(hl_encoder *encoder);

/* Runs the layers from layer `first` on, where `first` is 0 .. n_layers. x (N, D) is the input of layer `first`.
 * Returns the output of the last layer, (N, D), before the encoder's own norm. `probes`: one per layer of the encoder,
 * or NULL. Sticky error: another `first`. */
hl_tensor *hl_encoder_layers(hl_tape *tape, const hl_encoder *encoder, int first, hl_tensor *x,
                             const hl_attention_rules *rules, const hl_head_probe *probes);

/* Runs what follows the last layer, row by row: y (M, D) for x (M, D), normed if the encoder has a norm. */
hl_tensor *hl_encoder_end(hl_tape *tape, const hl_encoder *encoder, hl_tensor *x);

HL_END_DECLS
