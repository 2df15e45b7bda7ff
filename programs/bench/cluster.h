/* bench --cluster: what a step takes with several processes, by a model of what it computes and exchanges, and
 * measured. */
#ifndef HL_PROGRAMS_BENCH_CLUSTER_H
#define HL_PROGRAMS_BENCH_CLUSTER_H

#include "programs/bench/job.h"
#include "train/ranks/ranks.h"

#include <stdio.h>

/* All ranks call it, with the same job; rank 0 prints to `out`. Measures messages between the first and the last rank,
 * and what one process computes of a step of 1, 2, 4 ... and of ranks->n processes, up to train.leaves, which with
 * cluster_cost.h is the time expected; then steps of these ranks together. HL_INVALID: fewer than two ranks, or more
 * than train.leaves; else fails as hl_bench_workload does, on all ranks alike. */
hl_status hl_bench_cluster(const hl_bench_job *job, hl_ranks *ranks, FILE *out);

#endif
