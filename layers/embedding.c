#include "layers/embedding.h"

#include "core/op_embedding.h"

#include <tgmath.h>

hl_embedding_layer hl_embedding_layer_make(hl_parameters *parameters, hl_name name, int64_t vocabulary, int64_t d_model)
{
    hl_embedding_layer layer = { .name = name };
    layer.weight = hl_parameters_add(parameters, (hl_parameter_spec){ .name = hl_name_of("%s.weight", name.text).text,
                                                                      .shape = HL_SHAPE(vocabulary, d_model),
                                                                      .init = HL_INIT_NORMAL,
                                                                      .scale = 1 / sqrt((hl_real)d_model),
                                                                      .decay = true });
    return layer;
}

hl_tensor *hl_embedding_layer_forward(hl_tape *tape, const hl_embedding_layer *layer,
                                      const hl_positions_layer *positions, const hl_batch *batch)
{
    const char *before = hl_tape_scope(tape, layer->name.text);
    hl_tensor *x = hl_embedding(tape, (hl_embedding_args){ .W = layer->weight,
                                                           .scale = sqrt((hl_real)layer->weight->shape.size[1]),
                                                           .ids = batch->tokens,
                                                           .P = hl_positions_layer_vectors(tape, positions),
                                                           .positions = batch->positions,
                                                           .n = batch->n_rows,
                                                           .longest = batch->longest });
    hl_tape_scope(tape, before);
    return x;
}
