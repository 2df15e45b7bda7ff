/* What a run prints while it trains. On a terminal (hl_terminal_renews) it is one line that is updated in place;
 * elsewhere it is a plain line for each row of metrics.csv. No line has more than 80 columns. Above the updated line
 * there may be a drawing, which is updated too; rows are printed above it. If printing fails, the run does not fail. */
#pragma once

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
    bool line_open;        /* an updated line is on the terminal, without its newline */
    const char *drawing;   /* the drawing above that line on a terminal, or NULL; not owned */
    int drawing_lines;     /* its number of lines */
} hl_progress;

/* `out` NULL prints nothing. The run goes from first_step to `steps`. */
hl_progress hl_progress_begin(FILE *out, int64_t first_step, int64_t steps);

/* Call it after every update. It updates a terminal's line, at most ten times a second. */
void hl_progress_step(hl_progress *progress, hl_metrics_row so_far);

/* Prints a row of metrics.csv: training rows only if `out` is not a terminal, validation rows always. */
void hl_progress_row(hl_progress *progress, hl_metrics_row row);

/* Shows a drawing of one or more lines, each with a newline at its end. On a terminal, it replaces the last drawing and
 * must stay valid until the next call of these functions. It must have fewer lines than the terminal, and none of them
 * wider than the terminal. Elsewhere, the drawing is printed. */
void hl_progress_show(hl_progress *progress, const char *drawing);

/* Keeps the drawing on the screen: the next one is shown below it. */
void hl_progress_leave(hl_progress *progress);

/* Ends an updated line and keeps the drawing, before something else is printed. */
void hl_progress_end(hl_progress *progress);

HL_END_DECLS
