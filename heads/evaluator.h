/* Runs a model over a batch without gradients and dropout, in slices that fit into its memory.
 *
 *     hl_evaluator evaluator = { .model = &model, .rows = 4096, .threads = 2, .arena = &arena, .loss = "the loss" };
 *     HL_TRY(hl_evaluator_plan(&evaluator, T, &plan)); // plan.bytes: for hl_arena_init
 *     evaluator.plan = &plan;
 *     hl_cross_entropy_result sum = { 0 };
 *     HL_TRY(hl_evaluate(&evaluator, &batch, &sum)); */
#ifndef HL_HEADS_EVALUATOR_H
#define HL_HEADS_EVALUATOR_H

#include "core/arena.h"
#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/batch.h"
#include "layers/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* The examples that the model is run on at once. */
typedef struct hl_evaluator_slice {
    int64_t first; /* the index of its first example */
    hl_batch batch;
    const hl_head_probe *probes;      /* one a layer; or NULL */
    const hl_tape_observer *observer; /* or NULL */
    hl_real *states; /* (L + 1, N, D) or NULL: receives the input of each layer, and with `hidden` the last states */
} hl_evaluator_slice;

typedef struct hl_evaluator {
    const hl_model *model;
    hl_arena *arena;          /* not owned; rewound to where it was, so that others may use it between two calls */
    const hl_tape_plan *plan; /* not owned */
    int64_t rows;             /* the most rows at once; an example that is longer is run alone */
    int threads;
    const char *loss; /* the loss's name in messages; NULL: compute none */
    bool hidden;      /* give `end` the last hidden states, (N, D), in the place of logits; without a loss */

    /* Called for each slice, either may be NULL: `begin` before its pass, where it may set probes, observer and states,
     * and returns false to end the evaluation; `end` after it, with the logits of the targets' rows, (M, C), NULL where
     * there are none, or no output layer: it does not run on others; or with the hidden states. */
    bool (*begin)(void *context, hl_evaluator_slice *slice);
    void (*end)(void *context, const hl_evaluator_slice *slice, const hl_real *logits);
    void *context;
} hl_evaluator;

/* Plans passes over slices of examples of up to T tokens, by a dry run. HL_INVALID (T is too long for the model, no
 * rows), HL_NO_MEMORY; *plan is then empty. On success ended by hl_tape_plan_free. */
hl_status hl_evaluator_plan(const hl_evaluator *evaluator, int64_t T, hl_tape_plan *plan);

/* The same for slices that are no larger than this batch. */
hl_status hl_evaluator_plan_largest(const hl_evaluator *evaluator, const hl_batch *largest, hl_tape_plan *plan);

/* Runs the model on the examples, in order, and adds the loss of all of them to *sum, which may be NULL where there is
 * none. The bits do not depend on `threads`; other slices may change the last ones, as matrix products of other shapes
 * round differently. Allocates nothing. HL_NOT_FINITE naming the loss and the first tensor that is not finite;
 * HL_INVALID as above; HL_NO_MEMORY where the arena has less left than planned. */
hl_status hl_evaluate(const hl_evaluator *evaluator, const hl_batch *batch, hl_cross_entropy_result *sum);

/* hl_evaluate for a batch that is run once. The plan and the arena are made for this call; the evaluator need not have
 * them. HL_NO_MEMORY for these, too. */
hl_status hl_evaluate_once(hl_evaluator evaluator, const hl_batch *batch, hl_cross_entropy_result *sum);

/* Adds what was found on some examples to what was found on others. */
void hl_evaluation_add(hl_cross_entropy_result *sum, const hl_cross_entropy_result *more);

HL_END_DECLS

#endif
