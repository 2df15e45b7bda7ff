/* Trains all cells of a plan that are not done, several at a time, each in a process of its own. */
#ifndef HL_PROGRAMS_ABLATE_SWEEP_H
#define HL_PROGRAMS_ABLATE_SWEEP_H

#include "programs/ablate/folder.h"
#include "programs/ablate/result.h"

#include <stdio.h>

typedef struct hl_ablate_sweep {
    const hl_ablate_plan *plan;
    const char *train;        /* the program */
    hl_ablate_folder *folder; /* open, and left; its ablation.csv is written anew whenever a training has ended */
    double target;            /* the accuracy of hl_ablate_result */
    int jobs;                 /* trainings at a time; 0: one a core */
    FILE *out;                /* for the progress */
} hl_ablate_sweep;

/* Brings `results` (of all cells; zeroed but for `steps`, -1, before the first time) to what ablation.csv and the
 * cells' folders say. A training that the csv calls done waits where its folder is gone, holds another run, or has
 * lost rows of its metrics.csv; why is told when the cell begins. Call it between entering and leaving the
 * folder. HL_BAD_FILE: ablation.csv; HL_NO_MEMORY. */
hl_status hl_ablate_sweep_recall(const hl_ablate_sweep *options, hl_ablate_result *results);

/* Trains what is HL_ABLATE_WAITING in `results` until it is done or has failed, which stops no other; what other calls
 * train meanwhile is left to them, and taken up once they have ended. Returns when nothing waits any more. With fewer
 * trainings left than cores, each gets several threads, which changes none of its numbers. On a signal
 * (hl_signals_received) every running training saves and counts as waiting. HL_BAD_FILE, HL_FAILED, HL_NO_MEMORY: a
 * failure that concerns more than one training; running trainings then end in the same way. */
hl_status hl_ablate_sweep_run(const hl_ablate_sweep *options, hl_ablate_result *results);

/* How many threads a training gets that begins while `waiting` (this one included) have not begun and there are
 * `free_cores` and `free_jobs` (at least 1) for them: the cores divided evenly, at least one. */
int hl_ablate_sweep_threads(int free_cores, int free_jobs, int64_t waiting);

#endif
