/* Removes heads from a run's model one by one, and measures what is left. */
#pragma once

#include "heads/subset.h"
#include "layers/model.h"
#include "programs/heads/command.h"
#include "study/model.h"

#include <stdbool.h>
#include <stdint.h>

/* The model with some of its heads. */
typedef struct hl_heads_pruning_row {
    int64_t heads;         /* the number of heads that are left */
    int64_t removed;       /* the last removed head, as a number in the whole model; -1 in the first row */
    hl_subset_worth worth; /* on the validation set */
    int64_t parameters;
    double
        seconds; /* a forward pass over a batch on one thread; the minimum of several, as disturbances only add time */
} hl_heads_pruning_row;

typedef struct hl_heads_pruning {
    const hl_opened_model *run; /* not owned */
    hl_heads_pruning_row *rows; /* from all heads down; owned, like `kept` and `model` */
    int64_t n_rows;
    int64_t n_importance, n_validation, batch; /* numbers of examples: for importance, for validation, in a batch */
    hl_heads_prune_by by;
    bool once;
    bool *kept;     /* the heads of the last row, by layer and head of the whole model */
    hl_model model; /* of these heads */
} hl_heads_pruning;

/* Removes heads until `target` are left (from one in every layer to all). It always removes the least important head
 * (programs/heads/command.h) on the scoring examples of the last snapshot. Importance is measured again after every
 * head, or only `once`, in the whole model. The weights are those of the snapshot's step, or else the last
 * checkpoint's. HL_BAD_FILE,
 * HL_INVALID (no weights, nothing scored), HL_NOT_FINITE, HL_NO_MEMORY. Must be freed with hl_heads_pruning_free, on
 * failure too. */
hl_status hl_heads_pruning_make(hl_heads_pruning *pruning, hl_opened_model *run, int64_t target, hl_heads_prune_by by,
                                bool once);

/* A zeroed or already freed one is allowed. */
void hl_heads_pruning_free(hl_heads_pruning *pruning);
