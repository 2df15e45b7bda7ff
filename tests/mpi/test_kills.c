#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
/* Runs of several processes that are killed at random moments and resumed by another number of processes, to the step
 * that they were begun for, or to one soon after their last checkpoint: the kill has then often lost better weights.
 * In the end they leave the bytes of a run of one process that went straight there. HEADLIGHT_MPI_KILLS is the number
 * of runs. */
#include "tests/check_suite.h"
#include "tests/mpi/mpi_runs.h"
#include "tests/scratch.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 8, LANES = 4, MOST_RANKS = 4, STEPS = 150, SOON = 3 };

/* How one is killed: a rank that is stopped meanwhile goes on when another one is lost, or is the one. */
typedef enum way { KILL, TERM, STOP, LAUNCHER, WAYS } way;
static const char *const way_names[WAYS] = { "KILL", "TERM", "STOP, KILL and CONT", "KILL of mpirun" };

/* Counted by all lanes together. */
typedef struct counts {
    atomic_int runs, differed, kills[WAYS];
} counts;

/* Some runs at a time, each in a process of its own. */
typedef struct lane {
    uint32_t chance;
    const char *config, *alone; /* the folder of the run of one process */
    const char *folder;
    long bytes; /* of the metrics.csv in `alone` */
    counts *all;
} lane;

/* 0 .. below - 1; the same numbers in every test. */
static int chance(lane *l, int below)
{
    l->chance = l->chance * 1664525 + 1013904223;
    return (int)((l->chance >> 8) % (uint32_t)below);
}

/* ---- runs ---- */

static pid_t start(const char *config, const char *folder, int n, const char *threads, int steps)
{
    const char *last = scratch_format("train.steps=%d", steps);
    const char *arguments[] = { config,
                                "train.leaves=4",
                                last,
                                "optimizer.schedule=constant",
                                "train.log_every=1",
                                "train.eval_every=1",
                                "train.checkpoint_every=10",
                                "train.keep_checkpoints=2",
                                "patterns.every=15",
                                threads,
                                "--resume",
                                "--out",
                                folder,
                                NULL };
    return mpi_start(n, arguments);
}

static pid_t start_by_chance(lane *l, int n, int steps)
{
    const char *threads = chance(l, 2) == 0 ? "train.threads=1" : "train.threads=2";
    return start(l->config, l->folder, n, threads, steps);
}

static long size_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (long)info.st_size : 0;
}

/* Until all ranks have begun, and the run stands somewhere between its first row and the last. */
static void await_a_moment(lane *l, int n, pid_t job)
{
    char metrics[512];
    snprintf(metrics, sizeof metrics, "%s/metrics.csv", l->folder);
    long until = l->bytes * chance(l, 1000) / 1000;
    mpi_await_ranks(l->folder, n, job);
    while (size_of(metrics) < until && !mpi_has_ended(job)) {
        run_pause(1);
    }
    run_pause(chance(l, 8));
}

/* Whether that ended the job before its time. */
static bool kill_one(lane *l, way by)
{
    int n = 2 + chance(l, MOST_RANKS - 1), there;
    pid_t ranks[MPI_MOST_RANKS], job = start_by_chance(l, n, STEPS);
    await_a_moment(l, n, job);
    there = mpi_ranks(l->folder, ranks);
    pid_t one = there > 0 ? ranks[chance(l, there)] : job, other = there > 0 ? ranks[chance(l, there)] : job;
    if (by == STOP) {
        kill(one, SIGSTOP);
        run_pause(chance(l, 60));
    }
    kill(by == LAUNCHER ? job : other, by == TERM ? SIGTERM : SIGKILL);
    if (by == STOP) {
        run_pause(chance(l, 60));
        kill(one, SIGCONT);
    }
    bool hit = mpi_end(job, l->folder).code != 0;
    l->all->kills[by] += hit;
    return hit;
}

/* ---- what they leave ---- */

static bool same_file(const char *a, const char *b)
{
    size_t size;
    char *bytes = scratch_read(a, &size);
    bool same = bytes != NULL && scratch_holds(b, bytes, size);
    free(bytes);
    return same;
}

/* Checkpoints that a signal called for are of steps at which the run of one process saves none. Files from before a
 * kill say how many steps were asked for then. */
static bool is_compared(const char *folder, const char *name, int steps)
{
    bool kept = strncmp(name, "checkpoint-", 11) == 0;
    return strcmp(name, "config.ini") != 0 && strcmp(name, "metrics.csv") != 0 && strcmp(name, "report.html") != 0 &&
           strcmp(name, "patterns") != 0 && (!kept || (steps == STEPS && scratch_exists(run_file(folder, name)))) &&
           (steps == STEPS || strcmp(name, "model.safetensors") != 0);
}

/* The first name in `names` whose file differs; "": none. */
static const char *first_of(const char *names, const char *alone, const char *folder, int steps)
{
    for (const char *at = names; *at != '\0'; at += strcspn(at, " ") + 1) {
        const char *name = scratch_format("%.*s", (int)strcspn(at, " "), at);
        if (is_compared(folder, name, steps) && !same_file(run_file(alone, name), run_file(folder, name))) {
            return run_kept(name);
        }
    }
    return "";
}

static const char *first_difference(const char *alone, const char *folder, int steps)
{
    const char *patterns = run_file(alone, "patterns"), *others = run_file(folder, "patterns");
    const char *snapshots = run_list(patterns), *name = first_of(run_list(alone), alone, folder, steps);
    if (*name == '\0' && strcmp(run_metrics(alone), run_metrics(folder)) != 0) {
        name = "metrics.csv";
    } else if (*name == '\0' && strcmp(snapshots, run_list(others)) != 0) {
        name = "patterns";
    } else if (*name == '\0' && run_weights_step(run_file(alone, "model.safetensors")) !=
                                    run_weights_step(run_file(folder, "model.safetensors"))) {
        name = "the step of model.safetensors";
    } else if (*name == '\0' && scratch_exists(run_file(folder, "model-before.safetensors"))) {
        name = "model-before.safetensors";
    }
    return *name == '\0' ? first_of(snapshots, patterns, others, steps) : name;
}

/* One run that is killed once or more, resumed to its end and compared. */
static void run_once(lane *l)
{
    char history[256] = "";
    do {
        way by = (way)chance(l, WAYS);
        bool hit = kill_one(l, by);
        size_t length = strlen(history);
        snprintf(history + length, sizeof history - length, "%s%s, ", hit ? "" : "missed ", way_names[by]);
        if (!hit) {
            scratch_remove(l->folder);
        }
    } while (!scratch_exists(l->folder) || chance(l, 4) == 0);
    int n = 1 + chance(l, MOST_RANKS), saved = 0, steps = STEPS;
    const char *alone = l->alone;
    if (chance(l, 2) == 0 && scratch_exists(run_file(l->folder, "checkpoint.safetensors"))) {
        saved = atoi(run_checkpoint_step(l->folder));
    }
    if (saved > 0 && saved + SOON < STEPS) {
        steps = saved + 1 + chance(l, SOON);
        alone = run_path("short");
        OK(run_wait(start(l->config, alone, 1, "train.threads=1", steps)));
    }
    run_result end = run_wait(start_by_chance(l, n, steps));
    const char *name = end.code == 0 ? first_difference(alone, l->folder, steps) : end.err;
    if (*name != '\0') {
        l->all->differed++;
        printf("differs after %sresumed by %d to step %d: %s\n", history, n, steps, name);
        fflush(stdout);
    }
    l->all->runs++;
    if (steps < STEPS) {
        scratch_remove(alone);
    }
    scratch_remove(l->folder);
}

static pid_t start_lane(lane l, int runs)
{
    fflush(NULL);
    pid_t process = fork();
    ck_assert_int_ge(process, 0);
    if (process == 0) {
        l.folder = run_path("killed");
        for (int i = 0; i < runs; i++) {
            run_once(&l);
        }
        scratch_end();
        _exit(0);
    }
    return process;
}

TEST(killed_at_random_moments_runs_leave_the_bytes_of_one_process)
{
    const char *asked = getenv("HEADLIGHT_MPI_KILLS"), *config = run_tiny_config(), *alone = run_path("alone");
    int runs = asked != NULL ? atoi(asked) : RUNS;
    OK(run_wait(start(config, alone, 1, "train.threads=1", STEPS)));
    counts *all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(all, MAP_FAILED);
    pid_t lanes[LANES];
    for (int i = 0; i < LANES; i++) {
        lane l = { .chance = (uint32_t)i + 1,
                   .config = config,
                   .alone = alone,
                   .bytes = size_of(run_file(alone, "metrics.csv")),
                   .all = all };
        lanes[i] = start_lane(l, (runs + i) / LANES);
    }
    for (int i = 0; i < LANES; i++) {
        int status;
        ck_assert_int_eq(waitpid(lanes[i], &status, 0), lanes[i]);
        ck_assert_int_eq(status, 0);
    }
    printf("%d of %d runs differed; kills:", all->differed, all->runs);
    for (int by = 0; by < WAYS; by++) {
        printf(" %d by %s%s", all->kills[by], way_names[by], by + 1 < WAYS ? "," : "\n");
    }
    ck_assert_int_eq(all->runs, runs);
    ck_assert_int_eq(all->differed, 0);
}

SUITE("kills of several processes", .seconds = getenv("HEADLIGHT_MPI_KILLS") != NULL ? 10000 : 240)
