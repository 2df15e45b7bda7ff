/* Runs a model over a batch without gradients and dropout, in slices that fit into its memory.
 *
 *     hl_evaluator evaluator = { .model = &model, .rows = 4096, .threads = 2, .arena = &arena, .loss = "the loss" };
 *     HL_TRY(hl_evaluator_plan(&evaluator, T, &plan)); // plan.bytes: for hl_arena_init
 *     evaluator.plan = &plan;
 *     hl_cross_entropy_result sum = { 0 };
 *     HL_TRY(hl_evaluate(&evaluator, &batch, &sum)); */
#pragma once

#include "core/arena.h"
#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/batch.h"
#include "layers/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* The examples that the model runs on at once. */
typedef struct hl_evaluator_slice {
    int64_t first; /* the index of its first example */
    hl_batch batch;
    const hl_head_probe *probes;      /* one for each layer, or NULL */
    const hl_tape_observer *observer; /* or NULL */
    hl_real *states; /* (L + 1, N, D) or NULL: receives the input of each layer and, with `hidden`, the last hidden
                        states */
} hl_evaluator_slice;

typedef struct hl_evaluator {
    const hl_model *model;
    hl_arena *arena;          /* not owned; rewound to its previous position, so that others may use it between two
                                 calls */
    const hl_tape_plan *plan; /* not owned */
    int64_t rows;             /* the most rows at once; a longer example runs alone */
    int threads;
    const char *loss; /* the loss's name in messages; NULL: no loss is computed */
    bool hidden;      /* give `end` the last hidden states, (N, D), instead of logits; no loss is computed */

    /* Called for each slice; either may be NULL. `begin` is called before the slice's pass. It may set probes, observer
     * and states. `end` is called after the pass with the logits of the targets' rows, (M, C), or with the hidden
     * states. The logits are NULL if there are no targets or no output layer. The output layer does not run on other
     * rows. A failure of either ends the evaluation and becomes its own. */
    hl_status (*begin)(void *context, hl_evaluator_slice *slice);
    hl_status (*end)(void *context, const hl_evaluator_slice *slice, const hl_real *logits);
    void *context;
} hl_evaluator;

/* Plans passes over slices of examples of up to T tokens, by a dry run. HL_INVALID (T is too long for the model, no
 * rows), HL_NO_MEMORY; *plan is then empty. On success free with hl_tape_plan_free. */
hl_status hl_evaluator_plan(const hl_evaluator *evaluator, int64_t T, hl_tape_plan *plan);

/* The same for slices that are no larger than this batch. */
hl_status hl_evaluator_plan_largest(const hl_evaluator *evaluator, const hl_batch *largest, hl_tape_plan *plan);

/* Runs the model on the examples, in order, and adds the loss of all of them to *sum. `sum` may be NULL if there is no
 * loss. The bits do not depend on `threads`. Other slices may change the last bits, because matrix products of other
 * shapes round differently. Allocates nothing. HL_NOT_FINITE, naming the loss and the first tensor that is not finite;
 * HL_INVALID as above; HL_NO_MEMORY if the arena has less memory left than planned. */
hl_status hl_evaluate(const hl_evaluator *evaluator, const hl_batch *batch, hl_cross_entropy_result *sum);

/* hl_evaluate for a batch that runs only once. The plan and the arena are made for this call, so the evaluator need not
 * have them. HL_NO_MEMORY also if these do not fit. */
hl_status hl_evaluate_once(hl_evaluator evaluator, const hl_batch *batch, hl_cross_entropy_result *sum);

/* Adds the results of some examples to the results of others. */
void hl_evaluation_add(hl_cross_entropy_result *sum, const hl_cross_entropy_result *more);

HL_END_DECLS
