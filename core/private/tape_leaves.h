/* Runs backward on several tapes at once: those of the leaves of one batch. A leaf is a slice of the batch; its
 * gradient is a leaf of the tree in which gradients are added (train/ranks/leaf_sum.h). PyTorch's leaf tensors are
 * something else.
 *
 * Each leaf has a tape of its own, on which the same ops were recorded over its own rows. The gradient of a parameter
 * is first summed over the rows of each leaf alone. These sums are then added in a binary tree: leaf 2 i plus leaf
 * 2 i + 1, then pairs of such pairs, and so on; a last one without a partner goes up unchanged. So the bits are the
 * same as where leaves are computed one by one, by any number of processes.
 *
 * Backward goes through the tapes side by side, leaf after leaf on each thread. Once all have passed an op with
 * parameters, its gradients are summed, while the numbers are still in the cache. So only the sum is ever held as a
 * gradient of the whole model. */
#ifndef HL_CORE_PRIVATE_TAPE_LEAVES_H
#define HL_CORE_PRIVATE_TAPE_LEAVES_H

#include "core/tape.h"

/* A leaf without rows has neither tape nor gradient. */
typedef struct hl_tape_leaf {
    bool empty;
    hl_tape tape;    /* with options.threads = 1 and a plan, over an arena of its own */
    hl_tensor *loss; /* a scalar, or NULL where the tape has an error */
    hl_node *node;   /* hl_tape_leaves_backward's own: the last one that it passed */
} hl_tape_leaf;

/* The numbers of scratch memory that n leaves of a pass as on this dry tape need. */
int64_t hl_tape_leaves_scratch(const hl_tape *tape, int threads, int n);

/* Whether an op of this tape has a parameter twice, or one that another op has, too. Such gradients would not be summed
 * in the order of leaves that are computed one by one. Views of a parameter's rows (hl_tape_parameter_rows) count as
 * parameters of their own: their rows must not overlap. */
bool hl_tape_leaves_share(const hl_tape *tape);

/* Adds d loss / d p of the sum of all losses to the gradient of every parameter p, on at most `threads` threads. The
 * first error of a tape, as by hl_tape_backward. */
hl_status hl_tape_leaves_backward(int threads, int n, hl_tape_leaf *leaves, hl_real *scratch);

#endif
