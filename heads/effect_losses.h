/* The losses of a model some of whose heads are changed, example by example; for effect.c, importance.c and
 * all_subsets.c. */
#ifndef HL_HEADS_EFFECT_LOSSES_H
#define HL_HEADS_EFFECT_LOSSES_H

#include "core/arena.h"
#include "core/batch.h"
#include "core/declarations.h"
#include "core/status.h"
#include "heads/effect.h"
#include "heads/estimate.h"
#include "heads/label.h"
#include "heads/layer_input.h"
#include "layers/model.h"

HL_BEGIN_DECLS

/* What all passes share. The caller sets the first ones, the rest is hl_effect_losses_begin's. */
typedef struct hl_effect_losses {
    const hl_model *model;
    const hl_patterns *layers;
    int threads;
    int64_t n, T;      /* examples that are scored, and their tokens */
    int64_t part;      /* how many of them the model is run on at once */
    int64_t *rows;     /* (n): which of a snapshot's they are */
    hl_batch examples; /* these alone; its arrays are of `ids` */
    int32_t *ids;
    hl_arena arena;
    bool *learned;            /* of each parameter: whether it required a gradient; none does while this lasts */
    hl_real *row_losses;      /* (part, T) */
    hl_real *gates;           /* (part, the heads of the widest layer) for each layer */
    hl_real *ideal;           /* (part, T, T) */
    const hl_real **replace;  /* (the heads of the widest layer): `ideal` for those that are chosen */
    hl_head_probe *probes;    /* (L): of the pass at work */
    hl_tensor **layer_gates;  /* (L): its gates */
    hl_layer_input input;     /* where the passes begin: below the layer that is changed nothing runs again */
    double *losses, *changes; /* (n): of the model as it is, and by how much it differs where something is changed */
} hl_effect_losses;

/* What is different about heads of a layer in a pass. */
typedef struct hl_effect_change {
    int layer;
    const bool *chosen;     /* which heads */
    const hl_label *label;  /* whose ideal pattern they attend by; NULL: they are taken out */
    const hl_real *instead; /* (H * Dv), where label is NULL: what is added to z in their place, 0 in the columns of the
                               layer's other heads; NULL: nothing */
} hl_effect_change;

/* Chooses the examples that score, those of `examples` that have a scored token, and takes all memory. Until it is freed
 * the model's parameters require no gradient. HL_INVALID
 * (no such example, T too long for the model, a part below 1, a model that is not allocated), HL_NO_MEMORY. To be ended by hl_effect_losses_free, whatever this
 * returns. */
hl_status hl_effect_losses_begin(hl_effect_losses *s, const hl_batch *examples);

void hl_effect_losses_free(hl_effect_losses *s);

/* The bytes that hl_effect_losses_begin takes for up to n examples of T tokens, `part` of them at once. The model needs
 * no numbers; nothing of that size is allocated. HL_INVALID (T too long for the model), HL_NO_MEMORY. */
hl_status hl_effect_losses_plan(const hl_model *model, int64_t n, int64_t part, int64_t T, int threads, size_t *bytes);

/* Each example's mean loss over its scored tokens, n of them; what: NULL where the model is left as it is. The layers
 * below the changed one run once for all changes of a layer, so whoever changes many goes upwards layer by layer.
 * HL_NOT_FINITE, HL_NO_MEMORY. */
hl_status hl_effect_losses_measure(hl_effect_losses *s, const hl_effect_change *what, double *losses);

/* The examples from `first` on that the model is run on at once. */
hl_batch hl_effect_losses_part(const hl_effect_losses *s, int64_t first);

/* Each example's mean loss over its scored tokens, of a part of the examples, from what a pass left in row_losses. */
void hl_effect_losses_take(const hl_effect_losses *s, const hl_batch *part, double *losses);

/* |sum of z * dL/dz| of every head on every example, (n, heads of all layers by layer and head), each part of the
 * examples in one backward pass, to the gates of all layers. HL_NO_MEMORY. */
hl_status hl_effect_losses_slopes(hl_effect_losses *s, double *slopes);

/* The mean of a layer's z over examples and real positions, (H * Dv). HL_NO_MEMORY. */
hl_status hl_effect_losses_mean_output(hl_effect_losses *s, int layer, hl_real *mean);

/* The mean over the examples of L with the change less L as it is (`losses`, measured before). HL_NOT_FINITE,
 * HL_NO_MEMORY. */
hl_status hl_effect_losses_change(hl_effect_losses *s, const hl_effect_change *what, hl_estimate *change);

/* The heads of the widest layer. */
int64_t hl_effect_losses_most_heads(const hl_model *model);

HL_END_DECLS

#endif
