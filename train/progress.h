/* What a run prints while it trains: on a terminal (hl_terminal_renews) one line that renews itself, elsewhere a plain
 * line a row of metrics.csv. No line has more than 80 columns. Above the renewing line a drawing may stand, which
 * renews itself too; rows are printed above it. Failing to print is no failure of the run. */
#ifndef HL_TRAIN_PROGRESS_H
#define HL_TRAIN_PROGRESS_H

#include "core/base/declarations.h"
#include "train/metrics_csv.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

HL_BEGIN_DECLS

typedef struct hl_progress {
    FILE *out; /* not owned; NULL: silent */
    bool terminal;
    int64_t first_step, steps;
    double started, drawn; /* seconds of hl_clock_seconds */
    bool line_open;        /* a renewing line stands there without its newline */
    const char *drawing;   /* what stands above that line on a terminal, or NULL; not owned */
    int drawing_lines;     /* lines of it */
} hl_progress;

/* `out` NULL is silent. The run goes from first_step to `steps`. */
hl_progress hl_progress_begin(FILE *out, int64_t first_step, int64_t steps);

/* After every update: renews a terminal's line, at most ten times a second. */
void hl_progress_step(hl_progress *progress, hl_metrics_row so_far);

/* A row of metrics.csv: training rows on anything but a terminal, validation rows everywhere. */
void hl_progress_row(hl_progress *progress, hl_metrics_row row);

/* Shows a drawing of one or more lines, each ended by a newline. On a terminal it takes the place of the last one and
 * must stand until the next call of these; the lines must be fewer than the terminal has, and none of them wider.
 * Elsewhere it is printed. */
void hl_progress_show(hl_progress *progress, const char *drawing);

/* Leaves the drawing where it stands: the next one is shown below it. */
void hl_progress_leave(hl_progress *progress);

/* Ends a renewing line and leaves the drawing, before something else is printed. */
void hl_progress_end(hl_progress *progress);

HL_END_DECLS

#endif
