/* The time for what the processes of a run exchange in a step (train/ranks/leaf_sum.h): Hockney's model of a message
 * (R. W. Hockney 1994, "The communication challenge for MPP"), along the tree of sums and back along a binomial
 * tree. */
#pragma once

#include <stddef.h>

/* Between two processes a message of m bytes takes t(m) = latency + m / bandwidth. */
typedef struct hl_bench_link {
    double latency;   /* seconds */
    double bandwidth; /* bytes a second */
} hl_bench_link;

/* The seconds that n processes exchange in a step with so many leaves, whose gradients have m = `bytes` bytes:
 *
 *     (up + down) (t(m) + t(0)) + 2 down t(0)
 *
 * up: the messages of gradients that follow one another on the longest way to the root of the sums. down: the rounds of
 * a broadcast along a binomial tree, the base-2 logarithm of n rounded up. Loss and counts go the same ways as
 * messages of next to no bytes, t(0); and before all that they agree, up and down a binomial tree. */
double hl_bench_cluster_exchange(hl_bench_link link, int leaves, int n, size_t bytes);
