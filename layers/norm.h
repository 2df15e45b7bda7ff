/* Layer normalisation over the last dimension with a gain and a shift; PyTorch's nn.LayerNorm. */
#ifndef HL_LAYERS_NORM_H
#define HL_LAYERS_NORM_H

#include "core/base/declarations.h"
#include "core/parameters.h"
#include "core/tape.h"
#include "layers/name.h"

HL_BEGIN_DECLS

typedef struct hl_norm_layer {
    hl_name name;
    hl_tensor *weight; /* (D) */
    hl_tensor *bias;   /* (D) or NULL */
    hl_real epsilon;
} hl_norm_layer;

/* Registers <name>.weight (ones) and, with `bias`, <name>.bias (zero). An `epsilon` of 0 stands for 1e-5. Errors stay
 * on the registry. */
hl_norm_layer hl_norm_layer_make(hl_parameters *parameters, hl_name name, int64_t d_model, bool bias, hl_real epsilon);

/* Returns y (..., D) for x (..., D). */
hl_tensor *hl_norm_layer_forward(hl_tape *tape, const hl_norm_layer *layer, hl_tensor *x);

HL_END_DECLS

#endif
