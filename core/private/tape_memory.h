/* How a tape allocates memory and runs an op; for tape.c and tape_backward.c alone. */
#ifndef HL_CORE_PRIVATE_TAPE_MEMORY_H
#define HL_CORE_PRIVATE_TAPE_MEMORY_H

#include "core/op.h"

/* The bytes of `count` elements, rounded as the arena does. False with a sticky error where no machine has so many. */
bool hl_tape_bytes_of(hl_tape *tape, int64_t count, size_t size, size_t *bytes);

/* A piece of memory that a dry tape was asked for. */
struct hl_tape_piece {
    hl_tape_piece *previous;    /* the one that was asked for before it */
    int64_t birth;              /* how many were asked for before it: the index of its slot */
    int64_t end;                /* nothing needs it once so many were asked for; INT64_MAX: it is needed to the end */
    size_t size;                /* bytes */
    hl_tape_piece *next_placed; /* the one placed after it in memory; for tape_plan.c */
};

/* Memory for numbers; on a dry tape an address that is not to be used, and *piece describes it (`piece` may be NULL).
 * NULL with a sticky error when the arena is full, or a slot of the plan too small. */
void *hl_tape_piece_new(hl_tape *tape, size_t bytes, hl_tape_piece **piece);

/* Nothing needs the piece once `end` pieces were asked for, unless it has an end already; NULL is allowed. */
void hl_tape_piece_end(hl_tape_piece *piece, int64_t end);

/* Runs the op's backward, or its forward where `din` is NULL, and frees its scratch memory; a dry tape only counts
 * memory and arithmetic. False with a sticky error when the arena is full. */
bool hl_tape_run(hl_tape *tape, hl_node *node, const hl_grad *din);

/* Gives y, from which backward begins, a gradient: `dy`. */
hl_status hl_tape_backward_begin(hl_tape *tape, hl_tensor *y, const hl_real *dy);

/* Whether the gradient of this node's input i goes to a parameter. */
bool hl_node_parameter(const hl_node *node, int i);

/* Runs backward of a node that a gradient has reached; `start` as for hl_tape_backward_begin. Where `sums` is not NULL,
 * gradients of parameters go to sums[i] instead of their own memory. False with a sticky error. */
bool hl_tape_backward_node(hl_tape *tape, hl_node *node, const hl_tensor *start, const hl_grad *sums);

#endif
