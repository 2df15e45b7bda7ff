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
 * follows runs out of an arena of the size found so. */
#ifndef HL_CORE_TAPE_H
#define HL_CORE_TAPE_H

#include "core/arena.h"
#include "core/declarations.h"
#include "core/free_list.h"
#include "core/status.h"
#include "core/tensor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_node hl_node; /* op.h */

/* Called just before and just after every node's forward and backward, to time them for instance. On a dry tape nothing
 * runs. It changes neither node nor tape. */
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
    bool reuse;     /* whether backward reuses the memory of nodes it has passed: afterwards only the loss and the
                              gradients of parameters and of hl_tape_tensor's tensors are left */
    uint64_t seed;  /* of dropout */
    uint32_t step;  /* of dropout */
    int64_t first_example; /* of a micro-batch: the index of its first example in the whole batch, so that its dropout
                              is that of the whole batch */
    const hl_tape_observer *observer; /* or NULL; not owned, must outlive the tape */
} hl_tape_options;

typedef struct hl_tape {
    hl_tape_options options;
    hl_arena *arena; /* not owned */
    hl_node *last;   /* the record, linked backwards */
    int64_t n_nodes;
    hl_status error;   /* sticky: the first one */
    const char *scope; /* the module whose ops are built now, for errors and summaries; not owned; may be NULL */
    hl_free_list free; /* the memory that backward may reuse */
    size_t numbers;    /* dry: bytes of the numbers that a real tape would hold now */
    size_t peak;       /* dry: the most bytes of records and numbers so far */
    double flops;      /* dry: of forward, and of backward once that was called */
} hl_tape;

/* Starts an empty tape whose outputs live in `arena` (records, and unless dry, numbers) from its present mark on.
 * Cannot fail. There is nothing to free: rewind the arena. */
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
hl_tensor *hl_tape_parameter_rows(hl_tape *tape, const hl_tensor *parameter, int64_t first, int64_t n);

/* The most arena bytes that the pass of a dry tape will use when it is run for real, with backward where that was
 * called; includes what the arena held before. */
size_t hl_tape_bytes(const hl_tape *tape);

/* Writes the first op, in order of execution, whose output is not finite, "softmax in encoder.layers.0.self_attn", into
 * `text` (at most `size` bytes). False where every output is finite, or the tape is dry. Reads every number. Call it
 * when a loss is not finite, before backward, which may reuse the outputs' memory. */
bool hl_tape_find_not_finite(const hl_tape *tape, char *text, size_t size);

/* HL_NOT_FINITE "<what> is <value>; the first tensor that is not finite is the output of <op>", the last part where
 * there is such an op. */
hl_status hl_tape_not_finite(const hl_tape *tape, const char *what, double value);

HL_END_DECLS

#endif
