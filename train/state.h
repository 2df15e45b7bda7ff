/* The state of a run besides weights and moments: all that a resumed run needs to reach the same bits. */
#pragma once

#include "core/base/declarations.h"
#include "heads/cadence.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* What metrics.csv holds: the number of rows, and their CRC-32 without the speeds, which differ from run to run. */
typedef struct hl_metrics_sum {
    int64_t rows, crc;
} hl_metrics_sum;

typedef struct hl_train_state {
    /* Validation. */
    bool has_best;
    double best_loss;
    int64_t best_step;
    int64_t since_best; /* validations since the best loss */

    /* Training since the last row of metrics.csv. */
    double loss_sum;
    int64_t n_updates, scored, correct;

    hl_cadence_state cadence; /* what the losses determine about snapshots */

    bool unvalidated; /* a signal ended the validation of this step; it is still to be done, like all that follows it */

    hl_metrics_sum metrics; /* at the time of writing */
} hl_train_state;

HL_END_DECLS
