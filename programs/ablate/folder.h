/* The folder of a sweep: its plan, by which a second call is recognised, its lock, and the folders of its cells. */
#ifndef HL_PROGRAMS_ABLATE_FOLDER_H
#define HL_PROGRAMS_ABLATE_FOLDER_H

#include "programs/ablate/plan.h"
#include "train/run_folder.h"

typedef struct hl_ablate_folder {
    hl_run_folder locked; /* the folder, locked as that of a run is */
    hl_ablate_path plan, csv;
    bool opened;
} hl_ablate_folder;

/* What plan.txt says in its second line; counts on where a line changes its meaning. */
enum { HL_ABLATE_PLAN_FORMAT = 1 };

/* Makes the folder where it is missing, locks it, and writes the plan (plan.txt, with `command`, which made it) or
 * compares it with the one there. `overwrite`: where that is another one, or the same, all the plan's runs,
 * ablation.csv and data that are not the plan's are removed first; nothing else is. HL_INVALID, with the way out: the
 * folder holds another plan, or, without `overwrite`, files that are not the sweep's, and nothing is changed;
 * HL_BAD_FILE: also where another sweep is at work in it, the plan is of a newer format, or a file of the sweep's
 * cannot be replaced; HL_NO_MEMORY. To be closed, whatever this returns. */
hl_status hl_ablate_folder_open(hl_ablate_folder *folder, const hl_ablate_plan *plan, const char *command,
                                bool overwrite);

/* A zeroed or already closed folder is allowed. */
void hl_ablate_folder_close(hl_ablate_folder *folder);

/* Makes the cell's folder and writes its config.ini. An existing config.ini must be the cell's (hl_ablate_cell_check)
 * and is kept; without one, no file in the folder may be one that a training would wrongly take for its own.
 * HL_BAD_FILE (also as hl_run_folder_open), HL_INVALID; HL_NO_MEMORY. */
hl_status hl_ablate_cell_prepare(const hl_ablate_plan *plan, int64_t cell);

/* Whether config.ini in the cell's folder is the cell's, wherever the folder and a text's cache were when it was
 * written and however many threads the run had. HL_BAD_FILE: it is of a training with other settings. HL_INVALID: it
 * cannot be read. HL_NO_MEMORY. */
hl_status hl_ablate_cell_check(const hl_ablate_plan *plan, int64_t cell);

#endif
