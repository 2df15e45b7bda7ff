/* What goes into a layer of the model on some examples: whoever changes the heads of one layer many times runs the
 * layers below it once, and begins there. For effect_losses.c. */
#ifndef HL_HEADS_PRIVATE_LAYER_INPUT_H
#define HL_HEADS_PRIVATE_LAYER_INPUT_H

#include "core/arena.h"
#include "core/batch.h"
#include "core/declarations.h"
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

/* Has it go into `layer`, `slice` of the examples at once: upwards it runs the layers between alone, downwards it
 * begins at the embedding. The arena is empty before and after. HL_NO_MEMORY, HL_INVALID (T too long for the model): it
 * then goes into no layer. */
hl_status hl_layer_input_move(hl_layer_input *input, const hl_model *model, const hl_batch *examples, int64_t slice,
                              hl_arena *arena, int threads, int layer);

/* The `count` examples of T tokens from `first` on as a tensor, (count, T, D). */
hl_tensor *hl_layer_input_tensor(hl_tape *tape, const hl_layer_input *input, const hl_model *model, int64_t first,
                               int64_t count, int64_t T);

HL_END_DECLS

#endif
