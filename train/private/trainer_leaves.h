/* The leaves of a batch that a trainer computes at once. For trainer.c alone. */
#pragma once

#include "train/trainer.h"

/* What is summed over the leaves of an update besides gradients. */
typedef struct hl_leaf_figures {
    double loss;
    int64_t correct;
    double flops;
} hl_leaf_figures;

/* What is summed over the leaves of a validation. */
typedef struct hl_validation_leaf {
    hl_cross_entropy_result scores;
    hl_predictor_scores predictors;
} hl_validation_leaf;

/* How a training pass is planned, and how one runs, except for its batch. */
hl_tape_options hl_trainer_pass_options(const hl_config *config, int threads);

/* Records the forward pass of a micro-batch of the update on the tape, with the arena's memory, and returns the loss.
 * *result must be zeroed. `kept`: of the thread that alone computes the pass; NULL: it is cut among all threads. */
hl_tensor *hl_trainer_forward(const hl_trainer *trainer, const hl_batch *batch, hl_arena *arena, hl_tape_kept *kept,
                              hl_tape *tape, hl_cross_entropy_result *result);

/* Adds the results of that pass. */
void hl_leaf_figures_add(hl_leaf_figures *figures, const hl_trainer *trainer, const hl_cross_entropy_result *result,
                         const hl_tape *tape);

/* HL_NOT_FINITE if the loss of a pass is not finite. */
hl_status hl_trainer_check_loss(const hl_trainer *trainer, const hl_tape *tape, double loss);

/* The arena bytes that `at_once` leaves need on `threads` threads, each with `plan`. */
size_t hl_trainer_leaves_bytes(const hl_tape_plan *plan, int threads, int at_once);

/* Allocates the memory of `at_once` leaves, except the arena. HL_NO_MEMORY. Freed by hl_free(trainer->leaves). */
hl_status hl_trainer_leaves_init(hl_trainer *trainer, int at_once);

/* For n leaves of one micro-batch each, the examples from `first` on: adds their gradients to those of the parameters,
 * and pushes the figures of each leaf. HL_NOT_FINITE: the loss of a leaf. */
hl_status hl_trainer_leaves_run(hl_trainer *trainer, int64_t first, int n);
