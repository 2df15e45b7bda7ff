/* How the parts of a tape allocate memory and run an op. For core/tape*.c alone. */
#pragma once

#include "core/op.h"

/* Zeroed memory for a record; a dry tape also has real records. NULL with a sticky error when the arena is full. */
void *hl_tape_record_new(hl_tape *tape, size_t bytes);

/* The bytes of `count` elements, rounded as in the arena. False with a sticky error if no machine has so much
 * memory. */
bool hl_tape_bytes_of(hl_tape *tape, int64_t count, size_t size, size_t *bytes);

/* A piece of memory that was requested from a dry tape (tape_memory.h). Time is counted in requests. */
struct hl_tape_piece {
    hl_tape_piece *previous;    /* the piece requested before this one */
    int64_t birth;              /* the number of pieces requested before: the index of its slot */
    int64_t end;                /* pieces born at `end` or later may share its memory; INT64_MAX: none may */
    size_t size;                /* bytes */
    hl_tape_piece *next_placed; /* the next piece by address; for tape_plan.c */
};

/* Memory for numbers. A dry tape returns the address of its record of the piece; it only means success, and nobody
 * reads or writes there. A dry tape also sets *piece if `piece` is not NULL. NULL with a sticky error when the arena is
 * full or a slot of the plan is too small. */
void *hl_tape_piece_new(hl_tape *tape, size_t bytes, hl_tape_piece **piece);

/* Sets the piece's end unless it is already set. NULL is allowed. */
void hl_tape_piece_end(hl_tape_piece *piece, int64_t end);

/* Runs the op's backward, or its forward if `din` is NULL, and frees its scratch memory. A dry tape only counts memory
 * and arithmetic. False with a sticky error when the arena is full. */
bool hl_tape_run(hl_tape *tape, hl_node *node, const hl_grad *din);

/* Allocates the gradient of y, where backward begins, and copies dy into it (a dry tape copies nothing). */
hl_status hl_tape_backward_begin(hl_tape *tape, hl_tensor *y, const hl_real *dy);

/* Whether input i of this node is a parameter, so that its gradient goes to the parameter. */
bool hl_node_parameter(const hl_node *node, int i);

/* Runs the node's backward if a gradient has reached its output. `start`: the tensor from which backward began. If
 * `sums` is not NULL, gradients of parameters go to sums[i] instead of their own memory. False with a sticky error. */
bool hl_tape_backward_node(hl_tape *tape, hl_node *node, const hl_tensor *start, const hl_grad *sums);
