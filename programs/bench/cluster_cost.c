#include "programs/bench/cluster_cost.h"

#include "train/ranks/leaf_sum.h"

static int owner_of(int leaf, int leaves, int n)
{
    int rank = 0;
    while (hl_leaf_sum_first(leaves, n, rank + 1) <= leaf) {
        rank++;
    }
    return rank;
}

/* The messages on the longest way to the node of `size` leaves, a power of two, that begins at `first`. */
static int messages_to(int first, int size, int leaves, int n)
{
    int last = first + size < leaves ? first + size - 1 : leaves - 1, right = first + size / 2;
    if (owner_of(first, leaves, n) == owner_of(last, leaves, n)) {
        return 0;
    }
    int up = messages_to(first, size / 2, leaves, n);
    if (right >= leaves) {
        return up;
    }
    int other = messages_to(right, size / 2, leaves, n);
    int sent = owner_of(first, leaves, n) != owner_of(right, leaves, n);
    return (up > other ? up : other) + sent;
}

double hl_bench_cluster_exchange(hl_bench_link link, int leaves, int n, size_t bytes)
{
    int size = 1, down = 0;
    while (size < leaves) {
        size *= 2;
    }
    while (1 << down < n) {
        down++;
    }
    double small = link.latency, large = link.latency + (double)bytes / link.bandwidth;
    return (messages_to(0, size, leaves, n) + down) * (large + small) + 2 * down * small;
}
