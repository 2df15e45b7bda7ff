/* Dropout with its own stream of random numbers; PyTorch's nn.Dropout. */
#pragma once

#include "core/base/declarations.h"
#include "core/tape.h"
#include "layers/name.h"

HL_BEGIN_DECLS

typedef struct hl_dropout_layer {
    hl_name name;
    hl_real p;       /* in [0, 1) */
    uint32_t stream; /* the stream named "dropout <name>" */
} hl_dropout_layer;

hl_dropout_layer hl_dropout_layer_make(hl_name name, hl_real p);

/* Returns y, shaped like x, or x itself if p is 0 or the tape does not train. */
hl_tensor *hl_dropout_layer_forward(hl_tape *tape, const hl_dropout_layer *layer, hl_tensor *x);

/* The same for gathered rows: row m of x (M, D) is drawn with the number of row rows[m] - base in the tape's `places`
 * (core/ops/dropout.h). */
hl_tensor *hl_dropout_layer_rows(hl_tape *tape, const hl_dropout_layer *layer, hl_tensor *x, const int32_t *rows,
                                 int32_t base);

HL_END_DECLS
