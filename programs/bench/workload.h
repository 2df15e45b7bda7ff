/* One config's training steps, measured in this process. */
#ifndef HL_PROGRAMS_BENCH_WORKLOAD_H
#define HL_PROGRAMS_BENCH_WORKLOAD_H

#include "programs/bench/figures.h"
#include "train/config.h"

/* Trains for some `seconds`, after a few updates to warm up, and with `profile` for as long once more with a clock
 * at every op. Writes no file. Allocations count where hl_bench_allocations_count was called before. HL_INVALID,
 * HL_NO_MEMORY, HL_NOT_FINITE. */
hl_status hl_bench_workload(const hl_config *config, double seconds, bool profile, hl_bench_figures *figures);

/* The most memory that the process has held so far, MiB. */
double hl_bench_peak_rss(void);

#endif
