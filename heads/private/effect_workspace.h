/* The memory of a pass of a model that begins at one of its layers and holds the output of one layer at a time. Passes
 * in different workspaces may run on different threads. For effect_losses.c and effect_change.c. */
#ifndef HL_HEADS_PRIVATE_EFFECT_WORKSPACE_H
#define HL_HEADS_PRIVATE_EFFECT_WORKSPACE_H

#include "core/arena.h"
#include "core/batch.h"
#include "core/status.h"
#include "layers/model.h"

#include <stddef.h>
#include <stdint.h>

/* The size of a workspace: for up to n examples of T tokens, `slice` of them in a pass. */
typedef struct hl_effect_workspace_size {
    int64_t n, slice, T;
} hl_effect_workspace_size;

/* All of it lies in the caller's block; nothing is owned. H and H * Dv are the widest layer's. */
typedef struct hl_effect_workspace {
    hl_arena arena;
    double *losses;          /* (n): the caller's to fill, as the next four */
    hl_real *gates;          /* (H) */
    hl_real *instead;        /* (H * Dv) */
    hl_real *ideal;          /* (slice, T, T) */
    const hl_real **replace; /* (H) */
    hl_real *row_losses;     /* (slice * T): of the last pass, of its targets */
    hl_real *x;              /* (slice * T, D): the output of the last layer that ran */
} hl_effect_workspace;

/* The heads of the widest layer. */
int64_t hl_effect_workspace_heads(const hl_model *model);

/* The bytes of a workspace whose passes run on `threads` threads, a multiple of 64. The model need not be allocated;
 * nothing of that size is allocated. HL_INVALID (T too long for the model), HL_NO_MEMORY. */
hl_status hl_effect_workspace_plan(const hl_model *model, hl_effect_workspace_size size, int threads, size_t *bytes);

/* A workspace in the `bytes` bytes at `block`, at least as many as were planned. */
hl_effect_workspace hl_effect_workspace_in(char *block, size_t bytes, const hl_model *model,
                                           hl_effect_workspace_size size);

/* Computes row_losses of the batch, where x (N, D) is the input of `layer`; the probe, which may be NULL, is for
 * that layer. HL_NOT_FINITE; HL_INVALID where shapes do not fit the model. */
hl_status hl_effect_workspace_pass(hl_effect_workspace *workspace, const hl_model *model, const hl_batch *batch,
                                   int layer, const hl_real *x, const hl_head_probe *probe, int threads);

#endif
