/* Memory for passes of a model from one of its layers on, layer by layer: of a pass only what one layer leaves is held
 * at a time. Passes in different rooms may run on different threads. For effect_losses.c and effect_change.c. */
#ifndef HL_HEADS_PRIVATE_EFFECT_ROOM_H
#define HL_HEADS_PRIVATE_EFFECT_ROOM_H

#include "core/arena.h"
#include "core/batch.h"
#include "core/declarations.h"
#include "core/status.h"
#include "layers/model.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* What a room is for: up to n examples of T tokens, `slice` of them in a pass. */
typedef struct hl_effect_room_size {
    int64_t n, slice, T;
} hl_effect_room_size;

/* All of it lies in the caller's block; nothing is owned. H and H * Dv are the widest layer's. */
typedef struct hl_effect_room {
    hl_arena arena;
    double *losses;          /* (n): the caller's to fill, as the next four */
    hl_real *gates;          /* (slice, H) */
    hl_real *instead;        /* (H * Dv) */
    hl_real *ideal;          /* (slice, T, T) */
    const hl_real **replace; /* (H) */
    hl_real *row_losses;     /* (slice, T): of the last pass */
    hl_real *x;              /* (slice, T, D): what goes from layer to layer */
} hl_effect_room;

/* The heads of the widest layer. */
int64_t hl_effect_room_heads(const hl_model *model);

/* The bytes of a room whose passes run on `threads` threads, a multiple of 64. The model needs no numbers; nothing of
 * that size is allocated. HL_INVALID (T too long for the model), HL_NO_MEMORY. */
hl_status hl_effect_room_plan(const hl_model *model, hl_effect_room_size size, int threads, size_t *bytes);

/* A room in the `bytes` bytes from `block` on, which are as many as were planned. */
hl_effect_room hl_effect_room_in(char *block, size_t bytes, const hl_model *model, hl_effect_room_size size);

/* Fills row_losses with the losses of the examples, of which x (B, T, D) goes into `layer`; the probe, which may be
 * NULL, is of that layer. HL_NOT_FINITE; HL_INVALID for what does not fit the model. */
hl_status hl_effect_room_pass(hl_effect_room *room, const hl_model *model, const hl_batch *examples, int layer,
                              const hl_real *x, const hl_head_probe *probe, int threads);

HL_END_DECLS

#endif
