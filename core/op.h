/* What an op consists of, for authors of ops. docs/adding.md, "An op", walks through an example.
 *
 * An op is one file: a contract with the formula, `infer`, `forward`, `backward` below its formulas, and one constant
 * descriptor that ties them together and is listed in core/ops/ops.h. The node holds all of an op's state. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/threads.h"
#include "core/kernels/grad.h"
#include "core/tape.h"

HL_BEGIN_DECLS

enum { HL_MAX_INPUTS = 8, HL_MAX_NODE_MEMORY = 4 };
#define HL_IN_PLACE(i) ((i) + 1)        /* for hl_op.in_place, where 0 means no input */
typedef struct hl_op_parts hl_op_parts; /* private/op_parts.h */

/* The arguments of forward and backward. */
typedef struct hl_op_call {
    const hl_tape *tape;
    const hl_node *node; /* node->scratch has the size given by hl_op.scratch */
    const hl_grad *din;  /* where backward writes the gradient of each input; NULL in forward */
} hl_op_call;

/* A pass, forward or backward: a function for the whole output, or one for a range of it, which threads share. */
typedef void hl_op_part(const hl_op_call *call, hl_range range);
typedef struct hl_op_pass {
    void (*whole)(const hl_op_call *call); /* or NULL, and then: */
    hl_op_part *part;
    int64_t each; /* the work of one number, in elements: little work is done by fewer threads */
    int64_t step; /* 0: threads share the rows; else the numbers, in ranges that begin at multiples of it */
} hl_op_pass;

typedef struct hl_op {
    const char *name;
    int min_inputs; /* inputs 0 .. min_inputs - 1 are required; the others may be NULL */
    /* HL_IN_PLACE(i): the gradient of input i may share the memory of dy (din[i].at == dy). Backward must then not
     * change dy while it still needs dy for another gradient. 0: no gradient shares that memory. */
    int in_place;

    /* Checks the inputs' shapes and the attributes, sets node->out->shape, and allocates what forward saves for
     * backward (hl_tape_allocate). False after hl_tape_fail or a failed hl_tape_allocate. Also runs on dry tapes,
     * so it must not touch numbers. */
    bool (*infer)(hl_tape *tape, hl_node *node);

    /* forward computes node->out->data from the inputs. backward computes din[i] from dy = node->out->grad; it is left
     * out for an op without a gradient. They cannot fail. */
    hl_op_pass forward, backward;

    /* How many numbers of scratch memory forward and backward each need at most; NULL for none. */
    int64_t (*scratch)(const hl_tape *tape, const hl_node *node);

    /* How the gradient of a large parameter is computed in parts when backward runs on several leaves (slices of a
     * batch) at once (private/tape_leaves.h). NULL if the parameters are small: each leaf then holds its whole
     * gradient. */
    const hl_op_parts *parts;

    /* Floating-point operations of forward for ops made of matrix products; NULL for other ops. A multiply-add counts
     * 2; backward counts twice as much as forward, in addition. */
    double (*flops)(const hl_node *node);
} hl_op;

struct hl_node {
    const hl_op *op;
    hl_node *previous;
    const char *scope;
    hl_tensor *out;
    hl_tensor *in[HL_MAX_INPUTS];
    int n_inputs;
    void *attributes; /* the builder's, copied into the arena */
    void *saved;      /* what forward saves for backward; set by infer */
    hl_real *scratch; /* of this node's last forward or backward; valid until another node of the tape runs */
    /* Set by infer if several inputs are the same tensor, each reads its own columns, and together they read all
     * columns. Their gradients then never overlap, so each has `add` (hl_grad) as if it were the only input. */
    bool disjoint;

    /* On a dry tape: the pieces (tape_memory.h) that infer allocated, then the output's piece as the last element. With
     * gradients, no piece is needed once this node's backward has run. */
    hl_tape_piece *pieces[HL_MAX_NODE_MEMORY];
    int n_pieces;
};

/* Records and runs `op`: copies the attributes, infers, allocates the output, runs forward. Returns the output. Returns
 * NULL with a sticky error if a required input is NULL, infer refuses or the arena is full; NULL if the tape already
 * has an error. `attributes` may be NULL. */
hl_tensor *hl_tape_apply(hl_tape *tape, const hl_op *op, hl_tensor *const *inputs, int n_inputs, const void *attributes,
                         size_t attributes_size);

/* Arena memory that lasts until the node's backward has run. Call it from infer, at most HL_MAX_NODE_MEMORY - 1 times.
 * A dry tape only counts it; do not use the pointer. NULL with a sticky error when the arena is full. */
void *hl_tape_allocate(hl_tape *tape, hl_node *node, int64_t count, size_t size);

/* Whether the tape can draw dropout for n_rows rows: no `places`, or n_rows of them. False after hl_tape_fail. */
bool hl_tape_has_places(hl_tape *tape, const hl_node *node, int64_t n_rows);

/* Whether memory is reused once it is no longer needed (hl_tape_memory.reuse). If so, nothing reads dy after the node's
 * backward. Backward may then overwrite dy, unless an input's gradient shares its memory (in_place). */
bool hl_tape_reuses(const hl_tape *tape);

/* Leaves the error "<op> in <scope>: <text>" on the tape and returns false. The text is formatted as by printf;
 * _shapes: it is "<what>: <a's shape> against <b's shape>". */
bool hl_tape_fail(hl_tape *tape, const hl_node *node, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool hl_tape_fail_shapes(hl_tape *tape, const hl_node *node, const char *what, hl_shape a, hl_shape b);

/* An `infer` for ops whose output has the shape of their only input. */
bool hl_infer_same_shape(hl_tape *tape, hl_node *node);

/* Lets threads share [0, n), cut at multiples of `step`. `work`, in elements, limits the number of threads. */
void hl_op_run(const hl_op_call *call, int64_t work, int64_t n, int64_t step, hl_op_part *part);

/* dx = (or +=) dy, number by number, for input i. Does nothing if no dx is wanted or if it is dy itself. */
void hl_op_hand_on(const hl_op_call *call, int i);

/* Whether backward will run on this node. If so, forward must save what backward needs. */
static inline bool hl_node_has_backward(const hl_node *node)
{
    return node->out->requires_grad;
}

HL_END_DECLS
