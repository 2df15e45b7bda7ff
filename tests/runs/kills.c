#include "tests/runs/kills.h"

#include "tests/faults.h"
#include "tests/runs/sweeps.h"
#include "tests/scratch.h"

#include <check.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 150, MOST_TRIALS_A_HIT = 20, TRIALS_A_MEASUREMENT = 10, MORE_CALLS_THAN_IT_MAKES = 10000 };

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

/* ---- kills at file calls ---- */

static struct {
    int n, signal;
    killing_scope scope;
} next;

/* Of the process that is about to begin: puts the counting tables in the place of the system's. */
static void count_calls(void)
{
    faults_begin();
    faults_beside(next.scope == KILLING_BESIDE_SNAPSHOTS ? ".npz.tmp" : NULL);
    faults_in_files(next.n, FAULTS_SIGNAL, next.signal);
}

/* The options of a run that receives the signal at its n-th file call. */
static run_options ending_at(int n, int signal, killing_scope scope)
{
    next.n = n;
    next.signal = signal;
    next.scope = scope;
    return (run_options){ .before = count_calls };
}

/* ---- what is killed ---- */

/* A run or a sweep in a folder. */
typedef struct victim {
    pid_t (*start)(const char *folder, run_options options); /* begins it, or goes on */
    /* Starts it and kills it, or a part of it, within so many seconds. Whether it came to its end. */
    bool (*kill)(const char *folder, int trial, double seconds, kill_counts *counts);
    void (*compare)(const char *straight, const char *folder);
} victim;

static void finish(const victim *v, const char *folder)
{
    OK(run_wait(v->start(folder, (run_options){ 0 })));
}

/* The folder of one that nothing disturbed. */
static const char *straight_of(const victim *v)
{
    const char *folder = run_path("straight");
    finish(v, folder);
    return folder;
}

/* What it takes from the beginning to the end. To be measured again and again: the machine's other work comes and goes,
 * and moments beyond the end hit nothing. */
static double seconds_of(const victim *v)
{
    const char *folder = run_path("timed");
    double begin = seconds();
    finish(v, folder);
    double found = seconds() - begin;
    scratch_remove(folder);
    return found;
}

static kill_counts kill_by_chance(const victim *v, int n)
{
    const char *straight = straight_of(v), *folder = run_path("killed");
    double most = 0;
    kill_counts counts = { 0 };
    for (int trial = 0; counts.hits < n; trial++) {
        ck_assert_int_lt(trial, MOST_TRIALS_A_HIT * n);
        most = trial % TRIALS_A_MEASUREMENT == 0 ? seconds_of(v) : most;
        if (!v->kill(folder, trial, most, &counts)) {
            if (counts.hits < n) {
                continue;
            }
            finish(v, folder);
        }
        v->compare(straight, folder);
        counts.finished++;
        scratch_remove(folder);
    }
    return counts;
}

static int kill_at_calls(const victim *v, int stride, killing_scope scope)
{
    const char *straight = straight_of(v), *folder = run_path("killed");
    int hits = 0, code = RUN_KILLED + SIGKILL;
    for (int n = 1; code != 0; n += stride) {
        code = run_wait(v->start(folder, ending_at(n, SIGKILL, scope))).code;
        ck_assert_msg(code == 0 || code == RUN_KILLED + SIGKILL, "killed at %d: exit code %d", n, code);
        hits += code != 0;
        finish(v, folder);
        v->compare(straight, folder);
        scratch_remove(folder);
    }
    return hits;
}

/* ---- runs ---- */

static const char *run_threads; /* of the trial, also when its run goes on; NULL: one */

static pid_t start_run(const char *folder, run_options options)
{
    const char *arguments[] = { run_tiny_config(),
                                "train.steps=150",
                                "train.log_every=1",
                                "train.checkpoint_every=10",
                                "train.keep_checkpoints=2",
                                "patterns.every=15",
                                "--resume",
                                "--out",
                                folder,
                                run_threads,
                                NULL };
    options.arguments = arguments;
    options.built = true;
    return run_start(options);
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

static bool kill_run(const char *folder, int trial, double most, kill_counts *counts)
{
    run_threads = trial % 2 == 0 ? NULL : "train.threads=2";
    pid_t process = start_run(folder, (run_options){ .before = lead_a_group });
    pause_by_chance(most);
    kill_group(process);
    run_result run = run_wait(process);
    ck_assert_msg(run.code == 0 || run.code == RUN_KILLED + SIGKILL, "exit code %d: %s", run.code, run.err);
    if (run.code != 0) {
        count_hit(folder, counts);
    }
    return run.code == 0;
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
    return kill_by_chance(&(victim){ start_run, kill_run, compare_runs }, n);
}

/* Every update writes a row, so there are calls at every step; keeping checkpoints links and unlinks. */
static pid_t start_short_run(const char *folder, run_options options)
{
    const char *arguments[] = { run_tiny_config(),
                                "train.steps=9",
                                "train.log_every=1",
                                "train.eval_every=3",
                                "train.checkpoint_every=2",
                                "train.keep_checkpoints=2",
                                "train.patience=3",
                                "patterns.every=4",
                                "--resume",
                                "--out",
                                folder,
                                NULL };
    options.arguments = arguments;
    return run_start(options);
}

static void compare_short_runs(const char *straight, const char *folder)
{
    const char *kept = "checkpoint-6.safetensors checkpoint-8.safetensors checkpoint.safetensors config.ini ";
    ck_assert_ptr_nonnull(strstr(run_list(straight), kept));
    run_assert_same(straight, folder);
    ck_assert_str_eq(run_list(straight), run_list(folder));
}

static const victim short_run = { .start = start_short_run, .compare = compare_short_runs };

int kills_of_runs_at_calls(int stride, killing_scope scope)
{
    return kill_at_calls(&short_run, stride, scope);
}

int kills_again_and_again(int signal, int stride)
{
    const char *straight = straight_of(&short_run), *folder = run_path("killed");
    int hits = 0, code = RUN_KILLED + signal;
    for (int n = 1; code != 0; n += stride) {
        ck_assert_int_lt(n, MORE_CALLS_THAN_IT_MAKES);
        code = run_wait(start_short_run(folder, ending_at(n, signal, KILLING_BESIDE_SNAPSHOTS))).code;
        bool saved = signal == SIGINT && code == 128 + SIGINT;
        bool killed = code == RUN_KILLED + signal; /* by SIGINT: before it listens to it */
        ck_assert_msg(code == 0 || saved || killed, "ended at %d: exit code %d", n, code);
        ck_assert(!saved || scratch_exists(run_file(folder, "checkpoint.safetensors")));
        hits += saved || (killed && signal == SIGKILL);
    }
    compare_short_runs(straight, folder);
    return hits;
}

int kills_until_done(unsigned seed, const char *const *arguments)
{
    int kills = 0;
    for (int code = -1, most = 8; code != 0; most += most / 2) {
        seed = seed * 1664525 + 1013904223;
        int n = most / 2 + (int)(seed >> 8) % (most / 2);
        run_options options = ending_at(n, SIGKILL, KILLING_BESIDE_SNAPSHOTS);
        options.arguments = arguments;
        run_result run = run_with(options);
        code = run.code;
        ck_assert_msg(code == 0 || code == RUN_KILLED + SIGKILL, "exit code %d: %s", code, run.err);
        kills += code != 0;
    }
    return kills;
}

/* ---- sweeps ---- */

static const char *const cells[] = { "heads=1,seed=1", "heads=1,seed=2", "heads=2,seed=1", "heads=2,seed=2" };

static pid_t start_sweep_of(const char *folder, const char *jobs, run_options options)
{
    const char *arguments[] = {
        run_tiny_config(), "patterns.every=6", "--heads", "1,2", "--seeds", "2", "--jobs", jobs, "--out", folder, NULL
    };
    options.arguments = arguments;
    options.program = sweep_program;
    return run_start(options);
}

static pid_t start_sweep(const char *folder, run_options options)
{
    return start_sweep_of(folder, "2", options);
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

static bool kill_sweep(const char *folder, int trial, double most, kill_counts *counts)
{
    (void)trial;
    bool itself = chance(2) == 0;
    pid_t process = start_sweep(folder, (run_options){ .before = lead_a_group });
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
    return kill_by_chance(&(victim){ start_sweep, kill_sweep, compare_sweeps }, n);
}

/* Of two or three calls one is killed, and the others end the sweep. */
static bool kill_call(const char *folder, int trial, double most, kill_counts *counts)
{
    pid_t calls[3];
    int n_calls = 2 + trial % 2, killed = chance(n_calls);
    for (int i = 0; i < n_calls; i++) {
        calls[i] = start_sweep_of(folder, "1", (run_options){ .built = true, .built_program = HL_ABLATE_PROGRAM });
    }
    pause_by_chance(most);
    kill(calls[killed], SIGKILL);
    for (int i = 0; i < n_calls; i++) {
        run_result run = run_wait(calls[i]);
        bool hit = i == killed && run.code == RUN_KILLED + SIGKILL;
        ck_assert_msg(run.code == 0 || hit, "exit code %d: %s\n%s", run.code, run.err, run.out);
        counts->hits += hit;
    }
    return true;
}

int kills_of_calls(int n)
{
    return kill_by_chance(&(victim){ start_sweep, kill_call, compare_sweeps }, n).hits;
}

int kills_of_sweeps_at_calls(int stride)
{
    /* it writes no snapshot */
    return kill_at_calls(&(victim){ .start = start_sweep, .compare = compare_sweeps }, stride, KILLING_AT_ALL_CALLS);
}
