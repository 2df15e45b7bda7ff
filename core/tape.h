/* The tape: the record of one forward pass, in order of execution, and its way back.
 *
 *     hl_tape tape;
 *     hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = 2, .training = true, .gradients = true });
 *     hl_tensor *y = hl_linear(&tape, x, W, b);        // runs at once and is recorded
 *     hl_tensor *loss = hl_mean(&tape, y);
 *     HL_TRY(hl_tape_backward(&tape, loss));            // W->grad, b->grad
 *
 * An op builder (hl_linear above; core/ops) checks its inputs' shapes, runs forward and returns its output, which lives
 * in the arena until that is rewound. On failure it returns NULL, and the tape keeps the first error, in words. Every
 * builder refuses an input that is empty, of an impossible shape, or without numbers (of a model that was not
 * allocated), and, unless the tape is dry, NULL for ids or targets. Given NULL it returns NULL. So a model composes ops
 * without checks, and asks once: hl_tape_status.
 *
 * Backward walks the record in reverse. A tensor used twice accumulates; an input that requires no gradient is skipped.
 * The gradient of a parameter is added to its `grad`, which lies in the block of its registry (parameters.h). Before a
 * step the caller zeroes that block, or has the first backward overwrite it (private/forgotten_grads.h).
 *
 * Where the numbers lie, and how a dry tape finds out how much memory a pass needs, is explained in tape_memory.h. */
#ifndef HL_CORE_TAPE_H
#define HL_CORE_TAPE_H

#include "core/arena.h"
#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/tensor.h"
#include "core/tape_memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_node hl_node; /* op.h */

/* Two functions, each or NULL: the tape calls `begin` just before and `end` just after every node's forward and
 * backward, for example to time them. On a dry tape nothing runs. They must not change the node or the tape. */
typedef struct hl_tape_observer {
    void (*begin)(void *context, const hl_node *node, bool backward);
    void (*end)(void *context, const hl_node *node, bool backward);
    void *context;
} hl_tape_observer;

typedef struct hl_tape_options {
    int threads;    /* 1 .. HL_MAX_THREADS (core/base/threads.h); less counts as 1, more as HL_MAX_THREADS */
    bool training;  /* whether dropout drops */
    bool gradients; /* whether outputs of ops on tensors that require gradients require them */
    uint64_t seed;  /* of dropout */
    uint32_t step;  /* of dropout */

    /* (n_places), for dropout: places[r] is the number from which it draws the random numbers of row r. A row keeps its
     * place however the batch is cut, and so its dropout. NULL: row r has place r. Not owned, must outlive the tape. */
    const int64_t *places;
    int64_t n_places; /* the number of places, where they are given: the rows of the batch */

    const hl_tape_observer *observer; /* or NULL; not owned, must outlive the tape */
    hl_tape_memory memory;            /* where the numbers lie: tape_memory.h; zeroed: in a row */
} hl_tape_options;

struct hl_tape {
    hl_tape_options options;
    hl_arena *arena; /* not owned */
    hl_node *last;   /* the newest node; node->previous leads to the others */
    int64_t n_nodes;
    hl_status error;    /* sticky: the first one */
    const char *scope;  /* the module whose ops are built now, for errors and summaries; not owned; may be NULL */
    double flops;       /* of the ops run so far; backward of an op counts twice its forward */
    hl_tape_use memory; /* what it has requested so far */
};

/* Starts an empty tape, which takes its memory from `arena` behind what is used already. With a plan, it takes the
 * memory of all numbers at once; if the arena is too small for it, the tape begins with a sticky error. A dry tape
 * ignores the plan. There is nothing to free: rewind the arena. */
void hl_tape_begin(hl_tape *tape, hl_arena *arena, hl_tape_options options);

/* HL_OK, or the first error of any builder since hl_tape_begin. */
hl_status hl_tape_status(const hl_tape *tape);

/* Names the module whose ops follow ("encoder.layers.0.linear1"); the string must outlive the tape. Returns the
 * previous scope, for the caller to restore. */
const char *hl_tape_scope(hl_tape *tape, const char *scope);

/* d loss / d x for everything `loss` was made from; `loss` is a scalar. Returns the tape's sticky error if there is one
 * (`loss` may then be NULL). HL_NO_MEMORY where the arena is full. Call it at most once for each tape. */
hl_status hl_tape_backward(hl_tape *tape, hl_tensor *loss);

/* As hl_tape_backward, starting from the given dy (same shape as y) instead of 1: sum(dy * y) is differentiated. y is
 * the output of an op that no backward has reached yet. HL_INVALID where it is not, or dy is NULL. */
hl_status hl_tape_backward_from(hl_tape *tape, hl_tensor *y, const hl_real *dy);

/* A tensor of the given shape over the caller's numbers, which must outlive the tape; it may require a gradient, which
 * then is in `grad` after backward (NULL where no gradient reached it). NULL with a sticky error when the arena is
 * full. A shape without a count is refused by whatever op it is given to. */
hl_tensor *hl_tape_tensor(hl_tape *tape, hl_shape shape, const hl_real *numbers, bool requires_grad);

/* The `n` rows from `first` on of a parameter's first dimension, as a tensor that shares the parameter's numbers and
 * gradient, such as the rows of q in a packed projection. NULL for NULL; NULL with a sticky error when the arena
 * is full, the rows are not the parameter's, or the tensor is no parameter (parameters.h). */
hl_tensor *hl_tape_parameter_rows(hl_tape *tape, hl_tensor *parameter, int64_t first, int64_t n);

HL_END_DECLS

#endif
