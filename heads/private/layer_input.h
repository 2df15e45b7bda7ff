/* The input of a layer of the model on some examples, so that many changes of that layer's heads run the layers below
 * it once. For effect_losses.c. */
#ifndef HL_HEADS_PRIVATE_LAYER_INPUT_H
#define HL_HEADS_PRIVATE_LAYER_INPUT_H

#include "core/arena.h"
#include "core/declarations.h"
#include "core/examples.h"
#include "core/status.h"
#include "layers/model.h"

HL_BEGIN_DECLS

typedef struct hl_layer_input {
    int layer;  /* which one; -1: none yet */
    hl_real *x; /* (n, T, D); owned */
} hl_layer_input;

/* Room for n examples of T tokens, filled in by hl_layer_input_move. HL_NO_MEMORY. To be ended by hl_layer_input_free,
 * whatever this returns. */
hl_status hl_layer_input_init(hl_layer_input *input, const hl_model *model, int64_t n, int64_t T);

void hl_layer_input_free(hl_layer_input *input);

/* Computes the input of `layer`, `slice` examples at a time: from the input of a lower layer by the layers between
 * them, from that of a higher one anew from the embedding. The arena is empty before and after. HL_NO_MEMORY,
 * HL_INVALID (T too long for the model): it is then the input of no layer. */
hl_status hl_layer_input_move(hl_layer_input *input, const hl_model *model, const hl_examples *examples, int64_t slice,
                              hl_arena *arena, int threads, int layer);

/* The input (count, T, D) of the `count` examples from `first` on, as a tensor. */
hl_tensor *hl_layer_input_tensor(hl_tape *tape, const hl_layer_input *input, const hl_model *model, int64_t first,
                                 int64_t count, int64_t T);

HL_END_DECLS

#endif
