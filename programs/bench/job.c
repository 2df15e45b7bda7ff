#include "programs/bench/job.h"

#include "core/base/threads.h"
#include "programs/bench/json.h"
#include "programs/child.h"
#include "programs/open_data.h"
#include "programs/timing.h"
#include "train/setup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- in this process ---- */

const char *const hl_bench_what_names[HL_BENCH_WHATS] = {
    [HL_BENCH_STEP] = "step",
    [HL_BENCH_HEADS] = "heads",
    [HL_BENCH_LOOP] = "loop",
    [HL_BENCH_SGEMM] = "sgemm",
};

hl_status hl_bench_job_config(const hl_bench_job *job, FILE *err, hl_config *config)
{
    hl_named_config named = job->config;
    char threads[32];
    if (job->threads > 0) {
        snprintf(threads, sizeof threads, "train.threads=%d", job->threads);
        named.overrides[named.n_overrides++] = threads; /* beside one of the user's, which is then refused */
    }
    hl_config_options options = { .path = named.path, .overrides = named.overrides, .n_overrides = named.n_overrides };
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

/* ---- in a process of its own ---- */

enum { MAX_ARGUMENTS = HL_MAX_OVERRIDES + HL_OWN_OVERRIDES + 16, NUMBER_TEXT = 32 };

/* The command line that programs/bench/command.h reads into the job. */
typedef struct arguments {
    const char *list[MAX_ARGUMENTS]; /* the last followed by NULL */
    char threads[NUMBER_TEXT], seconds[NUMBER_TEXT];
} arguments;

static void write_arguments(arguments *a, const char *program, const hl_bench_job *job)
{
    *a = (arguments){ .list = { program, "--measure", hl_bench_what_names[job->what], "--seconds", a->seconds } };
    const char **next = a->list + 5;
    snprintf(a->threads, sizeof a->threads, "%d", job->threads);
    snprintf(a->seconds, sizeof a->seconds, "%.9f", job->seconds);
    if (job->threads > 0) {
        *next++ = "--threads";
        *next++ = a->threads;
    }
    if (job->profile) {
        *next++ = "--profile";
    }
    *next++ = "--"; /* a path may begin with dashes */
    if (job->config.path != NULL) {
        *next++ = job->config.path;
    }
    memcpy(next, job->config.overrides, (size_t)job->config.n_overrides * sizeof *next);
}

static hl_status read_all(int fd, hl_text *text)
{
    char buffer[4096];
    for (;;) {
        ssize_t count = read(fd, buffer, sizeof buffer);
        if (count < 0 && errno != EINTR) {
            return hl_error(HL_FAILED, "cannot read from the measuring process: %s", strerror(errno));
        }
        if (count == 0) {
            return hl_text_status(text);
        }
        if (count > 0) {
            hl_text_print(text, "%.*s", (int)count, buffer);
        }
    }
}

/* Reads the process's figures, or why it has none. */
static hl_status judge(const hl_bench_job *job, int end, const hl_text *text, hl_bench_figures *figures)
{
    const char *said = text->size > 0 ? text->bytes : "";
    if (end == 0) {
        return hl_bench_json_read(said, text->size, figures);
    }
    char line[HL_STATUS_TEXT];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(said, "\n"), said);
    hl_status status = hl_child_failure(end, line);
    return hl_error(status.code, "%s: %s", job->config.path != NULL ? job->config.path : hl_bench_what_names[job->what],
                    status.text);
}

hl_status hl_bench_process_run(const char *program, const hl_bench_job *job, hl_bench_figures *figures)
{
    int ends[2], end = 0;
    if (pipe(ends) != 0) {
        return hl_error(HL_FAILED, "no pipe to the measuring process: %s", strerror(errno));
    }
    for (int i = 0; i < 2; i++) { /* the child has its standard output alone: with both ends it would hear of no end */
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    }
    arguments a;
    pid_t child;
    hl_text text = { 0 };
    write_arguments(&a, program, job);
    hl_status status = hl_child_start(a.list, ends[1], STDERR_FILENO, &child);
    bool started = status.code == HL_OK;
    close(ends[1]);
    HL_THEN(status, read_all(ends[0], &text));
    close(ends[0]); /* before the wait: a child that still writes ends then */
    if (started) {
        hl_child_ended(child, true, &end);
    }
    HL_THEN(status, judge(job, end, &text, figures));
    hl_text_free(&text);
    return status;
}

hl_status hl_bench_process_workload(const char *program, const hl_bench_job *job, hl_bench_figures *figures)
{
    hl_config config;
    HL_TRY(hl_bench_job_config(job, NULL, &config));
    hl_bench_job sgemm = { .what = HL_BENCH_SGEMM, .threads = hl_setup_threads(&config), .seconds = 0.3 };
    sgemm.seconds = job->seconds < sgemm.seconds ? job->seconds : sgemm.seconds;
    hl_bench_figures before;
    HL_TRY(hl_bench_process_run(program, &sgemm, &before));
    HL_TRY(hl_bench_process_run(program, job, figures));
    if (before.sgemm_gflops > figures->sgemm_gflops) {
        figures->sgemm_gflops = before.sgemm_gflops;
    }
    return hl_ok();
}
