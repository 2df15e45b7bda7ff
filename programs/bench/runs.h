/* Workloads one after the other, as a table and as JSON. */
#ifndef HL_PROGRAMS_BENCH_RUNS_H
#define HL_PROGRAMS_BENCH_RUNS_H

#include "core/status.h"
#include "programs/bench/command.h"

#include <stdio.h>

enum { HL_BENCH_SHIPPED = 5 };

/* The configs that bench measures where it is given none, in the order of their arithmetic (hl_shipped_config). */
extern const char *const hl_bench_shipped[HL_BENCH_SHIPPED];

/* Measures every config of the command and prints its row to `out` as soon as it is known; with --json - the JSON
 * goes to `out` and the tables to `err`, where warnings go too. All configs are read before the first is measured. The
 * first failure ends it: HL_INVALID, HL_BAD_FILE (a shipped config that is not there, a JSON file that cannot be
 * written), or what the measuring process said. */
hl_status hl_bench_runs(const char *program, const hl_bench_command *command, FILE *out, FILE *err);

#endif
