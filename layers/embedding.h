/* Token embedding, scaled by sqrt(D) (Vaswani et al. 2017, section 3.4), plus the vectors of positions and of token
 * types (Devlin et al. 2019); PyTorch's nn.Embedding. */
#pragma once

#include "core/base/declarations.h"
#include "core/batch.h"
#include "core/parameters.h"
#include "core/tape.h"
#include "layers/name.h"
#include "layers/positions.h"

HL_BEGIN_DECLS

typedef struct hl_embedding_layer {
    hl_name name;
    hl_tensor *weight; /* (V, D) */
    hl_real scale;
    hl_tensor *types; /* (types, D) or NULL */
} hl_embedding_layer;

/* Registers <name>.weight, drawn as normal with standard deviation 1 / sqrt(D). After the scaling by sqrt(D), the
 * embedding then has deviation 1. Errors stay on the registry. */
hl_embedding_layer hl_embedding_layer_make(hl_parameters *parameters, hl_name name, int64_t vocabulary,
                                           int64_t d_model);

/* Registers and returns <name>.weight (n_types, D), the vectors of a layer's token types, drawn as normal with standard
 * deviation 0.02. NULL with an error on the registry. */
hl_tensor *hl_embedding_layer_types(hl_parameters *parameters, hl_name name, int64_t n_types, int64_t d_model);

/* Returns scale * weight[tokens] + vectors[positions] + types[the batch's types], (N, D), for the batch's rows.
 * `positions` may have no vectors; if the layer has a single type, all rows have it. The batch must outlive the
 * tape. Sticky error: examples longer than the positions reach, a type that the layer does not have. */
hl_tensor *hl_embedding_layer_forward(hl_tape *tape, const hl_embedding_layer *layer,
                                      const hl_positions_layer *positions, const hl_batch *batch);

HL_END_DECLS
