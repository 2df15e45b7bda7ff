#include "tests/runs/kills.h"

#include "tests/runs/sweeps.h"
#include "tests/scratch.h"

#include <check.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 150, MOST_TRIALS_A_HIT = 20, TRIALS_A_MEASUREMENT = 10 };

/* ---- chance and time ---- */

/* 0 .. below - 1; the same numbers in every test. */
static int chance(int below)
{
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    return (int)((state >> 8) % (uint32_t)below);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void pause_by_chance(double most)
{
    double pause = most * chance(10000) / 10000;
    nanosleep(&(struct timespec){ .tv_sec = (time_t)pause, .tv_nsec = (long)((pause - (double)(time_t)pause) * 1e9) },
              NULL);
}

/* What finish(folder) takes, in a folder of its own. To be measured again and again: the machine's other work comes and
 * goes, and moments beyond the end hit nothing. */
static double seconds_of(void (*finish)(const char *folder))
{
    const char *folder = run_path("timed");
    double begin = seconds();
    finish(folder);
    double found = seconds() - begin;
    scratch_remove(folder);
    return found;
}

/* ---- process groups ---- */

static void lead_a_group(void)
{
    setpgid(0, 0);
}

/* Kills all of the group of a process started with lead_a_group. */
static void kill_group(pid_t process)
{
    setpgid(process, process); /* it may not have come to do so itself */
    kill(-process, SIGKILL);
}

/* ---- runs ---- */

static pid_t start_run(const char *folder, const char *threads)
{
    const char *arguments[] = { run_tiny_config(),
                                "train.steps=150",
                                "train.log_every=1",
                                "train.checkpoint_every=10",
                                "train.keep_checkpoints=2",
                                "patterns.every=15",
                                threads,
                                "--resume",
                                "--out",
                                folder,
                                NULL };
    return run_start((run_options){ .arguments = arguments, .built = true, .before = lead_a_group });
}

static void finish_run(const char *folder, const char *threads)
{
    OK(run_wait(start_run(folder, threads)));
}

static void finish_run_alone(const char *folder)
{
    finish_run(folder, "train.threads=1");
}

static void count_hit(const char *folder, kill_counts *counts)
{
    int64_t step = run_weights_step(run_file(folder, "checkpoint.safetensors"));
    bool begun = scratch_exists(run_file(folder, "metrics.csv"));
    counts->hits++;
    counts->starting += step < 0 && !begun;
    counts->before += step < 0 && begun;
    counts->during += step >= 0 && step < STEPS;
    counts->end += step == STEPS;
}

/* Whether it was hit; else it has come to its end. */
static bool kill_run(const char *folder, const char *threads, double most)
{
    pid_t process = start_run(folder, threads);
    pause_by_chance(most);
    kill_group(process);
    run_result run = run_wait(process);
    ck_assert_msg(run.code == 0 || run.code == RUN_KILLED + SIGKILL, "exit code %d: %s", run.code, run.err);
    return run.code != 0;
}

static void compare_runs(const char *straight, const char *folder)
{
    run_assert_same(straight, folder);
    ck_assert_str_eq(run_list(straight), run_list(folder));
    static const char *const others[] = { "heads.csv", "checkpoint-130.safetensors", "checkpoint-140.safetensors" };
    for (int i = 0; i < 3; i++) {
        run_assert_same_file(straight, folder, others[i]);
    }
}

kill_counts kills_of_runs(int n)
{
    static const char *const threads[] = { "train.threads=1", "train.threads=2" };
    const char *straight = run_path("straight"), *folder = run_path("killed");
    finish_run_alone(straight);
    double most = 0;
    kill_counts counts = { 0 };
    for (int trial = 0; counts.hits < n; trial++) {
        ck_assert_int_lt(trial, MOST_TRIALS_A_HIT * n);
        most = trial % TRIALS_A_MEASUREMENT == 0 ? seconds_of(finish_run_alone) : most;
        if (kill_run(folder, threads[trial % 2], most)) {
            count_hit(folder, &counts);
            if (counts.hits < n) {
                continue;
            }
            finish_run(folder, threads[trial % 2]);
        }
        compare_runs(straight, folder);
        counts.finished++;
        scratch_remove(folder);
    }
    return counts;
}

/* ---- sweeps ---- */

static const char *const cells[] = { "heads=1,seed=1", "heads=1,seed=2", "heads=2,seed=1", "heads=2,seed=2" };

static pid_t start_sweep(const char *folder, const char *jobs, run_options options)
{
    const char *arguments[] = {
        run_tiny_config(), "patterns.every=6", "--heads", "1,2", "--seeds", "2", "--jobs", jobs, "--out", folder, NULL
    };
    options.arguments = arguments;
    options.program = sweep_program;
    return run_start(options);
}

static void finish_sweep(const char *folder)
{
    run_result run = run_wait(start_sweep(folder, "2", (run_options){ 0 }));
    ck_assert_msg(run.code == 0, "exit code %d: %s\n%s", run.code, run.err, run.out);
}

static void compare_sweeps(const char *straight, const char *folder)
{
    ck_assert_str_eq(sweep_untimed(straight), sweep_untimed(folder));
    ck_assert_str_eq(run_list(straight), run_list(folder));
    for (int i = 0; i < 4; i++) {
        const char *its = run_file(straight, cells[i]), *other = run_file(folder, cells[i]);
        run_assert_same(its, other);
        run_assert_same_file(its, other, "heads.csv");
        ck_assert_str_eq(run_list(its), run_list(other));
    }
}

/* Whether the sweep says so. */
static bool says_killed(const run_result *run)
{
    return run->code == 1 && strstr(run->out, "failed: killed by signal 9") != NULL;
}

/* Kills one of the trainings, if there is one. */
static void kill_training(const char *folder, pid_t sweep)
{
    pid_t training;
    if (sweep_processes(folder, sweep, &training) > 0) {
        kill(training, SIGKILL);
    }
}

/* Whether it has come to its end. */
static bool kill_sweep(const char *folder, double most, kill_counts *counts)
{
    bool itself = chance(2) == 0;
    pid_t process = start_sweep(folder, "2", (run_options){ .before = lead_a_group });
    pause_by_chance(most);
    if (itself) {
        kill_group(process);
    } else {
        kill_training(folder, process);
    }
    run_result run = run_wait(process);
    bool hit = itself ? run.code == RUN_KILLED + SIGKILL : says_killed(&run);
    ck_assert_msg(run.code == 0 || hit, "exit code %d: %s\n%s", run.code, run.err, run.out);
    counts->hits += hit;
    counts->parents += hit && itself;
    counts->trainings += hit && !itself;
    return run.code == 0;
}

kill_counts kills_of_sweeps(int n)
{
    const char *straight = run_path("straight"), *folder = run_path("killed");
    finish_sweep(straight);
    double most = 0;
    kill_counts counts = { 0 };
    for (int trial = 0; counts.hits < n; trial++) {
        ck_assert_int_lt(trial, MOST_TRIALS_A_HIT * n);
        most = trial % TRIALS_A_MEASUREMENT == 0 ? seconds_of(finish_sweep) : most;
        if (!kill_sweep(folder, most, &counts)) {
            if (counts.hits < n) {
                continue;
            }
            finish_sweep(folder);
        }
        compare_sweeps(straight, folder);
        counts.finished++;
        scratch_remove(folder);
    }
    return counts;
}

int kills_of_calls(int n)
{
    const char *straight = run_path("straight"), *folder = run_path("killed");
    finish_sweep(straight);
    double most = 0;
    int hits = 0;
    for (int trial = 0; hits < n; trial++) {
        ck_assert_int_lt(trial, MOST_TRIALS_A_HIT * n);
        most = trial % TRIALS_A_MEASUREMENT == 0 ? seconds_of(finish_sweep) : most;
        pid_t calls[3];
        int n_calls = 2 + trial % 2, victim = chance(n_calls);
        for (int i = 0; i < n_calls; i++) {
            calls[i] = start_sweep(folder, "1", (run_options){ .built = true, .built_program = HL_ABLATE_PROGRAM });
        }
        pause_by_chance(most);
        kill(calls[victim], SIGKILL);
        for (int i = 0; i < n_calls; i++) {
            run_result run = run_wait(calls[i]);
            bool hit = i == victim && run.code == RUN_KILLED + SIGKILL;
            ck_assert_msg(run.code == 0 || hit, "exit code %d: %s\n%s", run.code, run.err, run.out);
            hits += hit;
        }
        compare_sweeps(straight, folder);
        scratch_remove(folder);
    }
    return hits;
}

int kills_of_sweeps_at_calls(int stride)
{
    const char *straight = run_path("straight"), *folder = run_path("killed");
    finish_sweep(straight);
    int hits = 0, code = RUN_KILLED + SIGKILL;
    for (int n = 1; code != 0; n += stride) {
        killing_files_set(n, SIGKILL, KILLING_AT_ALL_CALLS); /* it writes no snapshot */
        code = run_wait(start_sweep(folder, "2", (run_options){ .before = killing_files_begin })).code;
        ck_assert_msg(code == 0 || code == RUN_KILLED + SIGKILL, "killed at %d: exit code %d", n, code);
        hits += code != 0;
        finish_sweep(folder);
        compare_sweeps(straight, folder);
        scratch_remove(folder);
    }
    return hits;
}
