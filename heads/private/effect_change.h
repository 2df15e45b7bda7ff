/* The losses of a model some of whose heads are changed: for effect.c and importance.c. */
#ifndef HL_HEADS_PRIVATE_EFFECT_CHANGE_H
#define HL_HEADS_PRIVATE_EFFECT_CHANGE_H

#include "core/declarations.h"
#include "core/status.h"
#include "heads/estimate.h"
#include "heads/label.h"
#include "heads/private/effect_losses.h"

HL_BEGIN_DECLS

/* What is different about heads of a layer in a pass. */
typedef struct hl_effect_change {
    int layer;
    const bool *chosen;     /* which heads */
    const hl_label *label;  /* whose ideal pattern they attend by; NULL: they are taken out */
    const hl_real *instead; /* (H * Dv), where label is NULL: whose columns of those heads are added to z in their
                               place; NULL: nothing */
} hl_effect_change;

/* Each example's mean loss over its scored tokens, n of them; what: NULL where the model is left as it is. The layers
 * below the changed one run once for all changes of a layer, so whoever changes many goes upwards layer by layer.
 * HL_NOT_FINITE, HL_NO_MEMORY. */
hl_status hl_effect_losses_measure(hl_effect_losses *s, const hl_effect_change *what, double *losses);

/* Of each of n changes of one layer the mean over the examples of L with the change less L as it is (s->losses,
 * measured before). Each thread takes whole changes, as many of them at once as have room in the arena; where that would
 * leave half of the threads idle, each pass is shared out instead. HL_NOT_FINITE, HL_NO_MEMORY. */
hl_status hl_effect_losses_changes(hl_effect_losses *s, const hl_effect_change *what, int64_t n, hl_estimate *changes);

HL_END_DECLS

#endif
