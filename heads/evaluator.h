/* Runs a model over examples as it is evaluated, without gradients and dropout, in slices that the memory is for.
 *
 *     hl_evaluator evaluator = { .model = &model, .slice = 64, .threads = 2, .arena = &arena, .loss = "the loss" };
 *     HL_TRY(hl_evaluator_plan(&evaluator, T, &bytes)); // for hl_arena_init(&arena, bytes)
 *     hl_cross_entropy_result sum = { 0 };
 *     HL_TRY(hl_evaluate(&evaluator, &examples, &sum)); */
#ifndef HL_HEADS_EVALUATOR_H
#define HL_HEADS_EVALUATOR_H

#include "core/arena.h"
#include "core/batch.h"
#include "core/declarations.h"
#include "core/status.h"
#include "layers/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* The examples that the model is run on at once. */
typedef struct hl_evaluator_slice {
    int64_t first;                    /* how many came before */
    hl_batch examples;                /* without arrays in the dry pass of hl_evaluator_plan */
    const hl_head_probe *probes;      /* one a layer, or NULL */
    const hl_tape_observer *observer; /* or NULL */
} hl_evaluator_slice;

typedef struct hl_evaluator {
    const hl_model *model;
    hl_arena *arena; /* left as it was; may be used by others between two calls */
    int64_t slice;   /* at most so many examples at once, at least 1 */
    int threads;
    const char *loss; /* what a message calls it; NULL: there are logits alone, and targets are not needed */

    /* What else is done about each slice, either may be NULL: before its pass, where probes and observer may be set and
     * false ends the evaluation; and after it, with its logits (B, T, V). */
    bool (*begin)(void *context, hl_evaluator_slice *slice);
    void (*end)(void *context, const hl_evaluator_slice *slice, const hl_real *logits);
    void *context;
} hl_evaluator;

/* The bytes of arena that a slice of examples of T tokens takes, found by a dry run; `begin` is called. HL_INVALID (T is
 * too long for the model), HL_NO_MEMORY. */
hl_status hl_evaluator_plan(const hl_evaluator *evaluator, int64_t T, size_t *bytes);

/* Runs the model on the examples, in order, and adds the loss of all of them to *sum, which may be NULL where there is
 * none. The bits do not depend on `threads`; another slice may change the last ones, as matrix products of other shapes
 * round differently. Allocates nothing. HL_NOT_FINITE naming the loss and the first tensor that is not finite; HL_INVALID
 * as above; HL_NO_MEMORY where the arena has less left than planned. */
hl_status hl_evaluate(const hl_evaluator *evaluator, const hl_batch *examples, hl_cross_entropy_result *sum);

HL_END_DECLS

#endif
