/* The folder of a run: its paths, its lock, and the removal of files from it. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* HL_RUN_NEW refuses a folder with any file that a run would treat as its own or replace. HL_RUN_RESUME also refuses
 * it, unless config.ini or a checkpoint shows that the files belong to a run. HL_RUN_OVERWRITE treats them as its
 * own. */
typedef enum hl_run_mode { HL_RUN_NEW, HL_RUN_RESUME, HL_RUN_OVERWRITE } hl_run_mode;

typedef struct hl_run_folder {
    char *path, *config, *metrics, *scores, *confusion, *model, *checkpoint, *vocabulary, *patterns, *syntax, *events,
        *lock_file;     /* owned, like the next field */
    char *model_before; /* best weights that the checkpoint knows, kept when better ones replaced them (loop.h) */
    hl_run_mode mode;
    int lock; /* a file descriptor; -1: none */
} hl_run_folder;

/* Inspects the folder, without making or changing anything. If a run has been in it, locks it against other runs.
 * HL_INVALID, naming the ways out: the mode refuses it. HL_BAD_FILE, also if another run still works in it after two
 * seconds, if a name that a run writes belongs to something that is not a replaceable file, such as a symbolic link, or
 * if `patterns` is not a folder of its own; HL_NO_MEMORY. Close it with hl_run_folder_close, also on failure. */
hl_status hl_run_folder_open(hl_run_folder *folder, const char *path, hl_run_mode mode);

/* Makes the folder if it is missing and locks it if it is not locked. Fails as above, because another run may have come
 * first. */
hl_status hl_run_folder_make(hl_run_folder *folder);

/* A zeroed one is allowed. */
void hl_run_folder_close(hl_run_folder *folder);

/* Removes only the files of the run in it, except config.ini, which the next run replaces. HL_BAD_FILE: if one of them
 * is a folder, nothing is removed; HL_NO_MEMORY. */
hl_status hl_run_folder_clear(const hl_run_folder *folder);

/* Removes the snapshots and kept checkpoints of steps after `step`, and unfinished snapshots, so that the run can go on
 * from `step`. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_run_folder_drop_after(const hl_run_folder *folder, int64_t step);

/* Removes the oldest checkpoint-<step>.safetensors until `keep` are left; reads the folder once. HL_BAD_FILE,
 * HL_NO_MEMORY. */
hl_status hl_run_folder_prune(const hl_run_folder *folder, int64_t keep);

/* The step of the newest checkpoint-<step>.safetensors; -1 if there is none. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_run_folder_newest_kept(const hl_run_folder *folder, int64_t *step);

/* "<folder>/checkpoint-<step>.safetensors" in new memory: hl_free. NULL when out of memory. */
char *hl_run_folder_kept_checkpoint(const hl_run_folder *folder, int64_t step);

/* The step in the name of a snapshot, such as "step_000500.npz"; -1 for any other name, including "step_500.npz". */
int64_t hl_run_folder_snapshot_step(const char *name);

/* Whether a file with this name, directly in a run's folder, belongs to the run and cannot be made again: config.ini,
 * all checkpoints, weights, metrics.csv, scores.csv, confusion.csv, syntax.csv, treebank.conllu, vocab.txt,
 * TensorBoard's events, the lock. */
bool hl_run_folder_keeps(const char *name);

/* Whether the folder, which need not exist, holds a run: a config.ini or a checkpoint. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_run_folder_holds_run(const char *path, bool *holds);

HL_END_DECLS
