/* What the metadata of checkpoints holds of hl_train_state. For their writer and their reader alone. */
#pragma once

#include "train/state.h"

#include <stdint.h>
#include <string.h>

/* Files of format 1 have only the first fields; their rows of metrics.csv are still read. A checkpoint of a whole step
 * has only the fields of one. */
enum { HL_STATE_FIRST_FIELDS = 10, HL_STATE_WHOLE_STEP_FIELDS = 13, HL_STATE_FIELDS = 15 };

/* One field per line of metadata, in the same order for writing and reading. */
typedef struct hl_state_field {
    const char *key;
    double *real; /* one of these two; the other is NULL */
    int64_t *integer;
} hl_state_field;

/* The fields of `state`. In `flags`, has_best and unvalidated are 0 or 1. */
static inline void hl_state_fields(hl_train_state *state, int64_t flags[2], hl_state_field fields[HL_STATE_FIELDS])
{
    hl_cadence_state *loss = &state->cadence;
    const hl_state_field all[HL_STATE_FIELDS] = {
        { "state.has_best", NULL, &flags[0] },          { "state.best_loss", &state->best_loss, NULL },
        { "state.best_step", NULL, &state->best_step }, { "state.since_best", NULL, &state->since_best },
        { "state.loss_sum", &state->loss_sum, NULL },   { "state.n_updates", NULL, &state->n_updates },
        { "state.scored", NULL, &state->scored },       { "state.correct", NULL, &state->correct },
        { "state.rows", NULL, &state->metrics.rows },   { "state.rows_crc32", NULL, &state->metrics.crc },
        { "state.loss_first", &loss->first, NULL },     { "state.loss_smoothed", &loss->smoothed, NULL },
        { "state.loss_lowest", &loss->lowest, NULL },   { "state.unvalidated", NULL, &flags[1] },
        { "state.loss_before", &loss->before, NULL },
    };
    memcpy(fields, all, sizeof all);
}
