/* The four ways of bench: workloads one after the other, sizes doubled one at a time, heads compared, and several
 * processes. */
#pragma once

#include "core/base/status.h"
#include "programs/bench/command.h"
#include "train/ranks/ranks.h"

#include <stdio.h>

enum { HL_BENCH_USUAL = 5, HL_BENCH_SHIPPED = 10 };

/* The configs of the workloads that have names (hl_shipped_config); bench measures the first HL_BENCH_USUAL if it is
 * given none. */
extern const char *const hl_bench_shipped[HL_BENCH_SHIPPED];

/* The path of a config that the user names, in new memory (hl_free): hl_find_config, but that a workload's name, as
 * "t1024", means its config where there is no such file. HL_INVALID of a word that is neither; else fails as it and
 * hl_shipped_config do. */
hl_status hl_bench_find_config(const char *program, const char *name, char **path);

/* Measures every config of the command, a file or a workload's name, and prints its row to `out` as soon as it is
 * known; with --json - the JSON goes to `out` and the tables to `err`, where warnings go too. All configs are read
 * before the first is measured. The first failure ends it: HL_INVALID, HL_BAD_FILE (a shipped config that is not there,
 * a JSON file that cannot be written), or what the measuring process said. */
hl_status hl_bench_runs(const char *program, const hl_bench_command *command, FILE *out, FILE *err);

/* Measures the job's config with task.length, model.d_model, model.heads and train.batch_size halved, as they are,
 * and doubled, one at a time, and prints a row for each to `out`, warnings to `err`. An override of one of these keys
 * says where it begins. A size that the config cannot take has a line that says why. HL_INVALID, before anything is
 * measured, where the config itself is wrong; else fails as hl_bench_process_run does. */
hl_status hl_bench_scaling(const char *program, const hl_bench_job *job, FILE *out, FILE *err);

/* Two comparisons: all heads of a layer at once against a loop over them, and one head against several. Measures both
 * for the job's config and prints two tables and what they mean to `out`, warnings to `err`. For the
 * second comparison the config's own heads, key/value heads and widths are replaced: by 1 and by 8 heads of width
 * d_model / heads, or with an override of model.heads by that number instead of 8. HL_INVALID, before anything is
 * measured, where the config is wrong, d_model is no multiple of the number, that is no single one above 1, or
 * key/value heads or widths are overridden; else fails as hl_bench_process_run does. */
hl_status hl_bench_heads(const char *program, const hl_bench_job *job, FILE *out, FILE *err);

/* What a step takes with several processes, by a model of what it computes and exchanges, and measured. All ranks call
 * it, with the same job; rank 0 prints to `out`. Measures messages between the first and the last rank, and what one
 * process computes of a step of 1, 2, 4 ... and of ranks->n processes, up to train.leaves, which with cluster_cost.h
 * is the time expected; then steps of these ranks together. HL_INVALID: fewer than two ranks, or more than
 * train.leaves; else fails as hl_bench_workload does, on all ranks alike. */
hl_status hl_bench_cluster(const hl_bench_job *job, hl_ranks *ranks, FILE *out);
