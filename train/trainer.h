/* The trainer: the model, its optimizer, the task's batches and the memory of a step; one update and one validation.
 * The loop decides when they happen and what is written (train/loop.h). */
#pragma once

#include "core/arena.h"
#include "core/base/declarations.h"
#include "data/batch_storage.h"
#include "data/dataset.h"
#include "heads/validation_sums_pass.h"
#include "layers/model.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "train/config.h"
#include "train/metrics_csv.h"
#include "train/ranks/leaf_sum.h"
#include "train/ranks/ranks.h"
#include "train/scores.h"

HL_BEGIN_DECLS

typedef struct hl_trainer_leaf hl_trainer_leaf; /* private/trainer_leaves.h */

typedef struct hl_trainer {
    const hl_config *config; /* not owned */
    hl_ranks *ranks;         /* the processes that compute the run together; NULL: only this process; not owned */
    int threads;
    hl_dataset *dataset;
    hl_model model;
    struct hl_trainer_holds *holds; /* heads that are held off or frozen (train/holds.h); NULL: none; owned */
    hl_optimizer optimizer;         /* its step is the step of the run */
    hl_schedule schedule;
    hl_arena arena;                   /* for one step; free for other uses between steps */
    hl_tape_plan plan, evaluation;    /* for any micro-batch; for any slice of the validation set */
    hl_batch_storage batch;           /* of the current update */
    hl_batch_storage validation;      /* fixed for the run */
    hl_metrics_kind scored;           /* which figures measure how good its answers are */
    hl_class_counts classes;          /* for HL_METRICS_CLASSES: counts of the last validation; otherwise empty */
    hl_scored_text text;              /* for HL_METRICS_TOKENS: the text that validation asks for */
    hl_leaf_sum gradients, figures;   /* of an update, over the leaves of its batch */
    hl_trainer_leaf *leaves;          /* the leaves that are computed at once; owned; NULL: one by one */
    hl_leaf_sum scores, sums;         /* of a validation; `sums` has no memory before hl_trainer_reserve_sums */
    const hl_tape_observer *observer; /* of the updates' ops (core/tape.h), which leaves computed at once then run one
                                         leaf after the other; NULL after hl_trainer_init; not owned */
} hl_trainer;

/* The results of one update. */
typedef struct hl_update {
    double loss; /* as optimised: with label smoothing and dropout, mean over the scored tokens, before the update */
    int64_t scored, correct;
    int64_t tokens;
    double flops; /* in its matrix products */
    double learning_rate;
    double grad_norm; /* before clipping */
} hl_update;

typedef struct hl_evaluation {
    bool dropped;     /* a signal ended it early: all other fields are 0 */
    hl_scores scores; /* the loss without label smoothing and dropout; bits and F1 according to hl_trainer.scored */
    double tokens_per_second;
} hl_evaluation;

/* For a toy task: opens it, makes the model with its initial weights and allocates all memory, so that nothing is
 * allocated later. `config` must outlive the trainer. HL_INVALID, HL_NO_MEMORY. Free it with hl_trainer_free, also on
 * failure. */
hl_status hl_trainer_init(hl_trainer *trainer, const hl_config *config);

/* The same in two steps, for weights that may be read instead: after the first step, all weights are zero. The data are
 * the config's (train/setup_data.h) and belong to the trainer, also on failure. `ranks`, at most train.leaves of them,
 * compute the run together, each in its own trainer. They must outlive it; NULL is one process. */
hl_status hl_trainer_reserve(hl_trainer *trainer, const hl_config *config, hl_dataset *dataset, hl_ranks *ranks);
void hl_trainer_draw(hl_trainer *trainer);

/* Allocates the memory in which hl_trainer_evaluate adds what such a pass gathers. Without it, nothing is gathered.
 * HL_NO_MEMORY. */
hl_status hl_trainer_reserve_sums(hl_trainer *trainer, const hl_validation_sums_pass *sums);

/* Frees the trainer. May be called again. */
void hl_trainer_free(hl_trainer *trainer);

/* The number of examples in a micro-batch: batch_size / (leaves accumulate). */
int64_t hl_trainer_micro_batch(const hl_config *config);

/* How many leaves of a batch a rank computes at once, on separate tapes that run backward together: the leaves in its
 * largest subtree (train/ranks/leaf_sum.h). Returns 1 if they are computed one by one, because each has several
 * micro-batches, the model uses a parameter twice, or they keep too few threads busy. The bits are the same. */
int hl_trainer_at_once(const hl_config *config, int processes, int rank);

/* A batch without arrays for dry passes (core/batch.h). No micro-batch has more examples, rows or targets. */
hl_batch hl_trainer_largest(const hl_config *config);

/* The number of examples in one slice of a validation or a measurement of heads: a micro-batch, or the validation set
 * if that is smaller; fewer if their logits would be more than 2^24. */
int64_t hl_trainer_evaluation_slice(const hl_config *config);

/* The most rows in one slice of a validation or a recording: that many of the longest examples. */
int64_t hl_trainer_evaluation_rows(const hl_config *config);

/* The bytes needed by one training step or one validation, whichever is larger, with at_once leaves computed at once.
 * Dry runs measure them. HL_INVALID, HL_NO_MEMORY. `flops`: in one update's matrix products; may be NULL. */
hl_status hl_trainer_plan(const hl_model *model, const hl_config *config, int at_once, size_t *bytes, double *flops);

/* One update: forward and backward of every micro-batch of this rank's leaves, the sum over all leaves
 * (train/ranks/leaf_sum.h), clipping, optimizer. All ranks call it at once and get the same result. HL_NOT_FINITE names
 * the step and the first tensor that is not finite; a failure of another rank is returned too; no weight has changed
 * then. Allocates nothing. */
hl_status hl_trainer_update(hl_trainer *trainer, hl_update *update);

/* The loss and accuracy on the validation set, whose leaves are slices of nearly equal size. If `sums` is not NULL,
 * also measures what the heads do on it, which changes no bit of the loss; the caller calls
 * hl_validation_sums_pass_end. Checks for a signal between slices (train/signals.h); after one, the validation is
 * dropped on all ranks. HL_NOT_FINITE as above. Allocates nothing. */
hl_status hl_trainer_evaluate(hl_trainer *trainer, hl_validation_sums_pass *sums, hl_evaluation *evaluation);

/* HL_NOT_FINITE, naming the first such parameter, if a weight or a moment is not finite. */
hl_status hl_trainer_check_finite(const hl_trainer *trainer);

HL_END_DECLS
