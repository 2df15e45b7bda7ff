#include "programs/bench/job.h"

#include "core/base/threads.h"
#include "programs/open_data.h"
#include "programs/sgemm.h"

#include <stdio.h>
#include <string.h>

const char *const hl_bench_what_names[HL_BENCH_WHATS] = {
    [HL_BENCH_STEP] = "step",
    [HL_BENCH_HEADS] = "heads",
    [HL_BENCH_LOOP] = "loop",
    [HL_BENCH_SGEMM] = "sgemm",
};

/* Whether the override is of the key that these `length` bytes name. Blanks around it do not count (train/config.c). */
static bool is_of_key(const char *override, const char *key, size_t length)
{
    static const char blanks[] = " \t";
    override += strspn(override, blanks);
    if (strncmp(override, key, length) != 0) {
        return false;
    }
    override += length;
    return override[strspn(override, blanks)] == '=';
}

/* The index of the override of that key; n_overrides where there is none. */
static int find_override(const hl_bench_job *job, const char *key, size_t length)
{
    int i = 0;
    while (i < job->config.n_overrides && !is_of_key(job->config.overrides[i], key, length)) {
        i++;
    }
    return i;
}

bool hl_bench_job_overrides(const hl_bench_job *job, const char *key)
{
    return find_override(job, key, strlen(key)) < job->config.n_overrides;
}

hl_status hl_bench_job_vary(hl_bench_job *job, const char *override)
{
    int i = find_override(job, override, strcspn(override, "="));
    if (i == job->config.n_overrides) {
        return hl_named_config_override(&job->config, override);
    }
    job->config.overrides[i] = override;
    return hl_ok();
}

hl_status hl_bench_job_config(const hl_bench_job *job, FILE *err, hl_config *config)
{
    const char *overrides[HL_MAX_OVERRIDES + 1];
    int n = job->config.n_overrides;
    memcpy(overrides, job->config.overrides, (size_t)n * sizeof *overrides);
    char threads[32];
    if (job->threads > 0) {
        snprintf(threads, sizeof threads, "train.threads=%d", job->threads);
        overrides[n++] = threads;
    }
    hl_config_options options = { .path = job->config.path, .overrides = overrides, .n_overrides = n };
    HL_TRY(hl_load_config(options, err, config));
    hl_resolve_precision(config, job->config.path, err);
    return hl_ok();
}

hl_status hl_bench_job_open(const hl_bench_job *job, FILE *err, hl_config *config, hl_dataset **dataset)
{
    HL_TRY(hl_bench_job_config(job, NULL, config));
    hl_data_options options = { .use = HL_DATA_CHECK, .folder = config->train.out, .beside = job->config.path };
    return hl_open_data(config, options, err, dataset);
}

hl_status hl_bench_job_run(const hl_bench_job *job, hl_bench_figures *figures)
{
    *figures = (hl_bench_figures){ 0 };
    if (job->what == HL_BENCH_SGEMM) {
        figures->threads = job->threads > 0 ? job->threads : hl_threads_default();
        return hl_bench_sgemm(figures->threads, job->seconds, &figures->sgemm_gflops);
    }
    hl_config config;
    hl_dataset *dataset;
    HL_TRY(hl_bench_job_open(job, stderr, &config, &dataset));
    if (job->what == HL_BENCH_STEP) {
        return hl_bench_workload(&config, dataset, job->seconds, job->profile, figures);
    }
    hl_dataset_free(dataset);
    return hl_bench_layer(&config, job->seconds, job->what == HL_BENCH_LOOP, figures);
}
