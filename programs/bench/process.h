/* A measurement in a process of its own: its peak memory is its own, and no earlier measurement has warmed caches or
 * fragmented memory. */
#pragma once

#include "programs/bench/job.h"

/* Runs `program` --measure for the job and waits for its figures. The process dies with this one. HL_INVALID ..
 * HL_NO_MEMORY as the process itself ended, its text after the config's path; HL_FAILED if it could not be
 * started or was killed; HL_BAD_FILE if it said no figures. */
hl_status hl_bench_process_run(const char *program, const hl_bench_job *job, hl_bench_figures *figures);

/* The same for training steps, with the sgemm rate measured once before them, in another process, and once after: the
 * better one counts, since other programs may load the machine. */
hl_status hl_bench_process_workload(const char *program, const hl_bench_job *job, hl_bench_figures *figures);
