/* One measurement, in this process or in a process of its own: there its peak memory is its own, and no earlier
 * measurement has warmed caches or fragmented memory. */
#pragma once

#include "core/base/status.h"
#include "programs/bench/workload.h"
#include "programs/named_config.h"

typedef enum hl_bench_what {
    HL_BENCH_STEP,  /* a config's training steps */
    HL_BENCH_HEADS, /* its first attention layer, all heads at once */
    HL_BENCH_LOOP,  /* the same, a loop over the heads */
    HL_BENCH_SGEMM, /* large matrix products; without a config */
    HL_BENCH_WHATS,
} hl_bench_what;

/* The words for them: "step", "heads", "loop", "sgemm". */
extern const char *const hl_bench_what_names[HL_BENCH_WHATS];

typedef struct hl_bench_job {
    hl_bench_what what;
    hl_named_config config; /* none of its strings is owned */
    int threads;            /* 0: as the config says, or as the machine allows */
    double seconds;
    bool profile; /* of HL_BENCH_STEP */
} hl_bench_job;

/* The job's config, its threads and overrides applied (hl_load_config), its precision float or bf16
 * (hl_resolve_precision). */
hl_status hl_bench_job_config(const hl_bench_job *job, FILE *err, hl_config *config);

/* The config, and its data opened as for a look at it: of a text made in a temporary folder, where no run or cache has
 * them; progress is told to `err`, or with NULL to nobody. What follows from the data is in the config. */
hl_status hl_bench_job_open(const hl_bench_job *job, FILE *err, hl_config *config, hl_dataset **dataset);

/* Measures in this process; figures that a measurement does not have are 0. HL_INVALID, HL_NO_MEMORY, HL_NOT_FINITE. */
hl_status hl_bench_job_run(const hl_bench_job *job, hl_bench_figures *figures);

/* Runs `program` --measure for the job and waits for its figures. The process dies with this one. HL_INVALID ..
 * HL_NO_MEMORY as the process itself ended, its text after the config's path; HL_FAILED if it could not be
 * started or was killed; HL_BAD_FILE if it said no figures. */
hl_status hl_bench_process_run(const char *program, const hl_bench_job *job, hl_bench_figures *figures);

/* The same for training steps, with the sgemm rate measured once before them, in another process, and once after: the
 * better one counts, since other programs may load the machine. */
hl_status hl_bench_process_workload(const char *program, const hl_bench_job *job, hl_bench_figures *figures);
