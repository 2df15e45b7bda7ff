/* A linear layer y = x W^T + b; PyTorch's nn.Linear. */
#pragma once

#include "core/base/declarations.h"
#include "core/parameters.h"
#include "core/tape.h"
#include "layers/dropout.h"

HL_BEGIN_DECLS

typedef struct hl_linear_layer {
    hl_name name;
    hl_tensor *weight; /* (O, I) */
    hl_tensor *bias;   /* (O) or NULL */
} hl_linear_layer;

/* Registers <name>.weight (Xavier uniform) and, with `bias`, <name>.bias (zero). Errors stay on the registry. */
hl_linear_layer hl_linear_layer_make(hl_parameters *parameters, hl_name name, int64_t inputs, int64_t outputs,
                                     bool bias);

/* Returns y (..., O) for x (..., I). */
hl_tensor *hl_linear_layer_forward(hl_tape *tape, const hl_linear_layer *layer, hl_tensor *x);

/* What follows a linear layer, computed in one pass with it (core/ops/linear.h): residual + dropout(relu(y)). Each part
 * may be absent. */
typedef struct hl_linear_after {
    bool relu;
    const hl_dropout_layer *dropout;
    hl_tensor *residual; /* (..., O) */
} hl_linear_after;

hl_tensor *hl_linear_layer_then(hl_tape *tape, const hl_linear_layer *layer, hl_tensor *x, hl_linear_after after);

HL_END_DECLS
