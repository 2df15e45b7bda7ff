/* The result of one measurement. */
#ifndef HL_PROGRAMS_BENCH_FIGURES_H
#define HL_PROGRAMS_BENCH_FIGURES_H

#include "programs/bench/profile.h"

#include <stdint.h>

/* A step is what was repeated: an update of the weights, or a layer's pass forward and backward. */
typedef struct hl_bench_figures {
    int threads;
    int64_t steps;                        /* timed ones */
    double ms, ms_quarter, ms_3_quarters; /* of a step: the median and the quartiles, milliseconds */
    double tokens_per_second;             /* real tokens */
    double gflops;                        /* 10^9 floating-point operations of matrix products a second */
    double flops;                         /* of a step, the mean */
    double sgemm_gflops;                  /* what large products alone reach on the same threads */
    double peak_rss_mib;                  /* of the process that ran the steps, all of it */
    double arena_mib;                     /* of that: a step's activations, their gradients, scratch */
    double allocations_per_step;          /* as programs/bench/allocations.h counts them */
    hl_bench_profile profile;             /* no rows unless it was asked for */
} hl_bench_figures;

#endif
