#include "programs/bench/workload.h"

#include "core/base/memory.h"
#include "programs/timing.h"
#include "train/trainer.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* ---- allocations ---- */

/* The table's functions are given no context, and any thread may call them. */
static atomic_llong n_allocations;

static void *allocate(size_t bytes)
{
    enum { ALIGNMENT = 64 };
    size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    n_allocations++;
    return rounded < bytes ? NULL : aligned_alloc(ALIGNMENT, rounded);
}

static void *reallocate(void *block, size_t bytes)
{
    n_allocations++;
    return realloc(block, bytes);
}

void hl_bench_allocations_count(void)
{
    static const hl_allocator counting = { allocate, reallocate, free };
    hl_allocator_set(&counting);
}

int64_t hl_bench_allocations(void)
{
    return n_allocations;
}

/* ---- training steps ---- */

enum { WARM_UP_UPDATES = 3 };
static const double SGEMM_SECONDS = 0.3; /* at most */

typedef struct workload {
    hl_trainer trainer;
    double tokens, padded, flops; /* of all updates; padded: tokens and what padding would add to them */
    int64_t allocations, longest; /* the latter an example's tokens */
} workload;

static hl_status update_once(void *context)
{
    workload *w = context;
    hl_update update;
    int64_t before = n_allocations;
    HL_TRY(hl_trainer_update(&w->trainer, &update));
    w->allocations += n_allocations - before;
    const hl_batch *batch = &w->trainer.batch.batch;
    w->tokens += (double)update.tokens;
    w->padded += (double)batch->n_examples * (double)batch->longest;
    w->longest = batch->longest > w->longest ? batch->longest : w->longest;
    w->flops += update.flops;
    return hl_ok();
}

double hl_bench_peak_rss(void)
{
    struct rusage usage = { 0 };
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024; /* Linux counts it in KiB */
}

static hl_status time_updates(workload *w, double seconds, hl_bench_figures *figures)
{
    for (int i = 0; i < WARM_UP_UPDATES; i++) {
        HL_TRY(update_once(w));
    }
    w->tokens = w->padded = w->flops = 0;
    w->allocations = w->longest = 0;
    hl_bench_times times;
    HL_TRY(hl_bench_repeat(HL_BENCH_LEAST_REPEATS, seconds, update_once, w, &times));
    double n = (double)times.n;
    *figures = (hl_bench_figures){
        .threads = w->trainer.threads,
        .steps = times.n,
        .ms = 1e3 * times.median,
        .ms_quarter = 1e3 * times.quarter,
        .ms_3_quarters = 1e3 * times.three_quarters,
        .tokens_per_second = w->tokens / n / times.median,
        .gflops = 1e-9 * w->flops / n / times.median,
        .flops = w->flops / n,
        .arena_mib = (double)w->trainer.arena.capacity / (1 << 20),
        .allocations_per_step = (double)w->allocations / n,
        .peak_rss_mib = hl_bench_peak_rss(),
        .padding_saved = 1 - w->tokens / w->padded,
        .length = (double)w->longest,
        .batch = (double)w->trainer.batch.batch.n_examples,
        .dropout = w->trainer.config->dropout,
    };
    bool bf16 = w->trainer.config->train.precision == HL_PRECISION_BF16;
    snprintf(figures->precision, sizeof figures->precision, "%s", bf16 ? "bf16" : "float");
    return hl_ok();
}

/* Measured apart from the other figures: the clock at every op costs time. */
static hl_status profile_updates(workload *w, double seconds, hl_bench_profile *profile)
{
    hl_bench_profiler profiler = { 0 };
    hl_tape_observer observer = hl_bench_profiler_observer(&profiler);
    hl_bench_times times;
    w->trainer.observer = &observer;
    HL_TRY(hl_bench_repeat(HL_BENCH_LEAST_REPEATS, seconds, update_once, w, &times));
    *profile = hl_bench_profiler_result(&profiler, times.n, times.mean * (double)times.n);
    return hl_ok();
}

hl_status hl_bench_workload(const hl_config *config, hl_dataset *dataset, double seconds, bool profile,
                            hl_bench_figures *figures)
{
    workload w = { 0 };
    double sgemm_seconds = seconds < SGEMM_SECONDS ? seconds : SGEMM_SECONDS;
    hl_status status = hl_trainer_reserve(&w.trainer, config, dataset, NULL);
    if (status.code == HL_OK) {
        hl_trainer_draw(&w.trainer);
    }
    HL_THEN(status, time_updates(&w, seconds, figures));
    HL_THEN(status, hl_bench_sgemm(figures->threads, sgemm_seconds, &figures->sgemm_gflops));
    if (profile) {
        HL_THEN(status, profile_updates(&w, seconds, &figures->profile));
    }
    hl_trainer_free(&w.trainer);
    return status;
}
