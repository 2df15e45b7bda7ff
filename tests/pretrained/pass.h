/* What a model computes of a batch, layer by layer. */
#pragma once

#include "core/arena.h"
#include "core/batch.h"
#include "layers/model.h"

typedef struct pass {
    hl_real *hidden[HL_MAX_LAYERS + 1]; /* (N, D): what enters the first layer, and the output of each; the last one is
                                           after the last norm */
    hl_real *attention[HL_MAX_LAYERS];  /* (B, H, T, T) */
    hl_real *logits;                    /* (N, C); NULL without an output layer */
    int64_t n_logits;
} pass;

/* A zeroed one is empty. To be ended by pass_free, whatever this returns. The arena, which is rewound, holds a layer,
 * and where there is an output layer the whole model. */
hl_status pass_run(pass *p, const hl_model *model, const hl_batch *batch, hl_arena *arena);

void pass_free(pass *p);
