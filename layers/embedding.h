/* Token embedding, scaled by sqrt(D) (Vaswani et al. 2017, section 3.4), with the vectors of positions and of token
 * types (Devlin et al. 2019); PyTorch's nn.Embedding. */
#ifndef HL_LAYERS_EMBEDDING_H
#define HL_LAYERS_EMBEDDING_H

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

/* Registers <name>.weight, normal with deviation 1 / sqrt(D), so that the embedding, scaled by sqrt(D), has deviation
 * 1. Errors stay on the registry. */
hl_embedding_layer hl_embedding_layer_make(hl_parameters *parameters, hl_name name, int64_t vocabulary,
                                           int64_t d_model);

/* Registers and returns <name>.weight (n_types, D), normal with deviation 0.02: the vectors of a layer's types. NULL
 * with an error on the registry. */
hl_tensor *hl_embedding_layer_types(hl_parameters *parameters, hl_name name, int64_t n_types, int64_t d_model);

/* scale * weight[tokens] + vectors[positions] + types[the batch's types], (N, D), of the batch's rows; `positions` may
 * be of no kind, and a single type is that of all rows. The batch must outlive the tape. Sticky error: examples longer
 * than there are positions, a type that the layer has not. */
hl_tensor *hl_embedding_layer_forward(hl_tape *tape, const hl_embedding_layer *layer,
                                      const hl_positions_layer *positions, const hl_batch *batch);

HL_END_DECLS

#endif
