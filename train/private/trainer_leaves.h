/* The leaves of a batch that a trainer computes at once; for trainer.c alone. */
#ifndef HL_TRAIN_PRIVATE_TRAINER_LEAVES_H
#define HL_TRAIN_PRIVATE_TRAINER_LEAVES_H

#include "train/trainer.h"

/* What is added up over the leaves of an update besides gradients. */
typedef struct hl_leaf_figures {
    double loss;
    int64_t correct;
    double flops;
} hl_leaf_figures;

/* How a training pass is planned; and how one runs, but for its batch. */
hl_tape_options hl_trainer_pass_options(const hl_config *config, int threads);
hl_tape_options hl_trainer_tape_options(const hl_trainer *trainer);

/* Adds what a pass over some of a batch's `scored` targets found. */
void hl_leaf_figures_add(hl_leaf_figures *figures, const hl_cross_entropy_result *result, int64_t scored, double flops);

/* HL_NOT_FINITE where the loss of a pass is not finite. */
hl_status hl_trainer_check_loss(const hl_trainer *trainer, const hl_tape *tape, double loss);

/* The bytes of the arena that `at_once` leaves take on so many threads, each of `plan`. */
size_t hl_trainer_leaves_bytes(const hl_tape_plan *plan, int threads, int at_once);

/* Takes the memory of so many leaves but for the arena. HL_NO_MEMORY. Freed by hl_free(trainer->leaves). */
hl_status hl_trainer_leaves_init(hl_trainer *trainer, int at_once);

/* Adds the gradients of n leaves of one micro-batch each, the examples from `first` on, to those of the parameters, and
 * pushes the figures of each leaf. HL_NOT_FINITE: the loss of one. */
hl_status hl_trainer_leaves_run(hl_trainer *trainer, int64_t first, int n);

#endif
