#include "core/files/json.h"
#include "programs/bench/job.h"
#include "programs/bench/json.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/messages.h"
#include "tests/programs/bench/test_bench.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static hl_bench_job job_of(const char *const *overrides)
{
    hl_bench_job job = { .config.path = run_config("x.ini", BENCH_TINY), .seconds = 1 };
    for (; *overrides != NULL; overrides++) {
        CHECK_OK(hl_named_config_override(&job.config, *overrides));
    }
    return job;
}
#define JOB(...) job_of((const char *const[]){ __VA_ARGS__, NULL })

TEST(an_override_is_found_by_its_whole_key)
{
    hl_bench_job job = JOB("model.heads=4", " task.length\t = 9", "model.d_k=");
    ck_assert(hl_named_config_sets(&job.config, "model.heads"));
    ck_assert(hl_named_config_sets(&job.config, "task.length"));
    ck_assert(hl_named_config_sets(&job.config, "model.d_k"));
    ck_assert(!hl_named_config_sets(&job.config, "model.head"));
    ck_assert(!hl_named_config_sets(&job.config, "model.heads=4"));
    ck_assert(!hl_named_config_sets(&job.config, "heads"));
    ck_assert(!hl_named_config_sets(&job.config, "model.d_v"));
}

TEST(a_varied_key_takes_the_place_of_the_users)
{
    hl_bench_job job = JOB("train.seed=3", " task.length = 5");
    hl_named_config_set(&job.config, "task.length=9");
    ck_assert_int_eq(job.config.n_overrides, 2);
    hl_named_config_set(&job.config, "model.heads=1");
    ck_assert_int_eq(job.config.n_overrides, 3);
    hl_config config;
    CHECK_OK(hl_bench_job_config(&job, NULL, &config));
    ck_assert_int_eq(config.task.length, 9);
    ck_assert_int_eq(config.model.heads[0], 1);
    ck_assert_int_eq(config.train.seed, 3);
}

/* What the user says twice stays wrong. */
TEST(a_key_given_twice_is_refused)
{
    hl_bench_job job = JOB("model.heads=1", "model.heads=2");
    hl_config config;
    message_check(hl_bench_job_config(&job, NULL, &config), HL_INVALID, "bench.model_heads_given_twice");
}

TEST(a_config_that_trains_nothing_is_refused)
{
    hl_bench_job job = JOB("model.head=none");
    hl_config config;
    message_check(hl_bench_job_config(&job, NULL, &config), HL_INVALID, "bench.model_head_none_leaves_nothing_to");
}

TEST(there_is_room_for_so_many_overrides)
{
    hl_bench_job job = { 0 };
    for (int i = 0; i < HL_MAX_OVERRIDES; i++) {
        CHECK_OK(hl_named_config_override(&job.config, "train.seed=1"));
    }
    message_check(hl_named_config_override(&job.config, "model.heads=2"), HL_INVALID, "bench.more_than_64_overrides");
    hl_named_config_set(&job.config, "model.heads=2"); /* the program's own have room of their own */
    ck_assert_int_eq(job.config.n_overrides, HL_MAX_OVERRIDES + 1);
    hl_named_config_set(&job.config, "train.seed=2");
    ck_assert_int_eq(job.config.n_overrides, 2);
}

/* ---- in a process of its own ---- */

/* A program that does what the shell script says. */
static const char *fake_program(const char *script)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", scratch_path("fake"));
    const char *content = scratch_format("#!/bin/sh\n%s\n", script);
    scratch_write(path, content, strlen(content));
    ck_assert_int_eq(chmod(path, 0700), 0);
    return path;
}

static hl_status run_fake(const char *script, hl_bench_figures *figures)
{
    hl_bench_job job = { .config.path = "x.ini", .seconds = 0.25, .threads = 2, .profile = true };
    CHECK_OK(hl_named_config_override(&job.config, "model.heads=3"));
    return hl_bench_process_run(fake_program(script), &job, figures);
}

/* ---- the line between the processes ---- */

static hl_bench_figures some_figures(void)
{
    return (hl_bench_figures){ .threads = 2,
                               .steps = 1000,
                               .ms = 1.25,
                               .ms_quarter = 1.125,
                               .ms_3_quarters = 1.5,
                               .tokens_per_second = 3e6,
                               .gflops = 123.5,
                               .flops = 4.5e9,
                               .sgemm_gflops = 247,
                               .peak_rss_mib = 17.5,
                               .arena_mib = 3.25,
                               .allocations_per_step = 0.5,
                               .padding_saved = 0.25,
                               .length = 4096,
                               .batch = 3,
                               .dropout = 0.125,
                               .precision = "float",
                               .profile = { .n_rows = 2,
                                            .rows = { { "linear", true, 9, 0.75, 3e9, 1e6 },
                                                      { "relu", false, 2, 0.25, 0, 2e6 } },
                                            .ms = 1.375 } };
}

TEST(figures_survive_their_line)
{
    hl_bench_figures figures = some_figures(), read;
    hl_text line = { 0 };
    hl_bench_json_line(&line, &figures);
    CHECK_OK(hl_text_status(&line));
    ck_assert_uint_eq(strcspn(line.bytes, "\n"), line.size - 1);
    CHECK_OK(hl_bench_json_read(line.bytes, line.size, &read));
    hl_text_free(&line);
    ck_assert_int_eq(read.threads, 2);
    ck_assert_int_eq(read.steps, 1000);
    const double *a = &figures.ms, *b = &read.ms; /* fourteen numbers in a row */
    for (int i = 0; i < 14; i++) {
        ck_assert_double_eq(a[i], b[i]);
    }
    ck_assert_ptr_eq(&figures.dropout, a + 13);
    ck_assert_str_eq(read.precision, "float");
    ck_assert_int_eq(read.profile.n_rows, 2);
    ck_assert_double_eq(read.profile.ms, 1.375);
    ck_assert_str_eq(read.profile.rows[0].op, "linear");
    ck_assert(read.profile.rows[0].backward && !read.profile.rows[1].backward);
    ck_assert_double_eq(read.profile.rows[0].flops, 3e9);
    ck_assert_double_eq(read.profile.rows[1].bytes, 2e6);
    ck_assert_double_eq(read.profile.rows[1].calls, 2);
    ck_assert_double_eq(read.profile.rows[1].ms, 0.25);
}

TEST(a_line_without_the_figures_is_refused)
{
    static const char *const lines[] = { "", "nonsense", "[]", "{}", "{\"threads\": 2, \"steps\": 3}" };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        hl_bench_figures figures;
        ck_assert_int_eq(hl_bench_json_read(lines[i], strlen(lines[i]), &figures).code, HL_BAD_FILE);
    }
}

/* ---- how processes end ---- */

static void print_line(hl_text *text)
{
    hl_bench_figures figures = some_figures();
    hl_bench_json_line(text, &figures);
}

static void print_report(hl_text *text)
{
    hl_bench_figures workloads[] = { some_figures(), some_figures() };
    strcpy(workloads[1].name, "copy");
    hl_bench_json_report(text, workloads, 2);
}

LOOP_TEST(want_of_memory_for_figures_is_told_and_nothing_lost, 0, 2)
{
    faults_begin();
    hl_json_use_allocator();
    int n = 0;
    while (fault_checks_next(&n, FAULTS_ONCE)) {
        hl_text text = { 0 };
        (_i == 0 ? print_line : print_report)(&text);
        fault_checks_turn(hl_text_status(&text));
        hl_text_free(&text);
    }
    ck_assert_int_gt(n, 20);
    faults_end();
}

TEST(the_job_is_passed_on_whole)
{
    hl_bench_figures figures;
    message_check(run_fake("echo \"$@\"; exit 1", &figures), HL_FAILED, "bench.measure_step_seconds");
}

TEST(a_failure_comes_with_its_text_and_code)
{
    hl_bench_figures figures;
    message_check(run_fake("echo 'out of memory: so much'; exit 5", &figures), HL_NO_MEMORY,
                  "bench.x_ini_out_of_memory_so");
    message_check(run_fake("exit 4", &figures), HL_NOT_FINITE, "bench.x_ini_exit_code_4_without");
    ck_assert_int_eq(run_fake("exit 0", &figures).code, HL_BAD_FILE);
    ck_assert_int_eq(run_fake("echo nonsense", &figures).code, HL_BAD_FILE);
    hl_status status = run_fake("echo more; exit 77", &figures);
    ck_assert_int_eq(status.code, HL_FAILED);
}

TEST(a_killed_process_is_named_so)
{
    hl_bench_figures figures;
    message_check(run_fake("kill -9 $$", &figures), HL_FAILED, "bench.x_ini_killed_by_signal_9");
}

TEST(a_program_that_is_not_there_is_named)
{
    hl_bench_job job = { .what = HL_BENCH_SGEMM, .seconds = 1 };
    hl_bench_figures figures;
    message_check(hl_bench_process_run("/nowhere/bench", &job, &figures), HL_FAILED,
                  "bench.sgemm_cannot_be_started_no_such");
}

/* Whoever starts the program may ignore SIGCHLD; then the system would not keep how a process has ended. */
TEST(an_ignored_sigchld_hides_no_failure)
{
    hl_bench_figures figures;
    signal(SIGCHLD, SIG_IGN);
    hl_status status = run_fake("exit 2", &figures);
    signal(SIGCHLD, SIG_DFL);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_str_eq(status.text, "x.ini: exit code 2, without a message");
}

/* The better sgemm rate of the two processes counts, the other figures are the second one's. */
TEST(the_better_of_two_sgemm_rates_counts)
{
    const char *config = run_config("x.ini", BENCH_TINY);
    const double rates[][2] = { { 300, 200 }, { 200, 300 } };
    for (int i = 0; i < 2; i++) {
        hl_text script = { 0 };
        hl_bench_figures figures = some_figures(), before = { .sgemm_gflops = rates[i][0] };
        figures.sgemm_gflops = rates[i][1];
        hl_text_print(&script, "test $2 = step || exec echo '");
        hl_bench_json_line(&script, &before);
        hl_text_print(&script, "'\nexec echo '");
        hl_bench_json_line(&script, &figures);
        hl_text_print(&script, "'");
        hl_bench_job job = { .config.path = config, .seconds = 1 };
        hl_bench_figures found;
        CHECK_OK(hl_bench_process_workload(fake_program(script.bytes), &job, &found));
        ck_assert_double_eq(found.sgemm_gflops, 300);
        ck_assert_double_eq(found.ms, figures.ms);
        hl_text_free(&script);
    }
}

/* The number that the fake program has written, once it is there. */
static pid_t read_process(const char *path)
{
    for (int i = 0; i < 300; i++) {
        size_t size;
        char *text = scratch_read(path, &size);
        long process = text != NULL && size > 1 && text[size - 1] == '\n' ? strtol(text, NULL, 10) : 0;
        free(text);
        if (process > 0) {
            return (pid_t)process;
        }
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
    return 0;
}

TEST(a_measuring_process_dies_with_its_parent)
{
    const char *path = scratch_format("%s", scratch_path("process"));
    const char *script = scratch_format("echo $$ > %s; exec sleep 60", path);
    const char *program = fake_program(script);
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0); /* it becomes ours when its parent is gone */
    pid_t parent = fork();
    ck_assert_int_ge(parent, 0);
    if (parent == 0) {
        hl_bench_job job = { .config.path = "x.ini", .seconds = 1 };
        hl_bench_figures figures;
        hl_bench_process_run(program, &job, &figures);
        _exit(0);
    }
    pid_t measuring = read_process(path);
    ck_assert_int_gt(measuring, 0);
    int status;
    kill(parent, SIGKILL);
    ck_assert_int_eq(waitpid(parent, &status, 0), parent);
    ck_assert_int_eq(waitpid(measuring, &status, 0), measuring);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* Else it would go on where nobody reads it. */
TEST(a_measuring_process_holds_no_other_end_of_its_output)
{
    hl_bench_figures figures;
    hl_status status = run_fake("own=$(readlink /proc/$$/fd/1)\nfor fd in /proc/$$/fd/*; do\n"
                                "    test \"$(readlink $fd)\" != \"$own\" || n=$((n + 1))\ndone\n"
                                "echo \"$n of ${own%%:*}\"; exit 2",
                                &figures);
    ck_assert_str_eq(status.text, "x.ini: 1 of pipe");
}

SUITE("bench job")
