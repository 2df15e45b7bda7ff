/* The folder of a sweep: its plan, which identifies it in a later call, its locks, and the folders of its cells.
 *
 * Several calls of the same sweep can share its cells, on one machine or on several machines with a common folder.
 * Three locks make this possible. They use flock, so they end with the processes that hold them, however these end:
 *   .lock            exclusive, held for moments: its holder may take a cell and replace files of the sweep
 *   plan.txt         shared by every working call, so that nobody overwrites the sweep in the meantime
 *   <cell>/log.txt   exclusive: held by the call that trains the cell, and by the training, which writes this file
 * (NFS passes such locks on, see flock(2). docs/cluster.md lists what else a shared folder needs.) */
#pragma once

#include "programs/ablate/plan.h"

#include <stdio.h>

typedef struct hl_ablate_folder {
    hl_ablate_path plan, csv, lock_file;
    FILE *out;         /* for messages while this call waits; not owned */
    int lock, at_work; /* .lock while it is this call's turn, and plan.txt; -1: closed */
    bool opened;
} hl_ablate_folder;

/* The format in the second line of plan.txt. It grows if a line changes its meaning. */
enum { HL_ABLATE_PLAN_FORMAT = 1 };

/* Makes the folder where it is missing, enters it, and writes the plan (plan.txt, with `command`, which made it) or
 * compares it with the one there. `overwrite`: where that is another one, or the same, all the plan's runs,
 * ablation.csv and data that are not the plan's are removed first; nothing else is. HL_INVALID, with the way out: the
 * folder holds another plan, or, without `overwrite`, files that are not the sweep's, and nothing is changed;
 * HL_BAD_FILE: also where another call is at work that `overwrite` would disturb, the plan is of a newer format, or a
 * file of the sweep's cannot be replaced; HL_NO_MEMORY. Must be closed on failure too. */
hl_status hl_ablate_folder_open(hl_ablate_folder *folder, const hl_ablate_plan *plan, const char *command,
                                bool overwrite, FILE *out);

/* Waits until no other call is between _enter and _leave. HL_BAD_FILE: the folder cannot be locked. */
hl_status hl_ablate_folder_enter(hl_ablate_folder *folder);
void hl_ablate_folder_leave(hl_ablate_folder *folder);

/* A zeroed or already closed folder is allowed. */
void hl_ablate_folder_close(hl_ablate_folder *folder);

/* Makes the cell's folder and opens its log.txt, to add to it, and locks that: the cell is this call's until it is
 * closed here and the training that writes to it has ended. *log is -1 where the cell is another call's, or on failure:
 * HL_BAD_FILE, HL_NO_MEMORY. Call it between entering and leaving. */
hl_status hl_ablate_cell_take(const hl_ablate_plan *plan, int64_t cell, int *log);

/* Writes config.ini of a taken cell. An existing config.ini must belong to the cell (hl_ablate_cell_check) and is kept.
 * If there is none, the folder must not hold a file that a training would take for its own. HL_BAD_FILE (also as
 * hl_run_folder_open), HL_INVALID; HL_NO_MEMORY. */
hl_status hl_ablate_cell_prepare(const hl_ablate_plan *plan, int64_t cell);

/* Checks that config.ini in the cell's folder belongs to the cell. The paths of the folder and of a text's cache may
 * differ, and so may the number of threads. HL_BAD_FILE: it belongs to a training with other settings. HL_INVALID: it
 * cannot be read. HL_NO_MEMORY. */
hl_status hl_ablate_cell_check(const hl_ablate_plan *plan, int64_t cell);
