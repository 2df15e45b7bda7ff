/* Sums over the leaves of a batch, in one fixed order whatever number of processes computes them.
 *
 * A batch is cut into `leaves` equal slices, its leaves. They are the leaves of a binary tree: node (k, j) covers
 * leaves j 2^k .. (j + 1) 2^k - 1, as far as there are so many, and its sum is that of its left child (k - 1, 2 j)
 * plus that of its right one; where the right one covers no leaf, it is the left one's. The bits of a sum of
 * floating-point numbers depend on its order, and this order does not depend on the ranks. (It is that of pairwise
 * summation: Higham 1993, "The accuracy of floating point summation".)
 *
 * Rank r of n owns leaves r leaves / n .. (r + 1) leaves / n - 1. It adds up every subtree that is wholly its own
 * while it computes them, or computes the sum of such a one at once. Of any other node the owner of its first leaf adds
 * what the owner of its right child's first leaf sends; the root, which is rank 0's, is then broadcast.
 *
 *     for (int leaf = sum.first, n; leaf < sum.last; leaf += n) {
 *         n = hl_leaf_sum_group(&sum);
 *         compute the sum of leaves leaf .. leaf + n - 1 into hl_leaf_sum_next(&sum);
 *         hl_leaf_sum_push(&sum, n);
 *     }
 *     HL_TRY(hl_ranks_agree(ranks, status));
 *     hl_leaf_sum_finish(&sum); // the sum of all leaves is at sum.total */
#ifndef HL_TRAIN_RANKS_LEAF_SUM_H
#define HL_TRAIN_RANKS_LEAF_SUM_H

#include "core/base/declarations.h"
#include "train/ranks/ranks.h"

HL_BEGIN_DECLS

enum { HL_LEAF_SUM_LEVELS = 32 };

/* Adds one value to another of the same size. */
typedef void hl_leaf_sum_add(const void *context, void *to, const void *from);

/* Leaves j 2^k .. (j + 1) 2^k - 1, as far as there are so many. */
typedef struct hl_leaf_node {
    int k, j;
} hl_leaf_node;

typedef struct hl_leaf_sum {
    hl_ranks *ranks;         /* not owned; or NULL */
    int leaves, first, last; /* of all, and those of this rank: first .. last - 1 */
    int at_once;             /* at most so many are computed at once, up to the next power of two */
    size_t bytes;            /* of one value */
    hl_leaf_sum_add *add;
    const void *context; /* of `add`; not owned */

    void *total;           /* memory of the first value, and in the end of the sum */
    unsigned char *memory; /* owned: of the others, and where the caller gave none, after them of `total` */

    /* What is added up so far: nodes without a parent that is, in the order of their leaves. Each has a value. */
    hl_leaf_node nodes[2 * HL_LEAF_SUM_LEVELS];
    int n;
    int next; /* the leaf that comes next */
} hl_leaf_sum;

/* The first leaf of a rank; that of rank n is `leaves`. */
int hl_leaf_sum_first(int leaves, int n, int rank);

/* The values besides `total` that a rank holds at once, which computes up to `at_once` leaves at once. */
int hl_leaf_sum_values(int leaves, int at_once, int n, int rank);

/* The leaves of the largest subtree that is wholly a rank's own. */
int hl_leaf_sum_largest(int leaves, int n, int rank);

/* Takes memory for sums of values of `bytes` bytes, of leaves >= n ranks; `total` is the caller's memory of one value,
 * or NULL: the sum then has its own. HL_NO_MEMORY. On success ended by hl_leaf_sum_free, which takes a zeroed one. */
hl_status hl_leaf_sum_init(hl_leaf_sum *sum, hl_ranks *ranks, int leaves, int at_once, size_t bytes, void *total);
void hl_leaf_sum_free(hl_leaf_sum *sum);

/* Begins a sum. */
void hl_leaf_sum_begin(hl_leaf_sum *sum, hl_leaf_sum_add *add, const void *context);

/* How many leaves of this rank come next at once: those of a subtree. */
int hl_leaf_sum_group(const hl_leaf_sum *sum);

/* Where the value of this rank's next leaf, or group, goes; what is there is left over from others. */
void *hl_leaf_sum_next(const hl_leaf_sum *sum);

/* Takes that value, the sum of n leaves, 1 or hl_leaf_sum_group, and adds it to its siblings'. */
void hl_leaf_sum_push(hl_leaf_sum *sum, int n);

/* After all leaves of this rank, and hl_ranks_agree: exchanges; `total` holds the sum on every rank. Cannot fail. */
void hl_leaf_sum_finish(hl_leaf_sum *sum);

/* The bytes that this rank sends in one hl_leaf_sum_finish, the broadcast left out. */
size_t hl_leaf_sum_sent(int leaves, int n, int rank, size_t bytes);

HL_END_DECLS

#endif
