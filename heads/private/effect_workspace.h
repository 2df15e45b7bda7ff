/* The memory of a model's pass that begins at one of its layers and holds the output of one layer at a time. Passes in
 * different workspaces may run on different threads. For effect_losses.c and effect_change.c. */
#pragma once

#include "core/arena.h"
#include "core/base/status.h"
#include "core/batch.h"
#include "layers/model.h"

#include <stddef.h>
#include <stdint.h>

/* The size of a workspace: for up to n examples of T tokens, with `slice` of them in a pass. */
typedef struct hl_effect_workspace_size {
    int64_t n, slice, T;
} hl_effect_workspace_size;

/* All of it lies in the caller's memory block; nothing is owned. H and H * Dv are those of the widest layer. */
typedef struct hl_effect_workspace {
    hl_arena arena;
    double *losses;          /* (n): filled by the caller; so are the next three */
    hl_real *z;              /* (slice * T, H * Dv) */
    hl_real *ideal;          /* (slice, T, T) */
    const hl_real **replace; /* (H) */
    hl_real *row_losses;     /* (slice * T): the losses of the last pass's targets */
    hl_real *x;              /* (slice * T, D): the output of the last layer that ran */
} hl_effect_workspace;

/* The weights of all layers in the form that linear maps use (hl_tape_kept), so that passes find them prepared. A
 * zeroed struct holds none. */
typedef struct hl_effect_packed {
    int64_t heads, rest; /* how many numbers a layer has: for its heads, and for what follows them; 0 if nothing is
                            packed */
    hl_real *numbers;    /* (L, heads + rest), the caller's */
    bool made;           /* set by the caller after a pass from layer 0 on; until then only one pass may run at a
                            time */
} hl_effect_packed;

/* Sets heads and rest. The model need not be allocated. HL_NO_MEMORY, HL_INVALID (the model cannot be run). */
hl_status hl_effect_packed_plan(const hl_model *model, hl_effect_packed *packed);

/* The bytes of a workspace whose passes run on `threads` threads with the weights in `packed`; a multiple of 64. The
 * model need not be allocated; nothing of that size is allocated. HL_INVALID (T too long for the model),
 * HL_NO_MEMORY. */
hl_status hl_effect_workspace_plan(const hl_model *model, hl_effect_workspace_size size, const hl_effect_packed *packed,
                                   int threads, size_t *bytes);

/* A workspace in the `bytes` bytes at `block`, which must be at least as many as planned. */
hl_effect_workspace hl_effect_workspace_in(char *block, size_t bytes, const hl_model *model,
                                           hl_effect_workspace_size size);

/* Where a pass begins: at the heads of `layer`, given its input x (N, D); or after them, given their output too. */
typedef struct hl_effect_workspace_begin {
    int layer;
    const hl_real *x;
    const hl_real *z;              /* (N, H * Dv); NULL: the pass begins at the heads */
    const hl_real *const *replace; /* if z is NULL: weights that replace those of the layer's heads (hl_head_probe), or
                                      NULL */
} hl_effect_workspace_begin;

/* Computes row_losses for the batch. HL_NOT_FINITE; HL_INVALID if shapes do not fit the model. */
hl_status hl_effect_workspace_pass(hl_effect_workspace *workspace, const hl_model *model, const hl_batch *batch,
                                   const hl_effect_workspace_begin *begin, const hl_effect_packed *packed, int threads);

/* Turns x (N, D) and z (N, H * Dv), the input of layer `from` and the output of its heads, into those of layer `to`,
 * which must not be below `from`. from -1: starts from the batch's tokens, whatever x and z hold. The arena is empty
 * before and after. HL_NO_MEMORY, HL_INVALID (examples too long for the model). */
hl_status hl_effect_workspace_move(hl_arena *arena, const hl_model *model, const hl_batch *batch, int threads, int from,
                                   int to, hl_real *x, hl_real *z);
