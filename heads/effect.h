/* How much the model needs a head: the loss without it, and whether the head does what its label says.
 *
 * Everything is measured on the odd-numbered examples of a snapshot, the scoring half (hl_patterns_scoring). L is an
 * example's mean loss over its scored tokens, without label smoothing and dropout. A head is removed by setting its
 * output z, before W_O, to zero. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/examples.h"
#include "heads/label.h"
#include "layers/model.h"

HL_BEGIN_DECLS

/* Whether a head is faithful to its label: the model loses little if the head attends by its label's ideal pattern
 * instead. Unknown for a head without effect on the loss. */
typedef enum hl_faithful { HL_FAITHFUL_NO, HL_FAITHFUL_YES, HL_FAITHFUL_UNKNOWN } hl_faithful;

typedef struct hl_head_effect {
    double importance;     /* the mean over examples of |sum of z * dL/dz| (Michel et al. 2019) */
    double loss_without;   /* L with z = 0, minus L: the mean over examples */
    double standard_error; /* of loss_without, over examples */
    double kept;           /* 1 - (L with the label's ideal pattern - L) / loss_without; NaN if UNKNOWN */
    hl_faithful faithful;  /* UNKNOWN: loss_without is within three standard errors of 0, or the label is MIXED, which
                             names no key; YES: kept >= 0.8 */
} hl_head_effect;

/* The heads of a layer that share a label. If they do the same work, the model loses little without any single one. So
 * they are also judged together. */
typedef struct hl_group_effect {
    int layer;
    hl_label label;
    int64_t n_heads;       /* at least 2 */
    hl_head_effect effect; /* of all these heads removed at once; importance is the sum of theirs */
} hl_group_effect;

typedef struct hl_effects {
    double loss;           /* L, the mean over examples */
    hl_head_effect *heads; /* of all heads, by layer and head */
    int64_t n_heads;
    hl_group_effect *groups;
    int n_groups;
    void *memory; /* owned: the block of both arrays */
} hl_effects;

/* Measures every head of the model on examples that have a scored token: one pass for each head and each group, and
 * another pass if it has a verdict. `examples`: all examples of a snapshot. `layers`: head 0 of each layer on the same
 * examples (first and gap 0); their weights are not read. `labels`: one for each head, by layer and head. `slice`, at
 * least 1: how many examples the model runs on at once, which bounds the memory. `labelled`: measures only heads whose
 * label names keys (MIXED names none), and leaves their importance NAN. The other heads are then NAN and UNKNOWN. The
 * parameters' gradients are not touched. HL_INVALID (no scored token in the odd-numbered examples, T too long for the
 * model), HL_NO_MEMORY, HL_NOT_FINITE. On success free with hl_effects_free. On failure *effects is empty. */
hl_status hl_effects_measure(hl_model *model, const hl_examples *examples, const hl_patterns *layers,
                             const hl_label *labels, bool labelled, int64_t slice, int threads, hl_effects *effects);

/* The importance of head `head` relative to its layer: I_h / sqrt(sum of I^2); 0 if all are 0. `layer` holds the
 * effects of the layer's n_heads heads. It shows which heads work even if the loss is near 0 and every importance is
 * tiny. */
double hl_effect_in_layer(const hl_head_effect *layer, int64_t n_heads, int64_t head);

/* A zeroed or already freed struct is allowed. */
void hl_effects_free(hl_effects *effects);

/* The effect of the group of that layer with that label; NULL if fewer than two heads have the label. */
const hl_group_effect *hl_effects_group(const hl_effects *effects, int layer, hl_label label);

/* Whether a head does what its label says. The head's own verdict holds if it is YES. Otherwise the group's verdict
 * holds if it is known, and else the head's own. `group` may be NULL. *by_group: whether the group changed the head's
 * own verdict. */
hl_faithful hl_effect_verdict(const hl_head_effect *own, const hl_head_effect *group, bool *by_group);

HL_END_DECLS
