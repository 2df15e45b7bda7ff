/* One measurement in this process: a config's training steps, or its first attention layer in the two ways that it can
 * be written. */
#pragma once

#include "data/dataset.h"
#include "programs/bench/profile.h"
#include "train/config.h"

/* A step is what was repeated: an update of the weights, or a layer's pass forward and backward. */
typedef struct hl_bench_figures {
    char name[64]; /* of a workload; "" of what is none */
    int threads;
    int64_t steps;                        /* timed ones */
    double ms, ms_quarter, ms_3_quarters; /* of a step: the median and the quartiles, milliseconds */
    double tokens_per_second;             /* real tokens */
    double gflops;                        /* 10^9 floating-point operations of matrix products a second */
    double flops;                         /* of a step, the mean */
    double sgemm_gflops;                  /* what large products alone reach on the same threads */
    double peak_rss_mib;                  /* of the process that ran the steps, all of it */
    double arena_mib;                     /* of that: a step's activations, their gradients, scratch */
    double allocations_per_step;          /* as hl_bench_allocations_count counts them */
    double padding_saved;                 /* 1 - real tokens / (examples x the longest of their batch) */
    double length;                        /* the longest example of all steps, tokens */
    double batch;                         /* examples of a step */
    double dropout;                       /* model.dropout */
    char precision[8];                    /* train.precision, "float" or "bf16"; "" of what is no training step */
    hl_bench_profile profile;             /* no rows unless it was asked for */
} hl_bench_figures;

/* Counts allocations from now on: those through core/base/memory.h, by Headlight and by libraries that use its
 * allocator, resized blocks too. Other memory is not counted: that of OpenMP and OpenBLAS, and the code that LIBXSMM
 * generates for products of a new shape, for example when a batch is longer or shorter than any before. Blocks that
 * were allocated before may still be resized and freed. */
void hl_bench_allocations_count(void);

/* The number of them so far. */
int64_t hl_bench_allocations(void);

/* Trains for some `seconds`, after a few updates to warm up, and with `profile` for as long once more with a clock at
 * every op. Writes no file. The data are the config's and pass to this, whatever it returns. Allocations count where
 * hl_bench_allocations_count was called before. HL_INVALID, HL_NO_MEMORY, HL_NOT_FINITE. */
hl_status hl_bench_workload(const hl_config *config, hl_dataset *dataset, double seconds, bool profile,
                            hl_bench_figures *figures);

/* The most memory that the process has held so far, MiB. */
double hl_bench_peak_rss(void);

/* Measures the attention of the config's first layer, without dropout, on a batch of random numbers of the config's
 * size and in its precision: all heads at once, as model.attention says, or, `looped`, primitive ops in a loop over the
 * heads. HL_INVALID, HL_NO_MEMORY. */
hl_status hl_bench_layer(const hl_config *config, double seconds, bool looped, hl_bench_figures *figures);
