/* How a step's time and memory grow with sequence length, width, heads and batch, beside what theory says. */
#ifndef HL_PROGRAMS_BENCH_SCALING_H
#define HL_PROGRAMS_BENCH_SCALING_H

#include "core/status.h"
#include "programs/bench/job.h"

#include <stdio.h>

/* Measures the job's config with task.length, model.d_model, model.heads and train.batch_size halved, as they are,
 * and doubled, one at a time, and prints a row for each to `out`, warnings to `err`. An override of one of these keys
 * says where it begins. A size that the config cannot take has a line that says why. HL_INVALID, before anything is
 * measured, where the config itself is wrong; else fails as hl_bench_process_run does. */
hl_status hl_bench_scaling(const char *program, const hl_bench_job *job, FILE *out, FILE *err);

#endif
