/* The trainer: the model, its optimizer, the task's batches and the memory of a step; one update and one validation.
 * The loop decides when they happen and what is written (train/loop.h). */
#ifndef HL_TRAIN_TRAINER_H
#define HL_TRAIN_TRAINER_H

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
    hl_ranks *ranks;         /* that compute the run together; NULL: this process alone; not owned */
    int threads;
    hl_dataset *dataset;
    hl_model model;
    hl_optimizer optimizer; /* its step is the run's */
    hl_schedule schedule;
    hl_arena arena;                   /* of one step; free for other uses between steps */
    hl_tape_plan plan, evaluation;    /* of any micro-batch, of any slice of the validation set */
    hl_batch_storage batch;           /* of the present update */
    hl_batch_storage validation;      /* fixed for the run */
    hl_metrics_kind scored;           /* which figures tell how good its answers are */
    hl_class_counts classes;          /* of HL_METRICS_CLASSES: those of the last validation, else empty */
    hl_scored_text text;              /* of HL_METRICS_TOKENS: what validation asks for */
    hl_leaf_sum gradients, figures;   /* of an update, over the leaves of its batch */
    hl_trainer_leaf *leaves;          /* owned: of those that are computed at once; NULL: one by one */
    hl_leaf_sum scores, sums;         /* of a validation; the last one without memory before hl_trainer_reserve_sums */
    const hl_tape_observer *observer; /* of the updates' ops (core/tape.h), which leaves computed at once then run one
                                         leaf after the other; NULL after hl_trainer_init; not owned */
} hl_trainer;

/* What one update found. */
typedef struct hl_update {
    double loss; /* as optimised: with label smoothing and dropout, mean over the scored tokens, before the update */
    int64_t scored, correct;
    int64_t tokens;
    double flops; /* of its matrix products */
    double learning_rate;
    double grad_norm; /* before clipping */
} hl_update;

typedef struct hl_evaluation {
    bool dropped;     /* a signal ended it early: all other fields are 0 */
    hl_scores scores; /* the loss without label smoothing and dropout; bits and F1 by hl_trainer.scored */
    double tokens_per_second;
} hl_evaluation;

/* Of a toy task. Opens it, makes the model with its initial weights and takes all memory: at the end nothing more is
 * allocated. `config` must outlive the trainer. HL_INVALID, HL_NO_MEMORY. To be ended by hl_trainer_free, whatever
 * this returns. */
hl_status hl_trainer_init(hl_trainer *trainer, const hl_config *config);

/* The same in two steps, for weights that may be read instead: after the first all of them are zero. The data are the
 * config's (train/setup_data.h) and pass to the trainer, whatever this returns. `ranks`, at most train.leaves of them,
 * compute the run together, each in a trainer of its own; they must outlive it, and NULL is one process. */
hl_status hl_trainer_reserve(hl_trainer *trainer, const hl_config *config, hl_dataset *dataset, hl_ranks *ranks);
void hl_trainer_draw(hl_trainer *trainer);

/* Takes the memory in which hl_trainer_evaluate adds up what such a pass gathers, without which it gathers nothing.
 * HL_NO_MEMORY. */
hl_status hl_trainer_reserve_sums(hl_trainer *trainer, const hl_validation_sums_pass *sums);

/* May be called again. */
void hl_trainer_free(hl_trainer *trainer);

/* The examples of a micro-batch: batch_size / (leaves accumulate). */
int64_t hl_trainer_micro_batch(const hl_config *config);

/* How many leaves of a batch a rank computes at once, on tapes of their own that walk back together: those of the
 * largest subtree of its own (train/ranks/leaf_sum.h). 1: they are computed one by one, because each has several
 * micro-batches, the model uses a parameter twice, or they keep too few of the threads busy. The bits are the same. */
int hl_trainer_at_once(const hl_config *config, int processes, int rank);

/* A batch without arrays for dry passes (core/batch.h): no micro-batch has more examples, rows or targets. */
hl_batch hl_trainer_largest(const hl_config *config);

/* The examples of one slice of a validation or of a measurement of heads: a micro-batch, or the validation set where
 * that is smaller; fewer where their logits would be more than 2^24. */
int64_t hl_trainer_evaluation_slice(const hl_config *config);

/* The most rows of one slice of a validation or a recording: of as many of the longest examples. */
int64_t hl_trainer_evaluation_rows(const hl_config *config);

/* The bytes that one training step and one validation need where so many leaves are computed at once, of which the
 * larger counts; found by dry runs. HL_INVALID, HL_NO_MEMORY. `flops`: of one update's matrix products; may be NULL. */
hl_status hl_trainer_plan(const hl_model *model, const hl_config *config, int at_once, size_t *bytes, double *flops);

/* One update: forward and backward of every micro-batch of this rank's leaves, the sum over all leaves
 * (train/ranks/leaf_sum.h), clipping, optimizer. All ranks call it at once, and find the same. HL_NOT_FINITE names the
 * step and the first tensor that is not finite; what another rank failed with; no weight has changed then. Allocates
 * nothing. */
hl_status hl_trainer_update(hl_trainer *trainer, hl_update *update);

/* The loss and accuracy on the validation set, whose leaves are slices as equal as can be; and where `sums` is not
 * NULL, what the heads do on it (hl_validation_sums_pass_end is left to the caller), which changes no bit of them.
 * Between its slices it looks whether a signal came (train/signals.h), and is then dropped on all ranks. HL_NOT_FINITE
 * as above. Allocates nothing. */
hl_status hl_trainer_evaluate(hl_trainer *trainer, hl_validation_sums_pass *sums, hl_evaluation *evaluation);

/* HL_NOT_FINITE, naming the first parameter concerned, where a weight or a moment is not finite. */
hl_status hl_trainer_check_finite(const hl_trainer *trainer);

HL_END_DECLS

#endif
