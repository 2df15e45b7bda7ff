#include "programs/bench/process.h"

#include "core/text.h"
#include "programs/bench/json.h"
#include "train/setup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = HL_BENCH_MAX_OVERRIDES + 16, NUMBER_TEXT = 32, NOT_STARTED = 127 };

/* The command line that bench_command.h reads into the job. */
typedef struct arguments {
    char *list[MAX_ARGUMENTS];
    int n;
    char threads[NUMBER_TEXT], seconds[NUMBER_TEXT];
} arguments;

static void add(arguments *a, const char *argument)
{
    a->list[a->n++] = (char *)(size_t)argument; /* exec changes no argument */
}

static void write_arguments(arguments *a, const char *program, const hl_bench_job *job)
{
    *a = (arguments){ 0 };
    snprintf(a->threads, sizeof a->threads, "%d", job->threads);
    snprintf(a->seconds, sizeof a->seconds, "%.9f", job->seconds);
    add(a, program);
    add(a, "--measure");
    add(a, hl_bench_what_names[job->what]);
    add(a, "--seconds");
    add(a, a->seconds);
    if (job->threads > 0) {
        add(a, "--threads");
        add(a, a->threads);
    }
    if (job->profile) {
        add(a, "--profile");
    }
    add(a, "--"); /* a path may begin with dashes */
    if (job->config != NULL) {
        add(a, job->config);
    }
    for (int i = 0; i < job->n_overrides; i++) {
        add(a, job->overrides[i]);
    }
}

static _Noreturn void become(const char *program, const hl_bench_job *job, int output, pid_t parent)
{
    arguments a;
    write_arguments(&a, program, job);
    /* A parent that is gone already will not be noticed any more. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent && dup2(output, STDOUT_FILENO) >= 0) {
        execv(program, a.list);
    }
    _exit(NOT_STARTED);
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

static int wait_for(pid_t process)
{
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/* What the process left: its figures, or why it has none. */
static hl_status judge(const char *program, const hl_bench_job *job, int status, const hl_text *text,
                       hl_bench_figures *figures)
{
    const char *what = job->config != NULL ? job->config : hl_bench_what_names[job->what];
    if (WIFSIGNALED(status)) {
        int signal = WTERMSIG(status);
        return hl_error(HL_FAILED, "%s: the measuring process was killed by signal %d (%s)%s", what, signal,
                        strsignal(signal), signal == SIGKILL ? "; perhaps for want of memory" : "");
    }
    int code = WEXITSTATUS(status);
    if (text->size == 0) {
        return code == NOT_STARTED
                   ? hl_error(HL_FAILED, "%s: cannot be started", program)
                   : hl_error(HL_FAILED, "%s: the measuring process ended with exit code %d and without a word", what,
                              code);
    }
    if (code == 0) {
        return hl_bench_json_read(text->bytes, text->size, figures);
    }
    return hl_error(code <= HL_NO_MEMORY ? (hl_code)code : HL_FAILED, "%s: %.*s", what, (int)strcspn(text->bytes, "\n"),
                    text->bytes);
}

hl_status hl_bench_process_run(const char *program, const hl_bench_job *job, hl_bench_figures *figures)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return hl_error(HL_FAILED, "no pipe to the measuring process: %s", strerror(errno));
    }
    pid_t parent = getpid(), process = fork();
    if (process == 0) {
        close(ends[0]);
        become(program, job, ends[1], parent);
    }
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return hl_error(HL_FAILED, "no process to measure in: %s", strerror(errno));
    }
    hl_text text = { 0 };
    hl_status status = read_all(ends[0], &text);
    close(ends[0]);
    int ended = wait_for(process);
    if (status.code == HL_OK) {
        status = judge(program, job, ended, &text, figures);
    }
    hl_text_free(&text);
    return status;
}

hl_status hl_bench_process_workload(const char *program, const hl_bench_job *job, hl_bench_figures *figures)
{
    hl_config config;
    HL_TRY(hl_bench_job_config(job, &config));
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
