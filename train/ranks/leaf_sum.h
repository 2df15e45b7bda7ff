/* Sums over the leaves of a batch, in one fixed order for any number of processes.
 *
 * A batch is cut into `leaves` equal slices, its leaves. They are the leaves of a binary tree. Node (k, j) covers the
 * existing leaves among j 2^k .. (j + 1) 2^k - 1. Its sum is that of its left child (k - 1, 2 j) plus that of its right
 * child; if the right child covers no leaf, it is the left child's sum. The bits of a sum of floating-point numbers
 * depend on its order, and this order does not depend on the ranks. (It is pairwise summation: Higham 1993, "The
 * accuracy of floating point summation".)
 *
 * Rank r of n owns leaves r leaves / n .. (r + 1) leaves / n - 1. It sums every subtree that it owns completely, while
 * it computes the leaves, or it computes the sum of such a subtree at once. For any other node, the owner of its first
 * leaf adds what the owner of its right child's first leaf sends. Rank 0 has the root, which is then broadcast.
 *
 *     for (int leaf = sum.first, n; leaf < sum.last; leaf += n) {
 *         n = hl_leaf_sum_group(&sum);
 *         compute the sum of leaves leaf .. leaf + n - 1 into hl_leaf_sum_next(&sum);
 *         hl_leaf_sum_push(&sum, n);
 *     }
 *     HL_TRY(hl_ranks_agree(ranks, status));
 *     hl_leaf_sum_finish(&sum); // the sum of all leaves is at sum.total */
#pragma once

#include "core/base/declarations.h"
#include "train/ranks/ranks.h"

HL_BEGIN_DECLS

enum { HL_LEAF_SUM_LEVELS = 32 };

/* Adds one value to another of the same size. */
typedef void hl_leaf_sum_add(const void *context, void *to, const void *from);

/* The existing leaves among j 2^k .. (j + 1) 2^k - 1. */
typedef struct hl_leaf_node {
    int k, j;
} hl_leaf_node;

typedef struct hl_leaf_sum {
    hl_ranks *ranks;         /* not owned; or NULL */
    int leaves, first, last; /* all leaves; those of this rank are first .. last - 1 */
    int at_once;             /* how many are computed at once, at most, rounded up to a power of two */
    size_t bytes;            /* of one value */
    hl_leaf_sum_add *add;
    const void *context; /* for `add`; not owned */

    void *total;           /* memory of the first value, and at the end of the sum */
    unsigned char *memory; /* owned: memory of the other values, followed by `total` if the caller gave none */

    /* The sums so far: nodes whose parent is not computed yet, in the order of their leaves. Each has a value. */
    hl_leaf_node nodes[2 * HL_LEAF_SUM_LEVELS];
    int n;
    int next; /* the next leaf */
} hl_leaf_sum;

/* The first leaf of a rank; for rank n, it is `leaves`. */
int hl_leaf_sum_first(int leaves, int n, int rank);

/* How many values besides `total` a rank holds at once if it computes up to `at_once` leaves at once. */
int hl_leaf_sum_values(int leaves, int at_once, int n, int rank);

/* The number of leaves in the largest subtree that a rank owns completely. */
int hl_leaf_sum_largest(int leaves, int n, int rank);

/* Allocates memory for sums of values with `bytes` bytes, over leaves >= n ranks. `total` is the caller's memory for
 * one value, or NULL: the sum then has its own. HL_NO_MEMORY. After success, free it with hl_leaf_sum_free, which also
 * accepts a zeroed sum. */
hl_status hl_leaf_sum_init(hl_leaf_sum *sum, hl_ranks *ranks, int leaves, int at_once, size_t bytes, void *total);
void hl_leaf_sum_free(hl_leaf_sum *sum);

/* Begins a sum. */
void hl_leaf_sum_begin(hl_leaf_sum *sum, hl_leaf_sum_add *add, const void *context);

/* How many leaves of this rank come next at once: the leaves of a subtree. */
int hl_leaf_sum_group(const hl_leaf_sum *sum);

/* The memory for the value of this rank's next leaf or group; it still holds old values. */
void *hl_leaf_sum_next(const hl_leaf_sum *sum);

/* Takes that value, the sum of n leaves (1 or hl_leaf_sum_group), and adds it to its siblings. */
void hl_leaf_sum_push(hl_leaf_sum *sum, int n);

/* Call it after all leaves of this rank and hl_ranks_agree. The ranks exchange their sums; `total` then holds the sum
 * on every rank. Cannot fail. */
void hl_leaf_sum_finish(hl_leaf_sum *sum);

/* The bytes that this rank sends in one hl_leaf_sum_finish, without the broadcast. */
size_t hl_leaf_sum_sent(int leaves, int n, int rank, size_t bytes);

HL_END_DECLS
