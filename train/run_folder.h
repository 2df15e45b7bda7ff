/* The folder of a run: its paths, its lock, and removing files from it. */
#ifndef HL_TRAIN_RUN_FOLDER_H
#define HL_TRAIN_RUN_FOLDER_H

#include "core/base/declarations.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* HL_RUN_NEW refuses a folder that holds any file which a run would take for its own or replace; HL_RUN_RESUME does,
 * unless config.ini or a checkpoint tells whose they are; HL_RUN_OVERWRITE takes them all for its own. */
typedef enum hl_run_mode { HL_RUN_NEW, HL_RUN_RESUME, HL_RUN_OVERWRITE } hl_run_mode;

typedef struct hl_run_folder {
    char *path, *config, *metrics, *scores, *confusion, *model, *checkpoint, *vocabulary, *patterns, *syntax, *events,
        *lock_file;     /* owned, as the next */
    char *model_before; /* best weights that the checkpoint knows, after better ones took their name (loop.h) */
    hl_run_mode mode;
    int lock; /* a file descriptor; -1: none */
} hl_run_folder;

/* Looks at the folder and makes and changes nothing; where a run has been in it, locks it against other runs.
 * HL_INVALID, naming the ways out: it is refused, by its mode. HL_BAD_FILE: also where another run is still at work in
 * it after two seconds, and where one of the names that a run writes is no file that can be replaced, such as a
 * symbolic link, or `patterns` is no folder of its own; HL_NO_MEMORY. To be ended by hl_run_folder_close, whatever this
 * returns. */
hl_status hl_run_folder_open(hl_run_folder *folder, const char *path, hl_run_mode mode);

/* Makes the folder where it is missing and locks it, unless that was done before. Fails as above, since others may have
 * come first. */
hl_status hl_run_folder_make(hl_run_folder *folder);

/* A zeroed one is allowed. */
void hl_run_folder_close(hl_run_folder *folder);

/* Removes the files of the run in it and no others, but for config.ini, which the next run replaces. HL_BAD_FILE: where
 * one of them is a folder, nothing is removed; HL_NO_MEMORY. */
hl_status hl_run_folder_clear(const hl_run_folder *folder);

/* Removes the snapshots and kept checkpoints of steps after `step`, and unfinished snapshots: the run goes on from
 * there. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_run_folder_drop_after(const hl_run_folder *folder, int64_t step);

/* Removes the oldest checkpoint-<step>.safetensors until `keep` are left; takes one pass over the folder. HL_BAD_FILE,
 * HL_NO_MEMORY. */
hl_status hl_run_folder_prune(const hl_run_folder *folder, int64_t keep);

/* The step of the newest checkpoint-<step>.safetensors, -1 where there is none. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_run_folder_newest_kept(const hl_run_folder *folder, int64_t *step);

/* "<folder>/checkpoint-<step>.safetensors" in new memory: hl_free. NULL when out of memory. */
char *hl_run_folder_kept_checkpoint(const hl_run_folder *folder, int64_t step);

/* The step in the name of a snapshot, as in "step_000500.npz"; -1 for any other name, "step_500.npz" among them. */
int64_t hl_run_folder_snapshot_step(const char *name);

/* Whether a file of this name at the top of a run's folder is the run's own, and nothing makes it anew: config.ini, all
 * checkpoints, weights, metrics.csv, scores.csv, confusion.csv, syntax.csv, treebank.conllu, vocab.txt, TensorBoard's
 * events, the lock. */
bool hl_run_folder_keeps(const char *name);

/* Whether the folder, which need not exist, holds a run: a config.ini or a checkpoint. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_run_folder_holds_run(const char *path, bool *holds);

HL_END_DECLS

#endif
