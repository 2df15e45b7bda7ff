/* At which steps of a run the patterns are recorded: always at step 0 and the last one; between them at every n-th
 * step, or at 1, 2, 5, 10, 20, 50, 100, ..., because heads form early; and also where the training loss falls, because
 * heads form there.
 *
 * With `first` the loss of the first update, these extra snapshots are taken where the smoothed loss, an exponential
 * mean with weight 1/8 for the newest loss, falls for the first time below a further multiple of first / extra: at most
 * `extra` of them, at about equal distances in loss. They depend on the losses and on `extra` alone, so a run records
 * the same steps however often it is ended and resumed, as long as `extra` is the same; train/snapshot_budget.h
 * computes it from the run's steps and budget. */
#ifndef HL_HEADS_CADENCE_H
#define HL_HEADS_CADENCE_H

#include "core/base/declarations.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_cadence {
    int64_t every; /* at least 1, in steps; HL_CADENCE_LOG: the 1, 2, 5 series */
    int64_t extra; /* at most so many more where the loss falls; 0: none */
} hl_cadence;

enum { HL_CADENCE_LOG = 0 };

/* The course of the loss so far; zero before the first update. A checkpoint stores it, except `before`. */
typedef struct hl_cadence_state {
    double first; /* the loss of the first update that had one above 0 */
    double smoothed;
    double lowest; /* the lowest smoothed loss so far */
    double before; /* the same before the last update */
} hl_cadence_state;

/* Call it after every update with its loss, finite and not negative. */
void hl_cadence_update(hl_cadence_state *state, double loss);

/* Whether `step`, 0 .. last, of a run of `last` steps is recorded; `state` is that after this step's update. */
bool hl_cadence_records(hl_cadence cadence, const hl_cadence_state *state, int64_t step, int64_t last);

/* The most snapshots of a run of `last` steps, last >= 0; their exact number where `extra` is 0. */
int64_t hl_cadence_most(hl_cadence cadence, int64_t last);

HL_END_DECLS

#endif
