/* TensorBoard's event file of a run, beside metrics.csv, if train.tensorboard asks for it:
 *   loss/train, loss/validation, ...  every row of metrics.csv, with a tag for each of its figures
 *   heads.best/L0H3, ...              at each snapshot, metrics of heads.csv: those that earn a label, `confidence` and
 *                                     `entropy.normalised`; not `rare`, for which words are counted at the end
 *   maps/L0H3                         at each snapshot, the head's map of the first recorded example, as a PNG of
 *                                     about 500 pixels each way at most
 *   config, and a row in the table of hyperparameters: the config when the file was begun
 * If a model has more than HL_TENSORBOARD_HEADS heads, only the first ones, in the lowest layers, are shown.
 *
 * Everything except the times is the same whenever the run is repeated. A resumed run drops the events of steps that
 * its checkpoint does not know, as it does with rows of metrics.csv. So each step and tag has one value. A mark for
 * readers (SessionLog) would leave this work to each reader. An unfinished event of a killed run would hide all later
 * events from them. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/text.h"
#include "data/dataset.h"
#include "heads/recorder.h"
#include "train/config.h"
#include "train/metrics_csv.h"
#include "train/run_folder.h"

#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_TENSORBOARD_HEADS = 64 };

typedef struct hl_tensorboard {
    const hl_recorder *recorder; /* NULL: no snapshots; not owned; nor is the dataset, which names tokens and
                                    relations */
    const hl_dataset *dataset;
    int64_t begin;          /* the first step that the file may lack; 0: the file must be begun */
    hl_text values, record; /* of the event being written */
    const char *path;       /* not owned */
    int fd;                 /* -1 when closed */
} hl_tensorboard;

/* Drops the events of steps after `step`, and everything after a torn or damaged event. *begin: the step after the last
 * remaining event; 0 if there is none, and then the file is removed. The file may be missing. It is cut in place, so
 * that a TensorBoard that reads it can go on, and so that it works on a full disk. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_tensorboard_drop_after(const char *path, int64_t step, int64_t *begin);

/* Opens the folder's file for appending. Adds the rows of metrics.csv from step board->begin on, which
 * hl_tensorboard_drop_after has set, or 0: rows of a run that went on without TensorBoard, or whose file was lost. A
 * file without events is begun with the config. The recorder may be NULL; it, the folder and the dataset must outlive
 * the board. HL_BAD_FILE, HL_NO_MEMORY. Close it with hl_tensorboard_close, also on failure. */
hl_status hl_tensorboard_open(hl_tensorboard *board, const hl_run_folder *folder, const hl_config *config,
                              const hl_dataset *dataset, const hl_recorder *recorder);

/* Each of these appends events, and does nothing if `board` is NULL. _row: a row of metrics.csv. _snapshot: what the
 * recorder's buffers hold, at `step`. HL_BAD_FILE, HL_NO_MEMORY; for a picture also HL_FAILED. */
hl_status hl_tensorboard_row(hl_tensorboard *board, const hl_metrics_row *row);
hl_status hl_tensorboard_snapshot(hl_tensorboard *board, int64_t step);

/* Waits until the appended events are on disk. HL_BAD_FILE. NULL is allowed. */
hl_status hl_tensorboard_sync(const hl_tensorboard *board);

/* A zeroed or already closed board is allowed. */
void hl_tensorboard_close(hl_tensorboard *board);

HL_END_DECLS
