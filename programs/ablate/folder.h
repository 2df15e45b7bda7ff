/* The folder of a sweep: its plan, by which a second call is recognised, its locks, and the folders of its cells.
 *
 * Several calls of the same sweep, on one machine or on many that share the folder, share its cells by three locks,
 * all of flock, which go with the processes that hold them, however these end:
 *   .lock            exclusive, for moments: whoever has it may look for a cell, and replace files of the sweep
 *   plan.txt         shared, by every call at work: nobody overwrites the sweep meanwhile
 *   <cell>/log.txt   exclusive, by the call that trains the cell, and by the training, whose output it is
 * (NFS passes them on, flock(2); what else must hold of a shared folder: docs/cluster.md.) */
#ifndef HL_PROGRAMS_ABLATE_FOLDER_H
#define HL_PROGRAMS_ABLATE_FOLDER_H

#include "programs/ablate/plan.h"

#include <stdio.h>

typedef struct hl_ablate_folder {
    hl_ablate_path plan, csv, lock_file;
    FILE *out;         /* for who waits; not owned */
    int lock, at_work; /* .lock, where it is this call's turn, and plan.txt; -1: closed */
    bool opened;
} hl_ablate_folder;

/* What plan.txt says in its second line; counts on where a line changes its meaning. */
enum { HL_ABLATE_PLAN_FORMAT = 1 };

/* Makes the folder where it is missing, enters it, and writes the plan (plan.txt, with `command`, which made it) or
 * compares it with the one there. `overwrite`: where that is another one, or the same, all the plan's runs,
 * ablation.csv and data that are not the plan's are removed first; nothing else is. HL_INVALID, with the way out: the
 * folder holds another plan, or, without `overwrite`, files that are not the sweep's, and nothing is changed;
 * HL_BAD_FILE: also where another call is at work that `overwrite` would disturb, the plan is of a newer format, or a
 * file of the sweep's cannot be replaced; HL_NO_MEMORY. Must be closed on failure too. */
hl_status hl_ablate_folder_open(hl_ablate_folder *folder, const hl_ablate_plan *plan, const char *command,
                                bool overwrite, FILE *out);

/* Waits until no other call is between these two. HL_BAD_FILE: it cannot be locked. */
hl_status hl_ablate_folder_enter(hl_ablate_folder *folder);
void hl_ablate_folder_leave(hl_ablate_folder *folder);

/* A zeroed or already closed folder is allowed. */
void hl_ablate_folder_close(hl_ablate_folder *folder);

/* Makes the cell's folder and opens its log.txt, to add to it, and locks that: the cell is this call's until it is
 * closed here and the training that writes to it has ended. *log is -1 where the cell is another call's, or on failure:
 * HL_BAD_FILE, HL_NO_MEMORY. Call it between entering and leaving. */
hl_status hl_ablate_cell_take(const hl_ablate_plan *plan, int64_t cell, int *log);

/* Writes config.ini of a cell that was taken. An existing config.ini must be the cell's (hl_ablate_cell_check)
 * and is kept; without one, no file in the folder may be one that a training would wrongly take for its own.
 * HL_BAD_FILE (also as hl_run_folder_open), HL_INVALID; HL_NO_MEMORY. */
hl_status hl_ablate_cell_prepare(const hl_ablate_plan *plan, int64_t cell);

/* Whether config.ini in the cell's folder is the cell's, wherever the folder and a text's cache were when it was
 * written and however many threads the run had. HL_BAD_FILE: it is of a training with other settings. HL_INVALID: it
 * cannot be read. HL_NO_MEMORY. */
hl_status hl_ablate_cell_check(const hl_ablate_plan *plan, int64_t cell);

#endif
