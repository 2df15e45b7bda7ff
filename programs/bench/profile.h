/* Where the time of a step goes, op by op. */
#pragma once

#include "core/tape.h"

#include <stdbool.h>
#include <stdint.h>

enum { HL_BENCH_MAX_ROWS = 128, HL_BENCH_OP_NAME = 32 };

/* One op in one direction. */
typedef struct hl_bench_row {
    char op[HL_BENCH_OP_NAME];
    bool backward;
    double calls; /* a step */
    double ms;    /* a step */
    double flops; /* a step; 0 for ops that are not made of matrix products */
    double bytes; /* a step: its inputs and its output, and backward their gradients too, each tensor once */
} hl_bench_row;

typedef struct hl_bench_profile {
    int n_rows;
    hl_bench_row rows[HL_BENCH_MAX_ROWS]; /* the slowest first */
    double ms;                            /* a step, the mean; what the rows leave of it is outside the ops */
} hl_bench_profile;

/* What a profile is made from. Zeroed at first. */
typedef struct hl_bench_profiler {
    hl_bench_profile sums; /* of all steps; `ms` in seconds until hl_bench_profiler_result */
    double begin;          /* when the running op began, seconds */
} hl_bench_profiler;

/* The observer that fills the profiler, which must outlive it. */
hl_tape_observer hl_bench_profiler_observer(hl_bench_profiler *profiler);

/* The profile of `steps` steps that took `seconds` in all. */
hl_bench_profile hl_bench_profiler_result(const hl_bench_profiler *profiler, int64_t steps, double seconds);

/* The milliseconds of a step that no op took: the batch, zeroed gradients, records, clipping, the optimizer. */
double hl_bench_profile_rest(const hl_bench_profile *profile);
