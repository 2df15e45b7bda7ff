/* Normalisation over the last dimension: PyTorch's nn.LayerNorm, with a gain and a shift, or nn.RMSNorm, with a gain
 * alone. */
#pragma once

#include "core/base/declarations.h"
#include "core/parameters.h"
#include "core/tape.h"
#include "layers/name.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef enum hl_norm_kind { HL_NORM_LAYER, HL_NORM_RMS } hl_norm_kind;

typedef struct hl_norm_config {
    hl_norm_kind kind;
    bool bias;       /* HL_NORM_RMS never has one */
    hl_real epsilon; /* 0 stands for 1e-5 */
} hl_norm_config;

typedef struct hl_norm_layer {
    hl_name name;
    hl_norm_kind kind;
    hl_tensor *weight; /* (D) */
    hl_tensor *bias;   /* (D) or NULL */
    hl_real epsilon;
} hl_norm_layer;

/* Registers <name>.weight (ones) and, with a bias, <name>.bias (zero). Errors stay on the registry, also for an unknown
 * kind. */
hl_norm_layer hl_norm_layer_make(hl_parameters *parameters, hl_name name, int64_t d_model, hl_norm_config config);

/* Returns y (..., D) for x (..., D); x itself if the layer is empty (zeroed). */
hl_tensor *hl_norm_layer_forward(hl_tape *tape, const hl_norm_layer *layer, hl_tensor *x);

HL_END_DECLS
