/* Trains all cells of a plan that are not done, several at a time, each in a process of its own. */
#ifndef HL_PROGRAMS_ABLATE_SWEEP_H
#define HL_PROGRAMS_ABLATE_SWEEP_H

#include "programs/ablate/plan.h"
#include "programs/ablate/result.h"

#include <stdio.h>

typedef struct hl_ablate_sweep {
    const hl_ablate_plan *plan;
    const char *train; /* the program */
    const char *csv;   /* the path of ablation.csv, written anew whenever a training has ended */
    double target;     /* the accuracy of hl_ablate_result */
    int jobs;          /* trainings at a time; 0: one a core */
    FILE *out;         /* for the progress */
} hl_ablate_sweep;

/* Trains what is HL_ABLATE_WAITING in `results` (of all cells) until it is done or has failed, which stops no other.
 * With fewer trainings left than cores, each gets several threads, which changes none of its numbers. On a signal
 * (hl_signals_received) every running training saves and counts as waiting. HL_BAD_FILE, HL_FAILED, HL_NO_MEMORY: a
 * failure that concerns more than one training; running trainings then end in the same way. */
hl_status hl_ablate_sweep_run(const hl_ablate_sweep *options, hl_ablate_result *results);

/* How many threads a training gets that begins while `waiting` (this one included) have not begun and there are
 * `free_cores` and `free_jobs` (at least 1) for them: the cores divided evenly, at least one. */
int hl_ablate_sweep_threads(int free_cores, int free_jobs, int64_t waiting);

#endif
