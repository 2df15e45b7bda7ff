/* The tape: the record of one forward pass, in order of execution, and its way back.
 *
 *     hl_tape tape;
 *     hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = 2, .training = true, .gradients = true });
 *     hl_tensor *y = hl_linear(&tape, x, W, b);        // runs at once and is recorded
 *     hl_tensor *loss = hl_mean(&tape, y);
 *     HL_TRY(hl_tape_backward(&tape, loss));            // W->grad, b->grad
 *
 * An op builder (hl_linear above; op_*.h) checks its inputs' shapes, runs forward and returns its output, which lives
 * in the arena until that is rewound. On failure it returns NULL, and the tape keeps the first error, in words. Every
 * builder refuses an input that is empty, of an impossible shape, or without numbers (of a model that was not
 * allocated), and, unless the tape is dry, NULL for ids or targets. Given NULL it returns NULL. So a model composes ops
 * without checks, and asks once: hl_tape_status.
 *
 * Backward walks the record in reverse. A tensor used twice accumulates; an input that requires no gradient is skipped;
 * parameters accumulate into the gradient they own (parameters.h), which the caller zeroes.
 *
 * A dry tape computes nothing: it checks shapes and counts the memory and arithmetic of the same pass. The tape that
 * follows runs out of an arena of the size found so; with a plan (tape_plan.h), so does any pass of smaller sizes, and
 * memory that is needed no more serves again. */
#ifndef HL_CORE_TAPE_H
#define HL_CORE_TAPE_H

#include "core/arena.h"
#include "core/declarations.h"
#include "core/status.h"
#include "core/tape_plan.h"
#include "core/tensor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_node hl_node;             /* op.h */
typedef struct hl_tape_piece hl_tape_piece; /* private/tape_memory.h */

/* Called just before (`begin`, or NULL) and just after every node's forward and backward, to time them for instance.
 * On a dry tape nothing runs. It changes neither node nor tape. */
typedef struct hl_tape_observer {
    void (*begin)(void *context, const hl_node *node, bool backward);
    void (*end)(void *context, const hl_node *node, bool backward);
    void *context;
} hl_tape_observer;

typedef struct hl_tape_options {
    int threads;    /* 1 .. HL_MAX_THREADS; less counts as 1, more as HL_MAX_THREADS */
    bool training;  /* whether dropout drops */
    bool gradients; /* whether outputs of ops on tensors that require gradients require them */
    bool dry;       /* whether to count memory and arithmetic instead of computing */
    bool reuse;     /* dry: whether the plan (tape_plan.h) gives the memory of what nothing reads any more to what comes
                       later: then the last outputs are left, or the loss and the gradients of parameters and of
                       hl_tape_tensor's tensors */
    int leaves;     /* dry: how many such passes may walk back together (tape_leaves.h); 0 or 1: each alone */
    bool prepare;   /* dry: whether ops generate the code (small_matmul.h) for passes of any smaller size */
    const hl_tape_plan *plan; /* not dry: where numbers lie, by a dry tape of these options; NULL: in a row */
    const hl_tape_kept *kept; /* or NULL. Neither it nor the plan is owned, both must outlive the tape */
    uint64_t seed;            /* of dropout */
    uint32_t step;            /* of dropout */
    const int64_t
        *places;      /* (n_places): what the dropout of a tensor's rows is drawn by, equal places alike in whatever
                                 company; NULL: row r has place r. Not owned, must outlive the tape */
    int64_t n_places; /* the rows of all tensors that drop, where places are given */
    const hl_tape_observer *observer; /* or NULL; not owned, must outlive the tape */
} hl_tape_options;

struct hl_tape {
    hl_tape_options options;
    hl_arena *arena; /* not owned */
    hl_node *last;   /* the record, linked backwards */
    int64_t n_nodes;
    hl_status error;       /* sticky: the first one */
    const char *scope;     /* the module whose ops are built now, for errors and summaries; not owned; may be NULL */
    double flops;          /* of forward, and of backward once that was called */
    int64_t n_pieces;      /* of memory for numbers, asked for so far */
    int64_t n_kept;        /* numbers of hl_tape_kept asked for so far */
    char *numbers;         /* with a plan: where they begin */
    size_t held;           /* dry: bytes of the numbers that a real tape without a plan would hold now */
    size_t records;        /* dry: bytes of the records that a real tape would hold now */
    size_t peak;           /* dry: the most bytes of records and numbers so far, without a plan */
    hl_tape_piece *pieces; /* dry: all of them, linked backwards */
};

/* Starts an empty tape whose outputs live in `arena` (records, and unless dry, numbers) from its present mark on. Where
 * the arena has no room for a plan, the tape begins with a sticky error. There is nothing to free: rewind the arena. */
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

/* The most arena bytes that the pass of a dry tape will use when it is run for real and without a plan, with backward
 * where that was called. */
size_t hl_tape_bytes(const hl_tape *tape);

HL_END_DECLS

#endif
