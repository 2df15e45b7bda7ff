/* The training loop: when updates, validations, snapshots and checkpoints happen, and what they write into the
 * run's folder.
 *
 * After update s, in this order: the training row of metrics.csv, validation and its row, model.safetensors where that
 * was the best, the snapshot of all patterns (with what the validation found out about heads), what heads find in the
 * treebank then (train/syntax_csv.h), at the end of a run with classes scores.csv and confusion.csv (train/scores.h),
 * the checkpoint. Whatever a checkpoint's step left is therefore complete, and a run resumed from it writes the bytes
 * of an undisturbed one.
 *
 * Best weights found after a checkpoint may be lost again: a resumed run begins before them, and may end before them.
 * So the first of them leave the file that the checkpoint knows as model-before.safetensors, a hard link, until the
 * next checkpoint is written. */
#ifndef HL_TRAIN_LOOP_H
#define HL_TRAIN_LOOP_H

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
    const hl_config *config; /* not owned, as the next four */
    const hl_run_folder *folder;
    hl_trainer *trainer;           /* its optimizer's step tells where the run stands */
    hl_recorder *recorder;         /* NULL: no snapshots, or another rank's */
    hl_validation_sums_pass *sums; /* of the whole validation set, for snapshots at validations, on all ranks, with
                                      hl_trainer_reserve_sums; NULL: no snapshots */
    hl_cadence cadence;            /* of the snapshots */
    hl_syntax_csv *syntax;         /* open; NULL: nothing is counted on a treebank; else there is a recorder */
    hl_tensorboard *board;         /* open; NULL: no events for TensorBoard */
    hl_watch *watch;               /* NULL: no layer is watched; else there is a recorder */
    const char *config_text;       /* for the files' metadata (hl_config_result_text); not owned */
    hl_train_state state;          /* as restored, or zero */
    hl_metrics_csv metrics;        /* open */
    hl_progress progress;
    hl_evaluation evaluation; /* the last one */
    int64_t checkpoint_step;  /* of the checkpoint in the folder; -1: none */
    bool best_in_checkpoint;  /* whether that knows model.safetensors as the best weights */
    double interval_started;  /* when the interval of the present row began, and its tokens so far */
    int64_t interval_tokens;
} hl_loop;

/* Whether as many validations as train.patience says, 0 being no limit, have brought no better loss. */
bool hl_loop_patience_lost(const hl_config *config, const hl_train_state *state);

/* Whether the run is at its end: all steps done and validated, or patience lost. */
bool hl_loop_finished(const hl_loop *loop);

/* Trains until the run is finished or a signal came (train/signals.h), after which a checkpoint of the last step is
 * written: that of the whole step, or where the signal came during its validation, of the step before it, and the run
 * that goes on from it begins with the validation. A run without a checkpoint first validates and records the untrained
 * network. HL_NOT_FINITE: the run stands at its last checkpoint; HL_BAD_FILE, HL_NO_MEMORY.
 *
 * Where several ranks compute the run (hl_trainer.ranks), all of them call this with the same state, and get the same
 * status; rank 0 alone writes, and needs folder, recorder, syntax, watch and metrics. */
hl_status hl_loop_run(hl_loop *loop);

HL_END_DECLS

#endif
