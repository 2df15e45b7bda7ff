/* What the metadata of checkpoints holds of hl_train_state. For their writer and their reader alone. */
#pragma once

#include "train/state.h"

#include <stddef.h>

/* Files of format 1 have only the first fields; their rows of metrics.csv are still read. A checkpoint of a whole step
 * has only the fields of one. */
enum { HL_STATE_FIRST_FIELDS = 10, HL_STATE_WHOLE_STEP_FIELDS = 13, HL_STATE_FIELDS = 15 };

/* One field per line of metadata, in the same order for writing and reading. A flag is 0 or 1. */
typedef struct hl_state_field {
    const char *key;
    size_t place; /* offset in hl_train_state */
    enum { HL_STATE_COUNT, HL_STATE_REAL, HL_STATE_FLAG } type;
} hl_state_field;

#define HL_STATE_AT(field) offsetof(hl_train_state, field)
static const hl_state_field hl_state_fields[HL_STATE_FIELDS] = {
    { "state.has_best", HL_STATE_AT(has_best), HL_STATE_FLAG },
    { "state.best_loss", HL_STATE_AT(best_loss), HL_STATE_REAL },
    { "state.best_step", HL_STATE_AT(best_step), HL_STATE_COUNT },
    { "state.since_best", HL_STATE_AT(since_best), HL_STATE_COUNT },
    { "state.loss_sum", HL_STATE_AT(loss_sum), HL_STATE_REAL },
    { "state.n_updates", HL_STATE_AT(n_updates), HL_STATE_COUNT },
    { "state.scored", HL_STATE_AT(scored), HL_STATE_COUNT },
    { "state.correct", HL_STATE_AT(correct), HL_STATE_COUNT },
    { "state.rows", HL_STATE_AT(metrics.rows), HL_STATE_COUNT },
    { "state.rows_crc32", HL_STATE_AT(metrics.crc), HL_STATE_COUNT },
    { "state.loss_first", HL_STATE_AT(cadence.first), HL_STATE_REAL },
    { "state.loss_smoothed", HL_STATE_AT(cadence.smoothed), HL_STATE_REAL },
    { "state.loss_lowest", HL_STATE_AT(cadence.lowest), HL_STATE_REAL },
    { "state.unvalidated", HL_STATE_AT(unvalidated), HL_STATE_FLAG },
    { "state.loss_before", HL_STATE_AT(cadence.before), HL_STATE_REAL },
};
