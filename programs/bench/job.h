/* One measurement in this process. programs/bench/process.h runs it in its own process. */
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

/* Whether one of the overrides is of this key ("model.heads"). */
bool hl_bench_job_overrides(const hl_bench_job *job, const char *key);

/* Adds an override. It replaces an override of the same key, because the user may have given a value for a key that
 * varies. HL_INVALID if there are too many. */
hl_status hl_bench_job_vary(hl_bench_job *job, const char *override);

/* The job's config, its threads and overrides applied (hl_load_config), its precision float or bf16
 * (hl_resolve_precision). */
hl_status hl_bench_job_config(const hl_bench_job *job, FILE *err, hl_config *config);

/* The config, and its data opened as for a look at it: of a text made in a temporary folder, where no run or cache has
 * them; progress is told to `err`, or with NULL to nobody. What follows from the data is in the config. */
hl_status hl_bench_job_open(const hl_bench_job *job, FILE *err, hl_config *config, hl_dataset **dataset);

/* Measures in this process; figures that a measurement does not have are 0. HL_INVALID, HL_NO_MEMORY, HL_NOT_FINITE. */
hl_status hl_bench_job_run(const hl_bench_job *job, hl_bench_figures *figures);
