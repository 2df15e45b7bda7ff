/* The rows that a model carries from layer to layer, for one example. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/batch.h"
#include "layers/model.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* What the heads of a layer write. */
typedef struct hl_hidden_writes {
    hl_real *z;      /* (H, T, Dv): the heads' outputs before W_O */
    hl_real *writes; /* (H, T, D): z W_O, head by head, without the bias */
} hl_hidden_writes;

typedef struct hl_hidden_states {
    int64_t n_rows, d_model; /* T, D */
    int n_states;            /* L + 1 */
    hl_real *rows;           /* (L + 1, T, D): the input of the first layer, then each layer's output; the last one is
                                taken after the encoder's last norm, if it has one */
    hl_hidden_writes *heads; /* (L); NULL: not asked for */
    void *memory;            /* owned: the block of all arrays */
} hl_hidden_states;

/* Runs the model on a batch of one example. `writes`: keep what its heads write, too. HL_INVALID (as hl_model_embed),
 * HL_NO_MEMORY; *states is then empty. On success free with hl_hidden_states_free. */
hl_status hl_hidden_states_make(const hl_model *model, const hl_batch *batch, bool writes, int threads,
                                hl_hidden_states *states);

/* A zeroed or already freed one is allowed. */
void hl_hidden_states_free(hl_hidden_states *states);

HL_END_DECLS
