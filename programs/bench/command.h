/* The command line of `bench`. */
#pragma once

#include "core/base/status.h"
#include "programs/bench/job.h"

#include <stdbool.h>

enum { HL_BENCH_MAX_CONFIGS = 64 };

typedef struct hl_bench_command {
    const char *configs[HL_BENCH_MAX_CONFIGS]; /* paths; all strings belong to argv */
    int n_configs;                             /* 0: the shipped ones */
    hl_bench_job job;                          /* what all configs share: overrides, threads, seconds, profile */
    const char *json;                          /* a path; "-": standard output, or NULL */
    bool scaling, heads, cluster, measure, help, version;
} hl_bench_command;

/* HL_INVALID, saying what is wrong and how to mend it. An argument with "=" in it is an override, unless it ends in
 * ".ini". */
hl_status hl_bench_command_parse(int argc, char **argv, hl_bench_command *command);

/* The text of --help, from the folder help/. "{heads}" and the like stand for the names of programs. */
extern const char hl_bench_help_usage[];
