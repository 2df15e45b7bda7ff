/* The heads of one layer, drawn while a run goes on: their maps side by side, each under its name and label. On a
 * terminal the drawing stays in its place above the line of progress; elsewhere every drawing follows the last.
 *
 * At a pace, training waits so that each drawing stands for so long, and to come to an end, draws snapshots alone. */
#ifndef HL_TRAIN_WATCH_H
#define HL_TRAIN_WATCH_H

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
    const hl_recorder *recorder;  /* not owned, as the names of the gold relations, which may be NULL */
    const char *const *relations; /* in the order of the task */
    int layer;
    double pace;                  /* seconds; 0: as fast as training goes */
    hl_panel *panels;             /* of the layer's heads; owned, as is all below */
    hl_real *maps;                /* their weights */
    hl_text shown;                /* the last drawing */
    int width;                    /* of the terminal it was for */
    double begun, ended, seconds; /* when the last drawing was due and done, in seconds of hl_clock_seconds; and how
                                     long such take, running the model included */
} hl_watch;

/* HL_INVALID, saying what to change, where a run of that config cannot show that layer: the model has none of that
 * number, or patterns are not recorded. */
hl_status hl_watch_check(const hl_config *config, int layer);

/* `layer` passes hl_watch_check; the recorder must outlive the watch. HL_NO_MEMORY. To be ended by hl_watch_free,
 * whatever this returns. */
hl_status hl_watch_init(hl_watch *watch, const hl_recorder *recorder, int layer, double pace,
                        const char *const *relations);

/* A zeroed or already freed watch is allowed. */
void hl_watch_free(hl_watch *watch);

/* Whether it is time for a drawing between two snapshots: on a terminal alone, at no pace, at most ten a second, which
 * together take at most a tenth of the time. The caller then runs the recorder (hl_recorder_run) and calls
 * hl_watch_show. */
bool hl_watch_due(hl_watch *watch, const hl_progress *progress);

/* Draws what the recorder's buffers hold, of `step`: the mean map over the scoring examples where these have one
 * length, else that of the longest example. At a pace it waits before, unless a signal comes (train/signals.h), and the
 * progress leaves the waiting out of the time that it reckons with. Where the terminal has no room for all heads, the
 * drawing says so. A silent progress draws nothing. HL_NO_MEMORY. */
hl_status hl_watch_show(hl_watch *watch, int64_t step, hl_progress *progress);

HL_END_DECLS

#endif
