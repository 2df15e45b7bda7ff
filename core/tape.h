/* The tape: the record of one forward pass, in order of execution. Backward walks it in reverse.
 *
 *     hl_tape tape;
 *     hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = 2, .training = true, .gradients = true });
 *     hl_tensor *y = hl_linear(&tape, x, W, b);        // runs at once and is recorded
 *     hl_tensor *loss = hl_mean(&tape, y);
 *     HL_TRY(hl_tape_backward(&tape, loss));            // W->grad, b->grad
 *
 * An op builder (such as hl_linear; see core/ops) checks its inputs' shapes, runs forward and returns its output. The
 * output lives in the arena until the arena is rewound. On failure a builder returns NULL, and the tape keeps the first
 * error as a text: the sticky error. Every builder refuses an input that is empty, has an impossible shape, or has no
 * numbers (because its model was not allocated). Unless the tape is dry, it also refuses NULL for ids or targets. A
 * builder that is given NULL for a tensor returns NULL. So a model can compose ops without checks, and call
 * hl_tape_status once at the end.
 *
 * Backward walks the record in reverse. Gradients of a tensor that is used twice are added; an input that requires no
 * gradient is skipped. The gradient of a parameter is added to its `grad`, which lies in the block of its registry
 * (parameters.h). Before a step, the caller zeroes that block or lets the first backward overwrite it
 * (private/forgotten_grads.h).
 *
 * tape_memory.h explains where the numbers lie, and how a dry tape measures the memory of a pass. */
#pragma once

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

/* The tape calls `begin` just before, and `end` just after, every forward and backward of a node, for example to time
 * them. Either may be NULL. They must not change the node or the tape. On a dry tape no op runs, so nothing is
 * called. */
typedef struct hl_tape_observer {
    void (*begin)(void *context, const hl_node *node, bool backward);
    void (*end)(void *context, const hl_node *node, bool backward);
    void *context;
} hl_tape_observer;

typedef struct hl_tape_options {
    int threads;    /* 1 .. HL_MAX_THREADS (core/base/threads.h); less counts as 1, more as HL_MAX_THREADS */
    bool training;  /* whether dropout drops */
    bool gradients; /* whether the output of an op requires a gradient if one of its inputs does */
    uint64_t seed;  /* of dropout */
    uint32_t step;  /* of dropout */

    /* (n_places), for dropout: places[r] is the number that identifies row r when its random numbers are drawn. A row
     * keeps this number, and so its dropout, no matter how the batch is cut. NULL: row r has the number r. Not owned;
     * must outlive the tape. */
    const int64_t *places;
    int64_t n_places; /* the length of `places`, if given: the number of rows in the batch */

    const hl_tape_observer *observer; /* or NULL; not owned, must outlive the tape */
    hl_tape_memory memory;            /* where the numbers lie: tape_memory.h; zeroed: in a row */
} hl_tape_options;

struct hl_tape {
    hl_tape_options options;
    hl_arena *arena; /* not owned */
    hl_node *last;   /* the newest node; node->previous leads to the older ones */
    int64_t n_nodes;
    hl_status error;    /* sticky: the first error */
    const char *scope;  /* the module whose ops are being built, for errors and summaries; not owned; may be NULL */
    double flops;       /* operations so far; backward of an op counts twice its forward */
    hl_tape_use memory; /* what the tape has requested so far */
};

/* Starts an empty tape, which uses the free memory at the end of `arena`. With a plan, it takes the memory of all
 * numbers at once; if the arena is too small, the tape begins with a sticky error. A dry tape ignores the plan. There
 * is nothing to free: rewind the arena. */
void hl_tape_begin(hl_tape *tape, hl_arena *arena, hl_tape_options options);

/* HL_OK, or the first error of any builder since hl_tape_begin. */
hl_status hl_tape_status(const hl_tape *tape);

/* Names the module whose ops follow, such as "encoder.layers.0.linear1". The string must outlive the tape. Returns the
 * previous scope, so that the caller can restore it. */
const char *hl_tape_scope(hl_tape *tape, const char *scope);

/* Computes d loss / d x for every x that `loss` depends on; `loss` is a scalar. Returns the tape's sticky error if
 * there is one (`loss` may then be NULL). HL_NO_MEMORY if the arena is full. Call it at most once per tape. */
hl_status hl_tape_backward(hl_tape *tape, hl_tensor *loss);

/* As hl_tape_backward, but starts from the given dy (same shape as y) instead of 1: it differentiates sum(dy * y). y is
 * the output of an op that no backward has reached yet. HL_INVALID if it is not, or if dy is NULL. */
hl_status hl_tape_backward_from(hl_tape *tape, hl_tensor *y, const hl_real *dy);

/* A tensor of the given shape over the caller's numbers, which must outlive the tape. If it requires a gradient, `grad`
 * holds it after backward (NULL if no gradient reached the tensor). NULL with a sticky error when the arena is full. A
 * shape without a count (hl_shape_count) is refused by the op that receives the tensor. */
hl_tensor *hl_tape_tensor(hl_tape *tape, hl_shape shape, const hl_real *numbers, bool requires_grad);

/* `n` rows of a parameter, from row `first` on, as a tensor that shares the parameter's numbers and gradient: for
 * example the rows of q in a packed projection. NULL for NULL. NULL with a sticky error when the arena is full, the
 * rows are outside the parameter, or the tensor is not a parameter (parameters.h). */
hl_tensor *hl_tape_parameter_rows(hl_tape *tape, hl_tensor *parameter, int64_t first, int64_t n);

HL_END_DECLS
