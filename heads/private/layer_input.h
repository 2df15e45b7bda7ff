/* The input of a layer of the model on some examples and its heads' output, so that many changes of that layer's heads
 * run the layers below it, and the heads that do not change, once. For effect_losses.c and the files of its passes. */
#ifndef HL_HEADS_PRIVATE_LAYER_INPUT_H
#define HL_HEADS_PRIVATE_LAYER_INPUT_H

#include "core/arena.h"
#include "core/base/status.h"
#include "core/batch.h"
#include "layers/model.h"

typedef struct hl_layer_input {
    int layer;  /* which one; -1: none yet */
    hl_real *x; /* (N, D), of all rows of the examples; owned, as the next */
    hl_real *z; /* (N, H * Dv) of the widest layer: the layer's heads on x */
} hl_layer_input;

/* Room for n_rows rows, filled in by hl_layer_input_move. HL_NO_MEMORY. To be ended by hl_layer_input_free,
 * whatever this returns. */
hl_status hl_layer_input_init(hl_layer_input *input, const hl_model *model, int64_t n_rows);

void hl_layer_input_free(hl_layer_input *input);

/* H * Dv of the widest layer. */
int64_t hl_layer_input_width(const hl_model_config *config);

/* Computes x and z of `layer`, `slice` examples at a time: from those of a lower layer by the layers between them,
 * from those of a higher one anew from the embedding. The arena is empty before and after. HL_NO_MEMORY,
 * HL_INVALID (examples too long for the model): it is then the input of no layer. */
hl_status hl_layer_input_move(hl_layer_input *input, const hl_model *model, const hl_batch *batch, int64_t slice,
                              hl_arena *arena, int threads, int layer);

/* Those of a slice of the batch: (rows of the slice, D) and, of the layer's own width, (rows of the slice, H * Dv). */
hl_real *hl_layer_input_x(const hl_layer_input *input, const hl_model *model, const hl_batch *slice);
hl_real *hl_layer_input_z(const hl_layer_input *input, const hl_model *model, const hl_batch *slice);

#endif
