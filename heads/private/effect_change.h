/* The losses of a model with some of its heads changed; for effect.c and importance.c. */
#pragma once

#include "core/base/status.h"
#include "heads/estimate.h"
#include "heads/label.h"
#include "heads/private/effect_losses.h"

/* A change of some heads of a layer in a pass. */
typedef struct hl_effect_change {
    int layer;
    const bool *chosen;     /* which heads change */
    const hl_label *label;  /* the heads attend by this label's ideal pattern; NULL: their output is replaced, by zero
                               unless `instead` is given */
    const hl_real *instead; /* (H * Dv) or NULL; used if label is NULL: those heads' outputs, taken from their
                               columns */
} hl_effect_change;

/* Writes each example's mean loss over its targets, for s->n examples. `what`: NULL for the unchanged model. The layers
 * below the changed one run once for all changes of a layer, so measure changes of lower layers first. HL_NOT_FINITE,
 * HL_NO_MEMORY. */
hl_status hl_effect_losses_measure(hl_effect_losses *s, const hl_effect_change *what, double *losses);

/* Writes, for each of n changes of one layer, the mean over the examples of L with the change minus L without it. L
 * without it is s->losses, which must have been measured. Each thread measures whole changes. As many are measured at
 * once as the arena has workspaces for. If that would leave half of the threads idle, as it may for the last changes,
 * the threads work on one pass together. HL_NOT_FINITE, HL_NO_MEMORY. */
hl_status hl_effect_losses_changes(hl_effect_losses *s, const hl_effect_change *what, int64_t n, hl_estimate *changes);
