/* Token embedding, scaled by sqrt(D) (Vaswani et al. 2017, section 3.4); PyTorch's nn.Embedding. */
#ifndef HL_LAYERS_EMBEDDING_H
#define HL_LAYERS_EMBEDDING_H

#include "core/declarations.h"
#include "core/parameters.h"
#include "core/tape.h"
#include "layers/name.h"

HL_BEGIN_DECLS

typedef struct hl_embedding_layer {
    hl_name name;
    hl_tensor *weight; /* (V, D) */
} hl_embedding_layer;

/* Registers <name>.weight, normal with deviation 1 / sqrt(D), so that the scaled embedding has deviation 1. Errors stay
 * on the registry. */
hl_embedding_layer hl_embedding_layer_make(hl_parameters *parameters, hl_name name, int64_t vocabulary,
                                           int64_t d_model);

/* sqrt(D) * weight[tokens], (B, T, D), for tokens (B, T). `tokens` must outlive the tape. */
hl_tensor *hl_embedding_layer_forward(hl_tape *tape, const hl_embedding_layer *layer, const int32_t *tokens, int64_t B,
                                      int64_t T);

HL_END_DECLS

#endif
