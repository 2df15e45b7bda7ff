/* What a model is worth when only some of its heads work: the others' outputs z are zero before W_O.
 *
 *     hl_subset subset = { .model = &model, .slice = 64, .threads = 2 };
 *     hl_status status = hl_subset_begin(&subset, examples.n_tokens);
 *     ... hl_subset_measure(&subset, &examples, kept, &worth), as often as one likes
 *     hl_subset_free(&subset); */
#ifndef HL_HEADS_SUBSET_H
#define HL_HEADS_SUBSET_H

#include "core/arena.h"
#include "core/batch.h"
#include "core/declarations.h"
#include "core/status.h"
#include "layers/model.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* What passes share. The caller sets the first ones, the rest is hl_subset_begin's. */
typedef struct hl_subset {
    const hl_model *model; /* not owned */
    int64_t slice;         /* at least 1: the examples that the model is run on at once, which bounds the memory */
    int threads;
    hl_arena arena;
    const bool *kept;      /* the heads of the pass at work */
    hl_real *gates;        /* (slice, H) for each layer */
    hl_tensor *tensors;    /* (L): each layer's gates on the examples at work */
    hl_head_probe *probes; /* (L): which hold them */
} hl_subset;

/* As a validation tells them: over all scored tokens, without label smoothing and dropout. */
typedef struct hl_subset_worth {
    double loss, accuracy; /* nats; a share */
} hl_subset_worth;

/* Takes the memory for examples of up to T tokens. HL_INVALID (T too long for the model, a slice below 1),
 * HL_NO_MEMORY. To be ended by hl_subset_free, whatever this returns. */
hl_status hl_subset_begin(hl_subset *subset, int64_t T);

/* A zeroed or already freed one is allowed. */
void hl_subset_free(hl_subset *subset);

/* kept: one bool a head, by layer and head (head_set.h); NULL: all of them, for the very numbers of the model
 * itself. At least one target must be scored. HL_NOT_FINITE. Allocates nothing. */
hl_status hl_subset_measure(hl_subset *subset, const hl_batch *examples, const bool *kept, hl_subset_worth *worth);

/* The same for examples that come piece by piece: adds up what they tell in *sum, which is zero before the first. */
hl_status hl_subset_add(hl_subset *subset, const hl_batch *examples, const bool *kept, hl_cross_entropy_result *sum);

/* What the examples added up tell. */
hl_subset_worth hl_subset_worth_of(const hl_cross_entropy_result *sum);

HL_END_DECLS

#endif
