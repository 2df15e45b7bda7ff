/* What a sweep prints while it runs: a line for every finished training. On a terminal, there is also a line below for
 * every running one, which renews itself; elsewhere, there is a line when a training begins. A failure to print is
 * ignored. */
#pragma once

#include "programs/ablate/process.h"

#include <stdio.h>

typedef struct hl_ablate_progress {
    FILE *out; /* not owned */
    bool terminal, waits;
    const hl_ablate_plan *plan;
    int64_t n_ended;     /* finished trainings, including those of other calls */
    int64_t n_elsewhere; /* those that other calls trained in the meantime */
    int n_lines;         /* drawn lines, which will be renewed */
    int width;           /* of the names */
    double drawn;        /* when they were drawn, in seconds of hl_clock_seconds */
} hl_ablate_progress;

/* n_ended: the number of trainings that had ended before. */
hl_ablate_progress hl_ablate_progress_begin(FILE *out, const hl_ablate_plan *plan, int64_t n_ended);

void hl_ablate_progress_started(hl_ablate_progress *progress, const hl_ablate_running *running);

/* `failure` says why it failed; HL_OK if it did not. */
void hl_ablate_progress_ended(hl_ablate_progress *progress, const hl_ablate_running *running,
                              const hl_ablate_result *result, const hl_status *failure);

/* Says, once and not on a terminal, that this call only waits for so many trainings of other calls. */
void hl_ablate_progress_waits(hl_ablate_progress *progress, int64_t elsewhere);

/* Whether it is time to draw: several times a second on a terminal, never elsewhere. */
bool hl_ablate_progress_due(const hl_ablate_progress *progress);

/* Renews the lines of a terminal, for as many trainings as it has lines. `elsewhere`: how many trainings of other calls
 * are running. `left`: the seconds to the end of the sweep; NaN if not known. */
void hl_ablate_progress_draw(hl_ablate_progress *progress, const hl_ablate_running *running, int n, int64_t elsewhere,
                             double left);

/* Clears these lines before something else is printed. */
void hl_ablate_progress_clear(hl_ablate_progress *progress);
