/* At which steps of a run the patterns are recorded: step 0 and the last one always, and between them every n-th step,
 * or 1, 2, 5, 10, 20, 50, 100, ..., because heads form early; and between those wherever the training loss falls,
 * because heads form there.
 *
 * Those extra snapshots are due where the smoothed loss, to which every update adds an eighth of its own, is for the
 * first time below another first / extra, 2 first / extra, ..., first being the loss of the first update: at most
 * `extra` of them, about as far apart in loss. Besides the losses only `extra` decides, so a run records the same steps
 * however often it is ended and resumed, as long as `extra` stays: a run's number depends on its steps and its budget
 * (train/snapshot_budget.h). */
#ifndef HL_HEADS_CADENCE_H
#define HL_HEADS_CADENCE_H

#include "core/declarations.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_cadence {
    int64_t every; /* at least 1, in steps; HL_CADENCE_LOG: the 1, 2, 5 series */
    int64_t extra; /* at most so many more where the loss falls; 0: none */
} hl_cadence;

enum { HL_CADENCE_LOG = 0 };

/* What the loss has done so far; zero before the first update. Who keeps a run keeps this, but for `before`. */
typedef struct hl_cadence_state {
    double first; /* the loss of the first update that had one above 0 */
    double smoothed;
    double lowest; /* that the smoothed loss was so far */
    double before; /* that it was before the last update */
} hl_cadence_state;

/* After every update, whose loss, finite and not negative, is `loss`. */
void hl_cadence_update(hl_cadence_state *state, double loss);

/* Whether `step`, 0 .. last, of a run of `last` steps is recorded; `state` is that after this step's update. */
bool hl_cadence_records(hl_cadence cadence, const hl_cadence_state *state, int64_t step, int64_t last);

/* How many snapshots a run of `last` steps takes at most, last >= 0; so many where none is extra. */
int64_t hl_cadence_most(hl_cadence cadence, int64_t last);

HL_END_DECLS

#endif
