/* At which steps of a run the patterns are recorded. Step 0 and the last step are always recorded. Between them every
 * n-th step is recorded, or steps 1, 2, 5, 10, 20, 50, 100, ..., because heads form early. Further snapshots are taken
 * when the training loss falls, because heads form then.
 *
 * The smoothed loss is an exponential mean with weight 1/8 for the newest loss. Let `first` be the loss of the first
 * update. An extra snapshot is taken when the smoothed loss first falls below another multiple of first / extra. So
 * there are at most `extra` of them, at about equal distances in loss. They depend only on the losses and on `extra`.
 * So a run records the same steps however often it is stopped and resumed, as long as `extra` is the same.
 * train/snapshot_budget.h computes `extra` from the run's steps and budget. */
#pragma once

#include "core/base/declarations.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_cadence {
    int64_t every; /* in steps, at least 1; HL_CADENCE_LOG: the 1, 2, 5 series */
    int64_t extra; /* the most further snapshots that are taken when the loss falls; 0: none */
} hl_cadence;

enum { HL_CADENCE_LOG = 0 };

/* The course of the loss so far; zero before the first update. A checkpoint stores it, except `before`. */
typedef struct hl_cadence_state {
    double first; /* the loss of the first update that had one above 0 */
    double smoothed;
    double lowest; /* the lowest smoothed loss so far */
    double before; /* `lowest` before the last update */
} hl_cadence_state;

/* Call it after every update with the loss of that update, which must be finite and not negative. */
void hl_cadence_update(hl_cadence_state *state, double loss);

/* Whether `step`, 0 .. last, of a run of `last` steps is recorded; `state` is the state after this step's update. */
bool hl_cadence_records(hl_cadence cadence, const hl_cadence_state *state, int64_t step, int64_t last);

/* The most snapshots that a run of `last` steps takes, last >= 0; the exact number if `extra` is 0. */
int64_t hl_cadence_most(hl_cadence cadence, int64_t last);

HL_END_DECLS
