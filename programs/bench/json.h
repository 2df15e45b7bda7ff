/* Figures as JSON: from a measuring process to the one that started it, and to the user. */
#pragma once

#include "core/base/status.h"
#include "core/base/text.h"
#include "programs/bench/machine.h"
#include "programs/bench/workload.h"

/* Adds one line. HL_NO_MEMORY is left on the text. */
void hl_bench_json_line(hl_text *text, const hl_bench_figures *figures);

/* Reads such a line of `size` bytes. HL_BAD_FILE if it is no such line; HL_NO_MEMORY. */
hl_status hl_bench_json_read(const char *line, size_t size, hl_bench_figures *figures);

/* The whole report: {"sgemm_gflops", "threads", "core", "versions": {"headlight", "compiler", "openblas", "libxsmm"},
 * "workloads":
 * [{"name", "precision", "dropout", "length", "batch", "ms_median", ...}]} (docs/formats.md), all of
 * hl_bench_machine_software in it. sgemm_gflops is the best of all. Out of memory is left on the text. */
void hl_bench_json_report(hl_text *text, const hl_bench_figures *workloads, int n);
