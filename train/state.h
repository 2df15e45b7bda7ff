/* The state of a run besides weights and moments: all that a resumed run needs to go on with the same bits. */
#ifndef HL_TRAIN_STATE_H
#define HL_TRAIN_STATE_H

#include "core/base/declarations.h"
#include "heads/cadence.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* What metrics.csv holds: its rows, and the CRC-32 of all of them but their speeds, which differ from run to run. */
typedef struct hl_metrics_sum {
    int64_t rows, crc;
} hl_metrics_sum;

typedef struct hl_train_state {
    /* Validation. */
    bool has_best;
    double best_loss;
    int64_t best_step;
    int64_t since_best; /* validations without a better loss */

    /* Training since the last row of metrics.csv. */
    double loss_sum;
    int64_t n_updates, scored, correct;

    hl_cadence_state cadence; /* what the losses say of the snapshots */

    bool unvalidated; /* a signal ended the validation of the step, which is still to be done, as is all after it */

    hl_metrics_sum metrics; /* when this was written */
} hl_train_state;

HL_END_DECLS

#endif
