/* Trains all unfinished cells of a plan, several at a time, each in its own process. */
#pragma once

#include "programs/ablate/folder.h"
#include "programs/ablate/result.h"

#include <stdio.h>

/* What a call of the program works on. Nothing is owned. */
typedef struct hl_ablate_sweep {
    const hl_ablate_plan *plan;
    hl_ablate_folder *folder;  /* open, but left; its ablation.csv is written again whenever a training ends */
    hl_ablate_result *results; /* of all cells; before the first call zeroed, with `steps` -1 */
    double target;             /* the accuracy of hl_ablate_result */
    const char *train;         /* the program */
    int jobs;                  /* trainings at a time; 0: one for each core */
    FILE *out;                 /* for the progress */
} hl_ablate_sweep;

/* Updates the results from ablation.csv and the cells' folders. A training that is done according to the csv waits
 * again if its folder is gone, holds another run, or has lost rows of its metrics.csv. The reason is printed when the
 * cell begins. Call it between entering and leaving the folder. HL_BAD_FILE: ablation.csv; HL_NO_MEMORY. */
hl_status hl_ablate_sweep_recall(const hl_ablate_sweep *options);

/* Trains every cell that is HL_ABLATE_WAITING in the results until it is done or has failed. A failure does not stop
 * the others. Cells that other calls train are left to them, and taken over if those calls end early. Returns when no
 * cell waits any more. If fewer trainings than cores are left, each gets several threads, which does not change its
 * numbers. On a signal (hl_signals_received), every running training saves and counts as waiting. HL_BAD_FILE,
 * HL_FAILED, HL_NO_MEMORY: a failure that concerns more than one training; running trainings then end in the same
 * way. */
hl_status hl_ablate_sweep_run(const hl_ablate_sweep *options);

/* The number of threads for a training that begins now. `waiting` trainings, including this one, have not begun, and
 * there are `free_cores` and `free_jobs` (at least 1) for them. It is an even share of the cores, at least one. */
int hl_ablate_sweep_threads(int free_cores, int free_jobs, int64_t waiting);
