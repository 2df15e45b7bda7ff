/* Two comparisons: all heads of a layer at once against a loop over them, and one head against eight. */
#ifndef HL_TRAIN_BENCH_HEADS_H
#define HL_TRAIN_BENCH_HEADS_H

#include "core/status.h"
#include "train/bench_job.h"

#include <stdio.h>

/* Measures both for the job's config and prints two tables and what they mean to `out`. For the second comparison
 * the config's own heads, key/value heads and widths are replaced; d_model must be a multiple of 8. Fails as
 * hl_bench_process_run does. */
hl_status hl_bench_heads(const char *program, const hl_bench_job *job, FILE *out);

#endif
