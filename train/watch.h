/* Draws the heads of one layer while a run trains: their maps side by side, each below its name and label. On a
 * terminal, the drawing stays above the progress line and is updated; elsewhere, each drawing follows the last one.
 *
 * With a pace, training waits so that each drawing stays visible for that long. Only snapshots are then drawn, so that
 * the run comes to an end. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/text.h"
#include "heads/recorder.h"
#include "show/panel.h"
#include "show/terminal_map.h"
#include "train/config.h"
#include "train/progress.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_watch {
    const hl_recorder *recorder;  /* not owned; nor are the names of the gold relations, which may be NULL */
    const char *const *relations; /* in the order of the task */
    int layer;
    double pace;                  /* seconds; 0: as fast as training goes */
    hl_panel *panels;             /* of the layer's heads; owned, like all fields below */
    hl_real *maps;                /* their weights */
    hl_text shown;                /* the last drawing */
    int width;                    /* of its terminal */
    double begun, ended, seconds; /* when the last drawing was due, when it was done (seconds of hl_clock_seconds), and
                                     how long a drawing takes, including running the model */
} hl_watch;

/* HL_INVALID if a run of that config cannot show that layer, because the model has no such layer or patterns are not
 * recorded. The text says what to change. */
hl_status hl_watch_check(const hl_config *config, int layer);

/* `layer` has passed hl_watch_check; the recorder must outlive the watch. HL_NO_MEMORY. Free it with hl_watch_free,
 * also on failure. */
hl_status hl_watch_init(hl_watch *watch, const hl_recorder *recorder, int layer, double pace,
                        const char *const *relations);

/* A zeroed or already freed watch is allowed. */
void hl_watch_free(hl_watch *watch);

/* Whether it is time for a drawing between two snapshots. True only on a terminal and without a pace, at most ten times
 * a second, and only while drawings take at most a tenth of the time. The caller then runs the recorder
 * (hl_recorder_run) and calls hl_watch_show. */
bool hl_watch_due(hl_watch *watch, const hl_progress *progress);

/* Draws what the recorder's buffers hold, at `step`: the mean map over the scoring examples if these have one length,
 * otherwise the map of the longest example. With a pace it waits first, unless a signal comes (train/signals.h), and
 * the progress does not count the waiting time. If the terminal has no room for all heads, the drawing says so. A
 * silent progress draws nothing. HL_NO_MEMORY. */
hl_status hl_watch_show(hl_watch *watch, int64_t step, hl_progress *progress);

HL_END_DECLS
