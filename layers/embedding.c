#include "layers/embedding.h"

#include "core/ops/embedding.h"

#include <tgmath.h>

hl_embedding_layer hl_embedding_layer_make(hl_parameters *parameters, hl_name name, int64_t vocabulary, int64_t d_model)
{
    return (hl_embedding_layer){
        .name = name,
        .weight = hl_name_table(parameters, name, vocabulary, d_model, 1 / sqrt((hl_real)d_model)),
        .scale = sqrt((hl_real)d_model),
    };
}

hl_tensor *hl_embedding_layer_types(hl_parameters *parameters, hl_name name, int64_t n_types, int64_t d_model)
{
    return hl_name_table(parameters, name, n_types, d_model, (hl_real)0.02);
}

hl_tensor *hl_embedding_layer_forward(hl_tape *tape, const hl_embedding_layer *layer,
                                      const hl_positions_layer *positions, const hl_batch *batch)
{
    bool typed = layer->types != NULL && layer->types->shape.size[0] > 1;
    const char *before = hl_tape_scope(tape, layer->name.text);
    hl_tensor *x = hl_embedding(tape, (hl_embedding_args){ .W = layer->weight,
                                                           .scale = layer->scale,
                                                           .ids = batch->tokens,
                                                           .P = hl_positions_layer_vectors(tape, positions),
                                                           .positions = batch->positions,
                                                           .S = layer->types,
                                                           .types = typed ? batch->types : NULL,
                                                           .n = batch->n_rows,
                                                           .longest = batch->longest });
    hl_tape_scope(tape, before);
    return x;
}
