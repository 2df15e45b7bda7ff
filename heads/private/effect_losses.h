/* The losses of a model with some of its heads changed, of each example: examples, memory and passes; for effect.c,
 * importance.c and all_subsets.c. */
#pragma once

#include "core/arena.h"
#include "core/base/status.h"
#include "core/examples.h"
#include "data/batch_storage.h"
#include "heads/estimate.h"
#include "heads/label.h"
#include "heads/pattern.h"
#include "heads/private/effect_workspace.h"
#include "layers/model.h"

/* The caller sets `model`, `layers`, `slice` and `threads`; hl_effect_losses_begin sets the rest. */
typedef struct hl_effect_losses {
    const hl_model *model;
    const hl_patterns *layers;
    int threads;
    int64_t n, n_rows, T;     /* the number of scored examples, of all their tokens, and of the tokens of a row */
    int64_t slice;            /* how many of them the model runs on at once */
    int64_t *rows;            /* (n): their rows in the snapshot */
    hl_batch_storage storage; /* only these examples */
    hl_tape_plan plan;        /* for the pass with gradients */
    hl_arena arena;           /* large enough for a pass with gradients, and for at least one workspace */
    size_t workspace;         /* bytes of a workspace whose passes run on one thread */
    bool *learned;            /* for each parameter: whether it required a gradient; none does until
                                 hl_effect_losses_free */
    hl_real *row_losses;      /* (slice * T): for the targets of a slice */
    hl_real *gates;           /* (slice, the heads of the widest layer) for each layer */
    hl_head_probe *probes;    /* (L): for the pass with gradients; so is the next array */
    hl_tensor **layer_gates;  /* (L) */
    int layer;                /* where the passes begin: the layers below it do not run again; -1: not set yet */
    hl_real *x;               /* (N, D): the input of that layer, for all rows of the examples */
    hl_real *z;               /* (N, H * Dv of the widest layer): the output of its heads */
    hl_effect_packed packed;  /* made when the losses of the unchanged model are measured */
    double *losses;           /* (n): of the unchanged model */
    void *pass, *numbers;     /* the memory blocks of what the pass with gradients needs, and of the other arrays */
} hl_effect_losses;

/* Chooses the scoring examples, which are the ones in `examples` that have a target with a loss, and allocates all
 * memory. Until hl_effect_losses_free the model's parameters require no gradient. HL_INVALID (no such example, T too
 * long for the model, a slice below 1, a model that is not allocated), HL_NO_MEMORY. Free with hl_effect_losses_free,
 * on failure too. */
hl_status hl_effect_losses_begin(hl_effect_losses *s, const hl_examples *examples);

void hl_effect_losses_free(hl_effect_losses *s);

/* The bytes that hl_effect_losses_begin needs for up to n examples of T tokens, with `slice` of them at once. The model
 * needs no numbers; nothing of that size is allocated. HL_INVALID (T too long for the model), HL_NO_MEMORY. */
hl_status hl_effect_losses_plan(const hl_model *model, int64_t n, int64_t slice, int64_t T, int threads, size_t *bytes);

/* Makes the following passes begin at `layer`. HL_NO_MEMORY; the start is then unset. */
hl_status hl_effect_losses_begin_at(hl_effect_losses *s, int layer);

/* For that layer, the input of a slice's rows, and the output of its heads, (rows, H * Dv) with the layer's own
 * width. */
hl_real *hl_effect_losses_x(const hl_effect_losses *s, const hl_batch *slice);
hl_real *hl_effect_losses_z(const hl_effect_losses *s, const hl_batch *slice);

/* The slice of the examples that begins at `first`. */
hl_batch hl_effect_losses_slice(const hl_effect_losses *s, int64_t first);

/* Writes each example's mean loss over its targets that have one, from the losses of all targets of the slice. */
void hl_effect_losses_of_rows(const hl_batch *slice, const hl_real *row_losses, double *losses);

/* |sum of z * dL/dz| for every head on every example, (n, heads of all layers by layer and head), in new memory
 * (hl_free). Each slice of the examples needs one backward pass, to the gates of all layers. HL_NO_MEMORY. */
hl_status hl_effect_losses_slopes(hl_effect_losses *s, double **slopes);

/* The mean of a layer's z over all rows of the examples, (H * Dv). HL_NO_MEMORY. */
hl_status hl_effect_losses_mean_output(hl_effect_losses *s, int layer, hl_real *mean);

/* A change of some heads of a layer in a pass. */
typedef struct hl_effect_change {
    int layer;
    const bool *chosen;     /* which heads change */
    const hl_label *label;  /* the heads attend by this label's ideal pattern; NULL: their output is replaced, by zero
                               unless `instead` is given */
    const hl_real *instead; /* (H * Dv) or NULL; used if label is NULL: those heads' outputs, taken from their
                               columns */
    hl_estimate loss;       /* the result of hl_effect_losses_changes */
} hl_effect_change;

/* Writes each example's mean loss over its targets, for s->n examples. `what`: NULL for the unchanged model. The layers
 * below the changed one run once for all changes of a layer, so measure changes of lower layers first. HL_NOT_FINITE,
 * HL_NO_MEMORY. */
hl_status hl_effect_losses_measure(hl_effect_losses *s, const hl_effect_change *what, double *losses);

/* Sets `loss` of each of n changes of one layer: the mean over the examples of L with the change minus L without it. L
 * without it is s->losses, which must have been measured. Each thread measures whole changes. As many are measured at
 * once as the arena has workspaces for. If that would leave half of the threads idle, as it may for the last changes,
 * the threads work on one pass together. HL_NOT_FINITE, HL_NO_MEMORY. */
hl_status hl_effect_losses_changes(hl_effect_losses *s, hl_effect_change *changes, int64_t n);
