/* A wall clock that goes back by an hour whenever it is read: durations and rates must be measured by another clock. */
#define _DEFAULT_SOURCE /* syscall, gettimeofday */
#include "programs/heads/program.h"
#include "tests/check_suite.h"
#include "tests/runs/sweeps.h"
#include "train/metrics_csv.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* ---- the clock ---- */

/* Replaces the C library's function for this program and the libraries it has loaded. */
static bool runs_backwards;
static time_t set_back;

static bool is_a_calendars(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    long result = syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && runs_backwards && is_a_calendars(clock)) {
        now->tv_sec -= __atomic_add_fetch(&set_back, 3600, __ATOMIC_RELAXED);
    }
    return (int)result;
}

time_t time(time_t *seconds)
{
    struct timespec now = { 0 };
    clock_gettime(CLOCK_REALTIME, &now);
    if (seconds != NULL) {
        *seconds = now.tv_sec;
    }
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    (void)zone;
    struct timespec exact = { 0 };
    int result = clock_gettime(CLOCK_REALTIME, &exact);
    *now = (struct timeval){ .tv_sec = exact.tv_sec, .tv_usec = exact.tv_nsec / 1000 };
    return result;
}

static void set_it_back(void)
{
    runs_backwards = true;
    time_t before = time(NULL);
    ck_assert_int_lt(time(NULL), before);
}

/* ---- what is told ---- */

static run_result run_set_back(int (*program)(int, char **, FILE *, FILE *), const char *const *arguments)
{
    run_result run = OK(run_with((run_options){ .arguments = arguments, .program = program, .before = set_it_back }));
    return run;
}

/* Whether a line says how long it will take, in whole seconds of less than a minute. */
static bool has_a_short_time_left(const char *line)
{
    const char *left = strstr(line, " s left\n");
    int seconds;
    return left != NULL && left - line > 3 && sscanf(left - 3, " %d s left", &seconds) == 1 && seconds >= 0 &&
           strncmp(left - 3, "  ", 2) == 0;
}

TEST(a_runs_rates_and_results_are_as_ever)
{
    const char *config = run_tiny_config(), *straight = TINY_RUN("straight"), *folder = run_path("run");
    run_result run = run_set_back(NULL, (const char *[]){ config, "--out", folder, NULL });
    run_assert_same(straight, folder);
    int rows = 0;
    const char *line = strchr(run_read(run_file(folder, "metrics.csv")), '\n') + 1;
    for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1, rows++) {
        hl_metrics_row row;
        ck_assert(hl_metrics_row_read(line, (size_t)(end - line), &row));
        ck_assert(row.tokens_per_second > 1 && row.tokens_per_second < 1e9);
    }
    ck_assert_int_eq(rows, 19);
    int told = 0;
    for (line = run.out; line != NULL && *line != '\0'; line = strchr(line, '\n') + 1) {
        if (strncmp(line, "step ", 5) == 0 && strstr(line, "tok/s") != NULL &&
            strstr(line, "tok/s") < strchr(line, '\n')) {
            ck_assert(has_a_short_time_left(line));
            told++;
        }
    }
    ck_assert_int_eq(told, 12);
}

TEST(a_sweeps_seconds_and_results_are_as_ever)
{
    const char *config = run_tiny_config(), *straight = run_path("straight"), *folder = run_path("sweep");
    OK(ABLATE(config, "--heads", "1", "--seeds", "1", "--out", straight));
    run_set_back(sweep_program, (const char *[]){ config, "--heads", "1", "--seeds", "1", "--out", folder, NULL });
    ck_assert_str_eq(sweep_untimed(straight), sweep_untimed(folder));
    const char *csv = sweep_csv(folder);
    int rows = 0;
    for (const char *done = csv; (done = strstr(done, ",done\n")) != NULL; done++, rows++) {
        const char *seconds = done;
        while (seconds[-1] != ',') {
            seconds--;
        }
        double taken = strtod(seconds, NULL);
        ck_assert_msg(taken > 0 && taken < 600, "%s", csv);
    }
    ck_assert_int_eq(rows, 2);
}

/* The last column: milliseconds for a batch. */
TEST(the_times_of_pruned_models_are_as_ever)
{
    const char *folder = TINY_RUN("run");
    run_result run = run_set_back(hl_heads_program, (const char *[]){ "prune", folder, "--csv", "-", NULL });
    int rows = 0;
    for (const char *line = strchr(run.out, '\n') + 1; *line != '\0'; line = strchr(line, '\n') + 1, rows++) {
        const char *end = strchr(line, '\n'), *ms = end;
        while (ms[-1] != ',') {
            ms--;
        }
        double taken = strtod(ms, NULL);
        ck_assert_msg(taken > 0 && taken < 10000, "%s", run.out);
    }
    ck_assert_int_gt(rows, 1);
}

SUITE("clock")
