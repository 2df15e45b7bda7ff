/* The input of a layer of the model on some examples, so that many changes of that layer's heads run the layers below
 * it once. For effect_losses.c. */
#ifndef HL_HEADS_PRIVATE_LAYER_INPUT_H
#define HL_HEADS_PRIVATE_LAYER_INPUT_H

#include "core/arena.h"
#include "core/batch.h"
#include "core/status.h"
#include "layers/model.h"

typedef struct hl_layer_input {
    int layer;  /* which one; -1: none yet */
    hl_real *x; /* (N, D), of all rows of the examples; owned */
} hl_layer_input;

/* Room for n_rows rows, filled in by hl_layer_input_move. HL_NO_MEMORY. To be ended by hl_layer_input_free,
 * whatever this returns. */
hl_status hl_layer_input_init(hl_layer_input *input, const hl_model *model, int64_t n_rows);

void hl_layer_input_free(hl_layer_input *input);

/* Computes the input of `layer`, `slice` examples at a time: from the input of a lower layer by the layers between
 * them, from that of a higher one anew from the embedding. The arena is empty before and after. HL_NO_MEMORY,
 * HL_INVALID (examples too long for the model): it is then the input of no layer. */
hl_status hl_layer_input_move(hl_layer_input *input, const hl_model *model, const hl_batch *batch, int64_t slice,
                              hl_arena *arena, int threads, int layer);

/* The numbers of a slice of the batch. */
hl_real *hl_layer_input_of(const hl_layer_input *input, const hl_model *model, const hl_batch *slice);

/* The same as a tensor (rows of the slice, D). */
hl_tensor *hl_layer_input_tensor(hl_tape *tape, const hl_layer_input *input, const hl_model *model,
                                 const hl_batch *slice);

#endif
