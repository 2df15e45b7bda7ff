/* A cell's folder: the run in it must be the one that the plan asks for. */
#ifndef HL_PROGRAMS_ABLATE_CELL_H
#define HL_PROGRAMS_ABLATE_CELL_H

#include "programs/ablate/plan.h"

/* Whether the folder, which need not exist, has a config.ini (see below), or a training can begin or go on in it without
 * taking files for its own that are not. HL_INVALID, naming the first of these; HL_BAD_FILE as hl_run_folder_open;
 * HL_NO_MEMORY. */
hl_status hl_ablate_cell_check_free(const char *folder);

/* Makes the cell's folder and writes its config.ini. An existing config.ini must be the cell's (hl_ablate_cell_check)
 * and is kept; without one, hl_ablate_cell_check_free must agree first. HL_BAD_FILE, HL_INVALID; HL_NO_MEMORY. */
hl_status hl_ablate_cell_prepare(const hl_ablate_plan *plan, int64_t cell, const char *folder);

/* Whether config.ini in the folder is the cell's, wherever the folder was when it was written and however many threads
 * the run had. HL_BAD_FILE: it is of a training with other settings. HL_INVALID: it cannot be read, or the folder's
 * path is too long. HL_NO_MEMORY. */
hl_status hl_ablate_cell_check(const hl_ablate_plan *plan, int64_t cell, const char *folder);

#endif
