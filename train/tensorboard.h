/* TensorBoard's event file of a run, beside metrics.csv, where train.tensorboard asks for it:
 *   loss/train, loss/validation, ...  every row of metrics.csv, a tag for each of its figures
 *   heads.best/L0H3, ...              at each snapshot what heads.csv tells of a head: of its metrics those that earn a
 *                                     label, `confidence` and `entropy.normalised`; not `rare`, for which words are
 *                                     counted at the end
 *   maps/L0H3                         at each snapshot the head's map of the first recorded example, as a PNG of some
 *                                     500 pixels each way at most
 *   config, and a row in the table of hyperparameters: the config, as it was when the file was begun
 * Of a model with more than HL_TENSORBOARD_HEADS heads, the first ones, those of the lowest layers, are shown.
 *
 * All but the times in it is the same whenever the run is made again. A run that goes on drops the events of steps that
 * its checkpoint does not know, as it does with rows of metrics.csv, by which each step and tag has one value: a mark
 * for readers (SessionLog) would leave it to each of them to do so, and an event that a killed run did not end would
 * hide from them all that follows. */
#ifndef HL_TRAIN_TENSORBOARD_H
#define HL_TRAIN_TENSORBOARD_H

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
    const hl_recorder *recorder; /* NULL: no snapshots; not owned, as the dataset, which names tokens and relations */
    const hl_dataset *dataset;
    int64_t begin;          /* the first step that the file may lack; 0: it is to be begun */
    hl_text values, record; /* of the event at work */
    char *path;
    int fd; /* -1 when closed */
} hl_tensorboard;

/* Drops from the file the events of steps after `step`, and all that follows one that is torn or damaged. *begin: the
 * step after that of the last event left; 0 where none is, and then the file is gone; it may be missing. It is cut in
 * place: a TensorBoard that is reading it goes on, and a full disk has room for that. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_tensorboard_drop_after(const char *path, int64_t step, int64_t *begin);

/* Opens the folder's file for appending, and enters the rows of metrics.csv from step board->begin on, which
 * hl_tensorboard_drop_after has set, or 0: those of a run that went on without TensorBoard, or whose file was lost. A
 * file of no event is begun with the config. The recorder may be NULL; it and the dataset must outlive the board.
 * HL_BAD_FILE, HL_NO_MEMORY. To be ended by hl_tensorboard_close, whatever this returns. */
hl_status hl_tensorboard_open(hl_tensorboard *board, const hl_run_folder *folder, const hl_config *config,
                              const hl_dataset *dataset, const hl_recorder *recorder);

/* Each of these appends an event, and does nothing where `board` is NULL: a row of metrics.csv; what the recorder's
 * buffers hold, of `step`. HL_BAD_FILE, HL_NO_MEMORY; of a picture HL_FAILED too. */
hl_status hl_tensorboard_row(hl_tensorboard *board, const hl_metrics_row *row);
hl_status hl_tensorboard_snapshot(hl_tensorboard *board, int64_t step);

/* Waits until what was appended is on disk. HL_BAD_FILE. NULL is allowed. */
hl_status hl_tensorboard_sync(const hl_tensorboard *board);

/* A zeroed or already closed one is allowed. */
void hl_tensorboard_close(hl_tensorboard *board);

HL_END_DECLS

#endif
