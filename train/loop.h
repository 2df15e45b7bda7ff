/* The training loop: when updates, validations, snapshots and checkpoints happen, and what they write into the run's
 * folder.
 *
 * After update s, in this order: the training row of metrics.csv; validation and its row; model.safetensors if that was
 * the best; the snapshot of all patterns, with what the validation measured about heads; what heads find in the
 * treebank (train/syntax_csv.h); at the end of a run with classes, scores.csv and confusion.csv (train/scores.h); the
 * checkpoint. So everything up to a checkpoint's step is complete, and a run resumed from it writes the same bytes as
 * an undisturbed run.
 *
 * Best weights found after a checkpoint may be lost again, because a resumed run begins before them and may also end
 * before them. Therefore, when the first of them replace model.safetensors, the file that the checkpoint knows stays as
 * model-before.safetensors, a hard link, until the next checkpoint is written. */
#pragma once

#include "core/base/declarations.h"
#include "heads/recorder.h"
#include "heads/validation_sums_pass.h"
#include "train/metrics_csv.h"
#include "train/progress.h"
#include "train/run_folder.h"
#include "train/state.h"
#include "train/syntax_csv.h"
#include "train/tensorboard.h"
#include "train/trainer.h"
#include "train/watch.h"

#include <stdbool.h>

HL_BEGIN_DECLS

typedef struct hl_loop {
    const hl_config *config; /* not owned, like the next four */
    const hl_run_folder *folder;
    hl_trainer *trainer;           /* its optimizer's step is the step of the run */
    hl_recorder *recorder;         /* NULL: no snapshots, or another rank records them */
    hl_validation_sums_pass *sums; /* over the whole validation set, for snapshots at validations, on all ranks, with
                                      hl_trainer_reserve_sums; NULL: no snapshots */
    hl_cadence cadence;            /* of the snapshots */
    hl_syntax_csv *syntax;         /* open; requires a recorder; NULL: nothing is counted on a treebank */
    hl_tensorboard *board;         /* open; NULL: no events for TensorBoard */
    hl_watch *watch;               /* requires a recorder; NULL: no layer is watched */
    const char *config_text;       /* for the files' metadata (hl_config_result_text); not owned */
    hl_train_state state;          /* restored, or zero */
    hl_metrics_csv metrics;        /* open */
    hl_progress progress;
    hl_evaluation evaluation; /* the last one */
    int64_t checkpoint_step;  /* of the checkpoint in the folder; -1: there is none */
    bool best_in_checkpoint;  /* whether that checkpoint knows model.safetensors as the best weights */
    double interval_started;  /* when the interval of the current row began, and its tokens so far */
    int64_t interval_tokens;
} hl_loop;

/* Whether train.patience validations in a row have brought no better loss; a patience of 0 is no limit. */
bool hl_loop_patience_lost(const hl_config *config, const hl_train_state *state);

/* Whether the run has ended: all steps are done and validated, or patience is lost. */
bool hl_loop_finished(const hl_loop *loop);

/* Trains until the run is finished or a signal arrives (train/signals.h). After a signal it writes a checkpoint of the
 * last whole step. If the signal arrived during that step's validation, the checkpoint marks it as not validated, and
 * the resumed run begins with the validation. A run without a checkpoint first validates and records the untrained
 * network. HL_NOT_FINITE: the run's last checkpoint is its state; HL_BAD_FILE, HL_NO_MEMORY.
 *
 * If several ranks compute the run (hl_trainer.ranks), all of them call this with the same state and get the same
 * status. Only rank 0 writes, and it needs folder, recorder, syntax, watch and metrics. */
hl_status hl_loop_run(hl_loop *loop);

HL_END_DECLS
