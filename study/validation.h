/* The validation set of an opened run, in slices of as many tokens as training evaluates at once. */
#pragma once

#include "core/base/declarations.h"
#include "core/batch.h"
#include "data/batch_storage.h"
#include "heads/subset.h"
#include "study/model_source.h"

HL_BEGIN_DECLS

typedef struct hl_heads_validation {
    const hl_dataset *dataset; /* owned by the run */
    int64_t n_examples;
    int64_t rows;          /* the most rows of a slice; a longer example is a slice by itself */
    hl_batch_storage room; /* memory for a slice; owned */
    int threads;
} hl_heads_validation;

/* `run` must outlive it. HL_NO_MEMORY. On success free with hl_heads_validation_free. */
hl_status hl_heads_validation_make(hl_heads_validation *validation, const hl_model_source *run);

/* A zeroed or already freed one is allowed. */
void hl_heads_validation_free(hl_heads_validation *validation);

/* *slice: the next examples, from `first` on. They stand until the next call. Fails as hl_dataset_batch. */
hl_status hl_heads_validation_slice(hl_heads_validation *validation, int64_t first, hl_batch *slice);

/* Loss and accuracy of the model with only the `kept` heads (heads/subset.h) on all examples. With all heads (kept is
 * NULL) and the weights of a validated step, the result equals that validation's row of metrics.csv to the last bit.
 * HL_NOT_FINITE, HL_NO_MEMORY. */
hl_status hl_heads_validate(hl_heads_validation *validation, const hl_model *model, const bool *kept,
                            hl_subset_worth *worth);

HL_END_DECLS
