/* The validation set of an opened run, one slice at a time of as many tokens as training evaluates at once. */
#ifndef HL_STUDY_VALIDATION_H
#define HL_STUDY_VALIDATION_H

#include "core/base/declarations.h"
#include "core/batch.h"
#include "data/batch_storage.h"
#include "heads/subset.h"
#include "study/model_source.h"

HL_BEGIN_DECLS

typedef struct hl_heads_validation {
    const hl_dataset *dataset; /* the run's */
    int64_t n_examples;
    int64_t rows;          /* of a slice, at most; an example that is longer is alone */
    hl_batch_storage room; /* for a slice; owned */
    int threads;
} hl_heads_validation;

/* `run` must outlive it. HL_NO_MEMORY. On success ended by hl_heads_validation_free. */
hl_status hl_heads_validation_make(hl_heads_validation *validation, const hl_model_source *run);

/* A zeroed or already freed one is allowed. */
void hl_heads_validation_free(hl_heads_validation *validation);

/* The examples from `first` on that are worked at once; they stand until the next call. Fails as hl_dataset_batch. */
hl_status hl_heads_validation_slice(hl_heads_validation *validation, int64_t first, hl_batch *slice);

/* What the model is worth with those heads (subset.h) on all of the examples: with all of them (kept NULL), on the
 * weights of a validated step, that validation's row of metrics.csv to the last bit. HL_NOT_FINITE, HL_NO_MEMORY. */
hl_status hl_heads_validate(hl_heads_validation *validation, const hl_model *model, const bool *kept,
                            hl_subset_worth *worth);

HL_END_DECLS

#endif
