/* Two comparisons: all heads of a layer at once against a loop over them, and one head against several. */
#ifndef HL_PROGRAMS_BENCH_HEADS_H
#define HL_PROGRAMS_BENCH_HEADS_H

#include "core/status.h"
#include "programs/bench/job.h"

#include <stdio.h>

/* Measures both for the job's config and prints two tables and what they mean to `out`, warnings to `err`. For the
 * second comparison the config's own heads, key/value heads and widths are replaced: by 1 and by 8 heads of width
 * d_model / heads, or with an override of model.heads by that number instead of 8. HL_INVALID, before anything is
 * measured, where the config is wrong, d_model is no multiple of the number, that is no single one above 1, or
 * key/value heads or widths are overridden; else fails as hl_bench_process_run does. */
hl_status hl_bench_heads(const char *program, const hl_bench_job *job, FILE *out, FILE *err);

#endif
