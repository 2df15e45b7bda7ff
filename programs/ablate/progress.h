/* What a sweep prints while it runs: a line for every training that ended, and on a terminal below them one that renews
 * itself for every training that goes on; elsewhere a line when one begins. Failing to print is no failure. */
#ifndef HL_PROGRAMS_ABLATE_PROGRESS_H
#define HL_PROGRAMS_ABLATE_PROGRESS_H

#include "programs/ablate/plan.h"
#include "programs/ablate/result.h"

#include <stdio.h>

/* A training that goes on. */
typedef struct hl_ablate_running {
    int64_t cell;
    hl_ablate_path folder;
    bool began;         /* its process ended; the rest is in the folder's log.txt */
    bool elsewhere;     /* another call trained it */
    int64_t first_step; /* where it began or was resumed */
    double started;     /* seconds of hl_clock_seconds */
    int threads;
    hl_ablate_glimpse glimpse;
} hl_ablate_running;

typedef struct hl_ablate_progress {
    FILE *out; /* not owned */
    bool terminal, waits;
    const hl_ablate_plan *plan;
    int64_t n_ended;     /* trainings, those of other calls included */
    int64_t n_elsewhere; /* of them those that other calls trained meanwhile */
    int n_lines;         /* lines drawn, to be renewed */
    int width;           /* of names */
    double drawn;        /* seconds of hl_clock_seconds */
} hl_ablate_progress;

/* n_ended trainings have ended before. */
hl_ablate_progress hl_ablate_progress_begin(FILE *out, const hl_ablate_plan *plan, int64_t n_ended);

void hl_ablate_progress_started(hl_ablate_progress *progress, const hl_ablate_running *running);

/* `failure` says why it failed; HL_OK if it did not. */
void hl_ablate_progress_ended(hl_ablate_progress *progress, const hl_ablate_running *running,
                              const hl_ablate_result *result, const hl_status *failure);

/* Tells, once and not on a terminal, that there is nothing to do but wait for so many trainings of other calls. */
void hl_ablate_progress_waits(hl_ablate_progress *progress, int64_t elsewhere);

/* Whether it is time to draw: several times a second on a terminal, never elsewhere. */
bool hl_ablate_progress_due(const hl_ablate_progress *progress);

/* Renews the lines of a terminal, which shows as many trainings as it has lines for. `elsewhere`: how many other calls
 * are seen to train; `left`: the seconds to the end of the sweep, NaN if that is not known. */
void hl_ablate_progress_draw(hl_ablate_progress *progress, const hl_ablate_running *running, int n, int64_t elsewhere,
                             double left);

/* Clears the renewing lines before something else is printed. */
void hl_ablate_progress_clear(hl_ablate_progress *progress);

#endif
