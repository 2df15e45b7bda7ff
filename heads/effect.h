/* How much the model needs a head: the loss without it, and whether the head does what its label says.
 *
 * All on the odd-numbered examples of a snapshot, which score (hl_patterns_scoring); L is an example's mean loss over
 * its scored tokens, without label smoothing and dropout. A head is removed by setting its output z, before W_O, to
 * zero. */
#ifndef HL_HEADS_EFFECT_H
#define HL_HEADS_EFFECT_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/examples.h"
#include "heads/label.h"
#include "layers/model.h"

HL_BEGIN_DECLS

/* Whether a head is faithful to its label: whether the model loses little when the head attends by its label's ideal
 * pattern instead. Unknown for a head without effect on the loss. */
typedef enum hl_faithful { HL_FAITHFUL_NO, HL_FAITHFUL_YES, HL_FAITHFUL_UNKNOWN } hl_faithful;

typedef struct hl_head_effect {
    double importance;     /* the mean over examples of |sum of z * dL/dz| (Michel et al. 2019) */
    double loss_without;   /* L with z = 0, less L: the mean over examples */
    double standard_error; /* of loss_without, over examples */
    double kept;           /* 1 - (L with the label's ideal pattern - L) / loss_without; NaN where UNKNOWN */
    hl_faithful faithful; /* UNKNOWN: loss_without is within three standard errors of 0, or the label is MIXED and names
                              no key; YES: kept >= 0.8 */
} hl_head_effect;

/* The heads of a layer that share a label. They may do the same, so that the model loses little without one of them;
 * they are therefore also judged together. */
typedef struct hl_group_effect {
    int layer;
    hl_label label;
    int64_t n_heads;       /* at least 2 */
    hl_head_effect effect; /* of all of them at once; importance is their sum */
} hl_group_effect;

typedef struct hl_effects {
    double loss;           /* L, the mean over examples */
    hl_head_effect *heads; /* of all heads, by layer and head */
    int64_t n_heads;
    hl_group_effect *groups;
    int n_groups;
} hl_effects;

/* Measures every head of the model, in one pass for each head and each group, and another
 * where it has a verdict, on examples that have a scored token.
 * `examples`: a snapshot's, all of them; `layers`: head 0 of each layer on the same examples (first and gap 0), of
 * which no weight is read; `labels`: one for each head, by layer and head; `slice`, at least 1: how many examples the
 * model is run on at once, which bounds the memory. The parameters' gradients are not touched. HL_INVALID (no scored
 * token in the odd-numbered examples, T too long for the model), HL_NO_MEMORY; HL_NOT_FINITE. On success ended by
 * hl_effects_free; else *effects is empty.
 * `labelled`: only heads are measured whose label names keys (MIXED names none), and without importance, which is NAN.
 * Of the others nothing is known: NAN, UNKNOWN. */
hl_status hl_effects_measure(hl_model *model, const hl_examples *examples, const hl_patterns *layers,
                             const hl_label *labels, bool labelled, int64_t slice, int threads, hl_effects *effects);

/* The importance of head `head` relative to its layer, whose n_heads effects are `layer`: I_h / sqrt(sum of I^2); 0
 * where all of them are 0. It tells which heads work even where the loss is near 0 and every importance tiny. */
double hl_effect_in_layer(const hl_head_effect *layer, int64_t n_heads, int64_t head);

/* A zeroed or already freed one is allowed. */
void hl_effects_free(hl_effects *effects);

/* The effect of the group of that layer with that label; NULL where fewer than two heads have the label. */
const hl_group_effect *hl_effects_group(const hl_effects *effects, int layer, hl_label label);

/* Whether a head does what its label says: its own verdict where that is yes, else that of its group, which may be
 * NULL, where it is known, else its own; *by_group: whether the group changed its own. */
hl_faithful hl_effect_verdict(const hl_head_effect *own, const hl_head_effect *group, bool *by_group);

HL_END_DECLS

#endif
