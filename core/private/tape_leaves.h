/* Runs backward on several tapes at once: the tapes of the leaves of one batch. A leaf is a slice of the batch. Its
 * gradient is a leaf of the tree in which gradients are added (train/ranks/leaf_sum.h). PyTorch's leaf tensors are
 * something else.
 *
 * Each leaf has its own tape, on which the same ops were recorded over the leaf's rows. The gradient of a parameter is
 * first summed over the rows of each leaf alone. These sums are then added in a binary tree: leaf 2 i plus leaf 2 i +
 * 1, then pairs of such pairs, and so on. A last sum without a partner goes up unchanged. So the bits are the same as
 * when leaves are computed one by one, by any number of processes.
 *
 * Backward goes through the tapes side by side, leaf after leaf on each thread. Once all leaves have passed an op with
 * parameters, the op's gradients are summed while the numbers are still in the cache. So only the sum is ever stored as
 * a gradient of the whole model. */
#pragma once

#include "core/tape.h"

/* A leaf without rows has neither a tape nor a gradient. */
typedef struct hl_tape_leaf {
    bool empty;
    hl_tape tape;    /* with options.threads = 1 and a plan, over its own arena */
    hl_tensor *loss; /* a scalar, or NULL if the tape has an error */
    hl_node *node;   /* for hl_tape_leaves_backward alone: the last node that it passed */
} hl_tape_leaf;

/* How many numbers of scratch memory n leaves need, for passes like the one on this dry tape. */
int64_t hl_tape_leaves_scratch(const hl_tape *tape, int threads, int n);

/* Whether an op on this tape uses a parameter twice, or a parameter that another op uses too. Such gradients would not
 * be summed in the same order as when leaves are computed one by one. Views of a parameter's rows
 * (hl_tape_parameter_rows) count as separate parameters: their rows must not overlap. */
bool hl_tape_leaves_share(const hl_tape *tape);

/* Adds the gradient of the sum of all losses to the gradient of every parameter, on at most `threads` threads. Returns
 * the first error of a tape, as hl_tape_backward does. */
hl_status hl_tape_leaves_backward(int threads, int n, hl_tape_leaf *leaves, hl_real *scratch);
