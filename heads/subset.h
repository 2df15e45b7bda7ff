/* The loss and accuracy of a model with some of its heads. The outputs z of the other heads are zero before W_O.
 *
 *     hl_subset subset = { .model = &model, .rows = 4096, .threads = 2 };
 *     hl_status status = hl_subset_begin(&subset, batch.longest);
 *     ... hl_subset_measure(&subset, &batch, kept, &worth), as often as one likes
 *     hl_subset_free(&subset); */
#pragma once

#include "core/arena.h"
#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/batch.h"
#include "layers/model.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* The memory of the passes. The caller sets `model`, `rows` and `threads`; hl_subset_begin sets the rest. */
typedef struct hl_subset {
    const hl_model *model; /* not owned */
    int64_t rows;          /* at least 1: the most tokens that the model runs on at once, which bounds the memory */
    int threads;
    hl_tape_plan plan;
    hl_arena arena;
    hl_real *gates;        /* (H) for each layer */
    hl_tensor *tensors;    /* (L): each layer's gates */
    hl_head_probe *probes; /* (L): they hold the gates */
    void *memory;          /* the block of these arrays */
} hl_subset;

/* As in a validation: over all scored tokens, without label smoothing and dropout. */
typedef struct hl_subset_worth {
    double loss, accuracy; /* loss in nats; accuracy as a fraction */
} hl_subset_worth;

/* Allocates the memory for examples of up to T tokens. HL_INVALID (T too long for the model, no rows),
 * HL_NO_MEMORY. Owned by the caller, on failure too: hl_subset_free. */
hl_status hl_subset_begin(hl_subset *subset, int64_t T);

/* A zeroed or already freed one is allowed. */
void hl_subset_free(hl_subset *subset);

/* Measures the model with the heads in `kept`: one bool for each head, by layer and head (heads/head_set.h). NULL means
 * all heads and gives exactly the model's own numbers. At least one target must be scored. HL_NOT_FINITE. Allocates
 * nothing. */
hl_status hl_subset_measure(hl_subset *subset, const hl_batch *batch, const bool *kept, hl_subset_worth *worth);

/* The same for examples in several batches: adds the results of one batch to *sum. *sum must be zero before the first
 * batch. */
hl_status hl_subset_add(hl_subset *subset, const hl_batch *batch, const bool *kept, hl_cross_entropy_result *sum);

/* The loss and accuracy of the examples added up in *sum. */
hl_subset_worth hl_subset_worth_of(const hl_cross_entropy_result *sum);

HL_END_DECLS
