/* Whatever a rank receives may be no data once another one is lost (train/ranks/ranks.h): nothing that is built on it
 * is ever written. A rank receives such at each of its exchanges in turn; the one that sent it enters no agreement any
 * more, so that none returns from the next. */
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/sanitized.h"
#include "tests/scratch.h"
#include "tests/train/loop_ranks.h"
#include "tests/train/thread_ranks.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 3, STEPS = 4, NO_NUMBERS = 0x3d /* bytes of finite, small floats and doubles */ };
enum { LOST = 0, FINISHED = 9 };

/* One rank's table, around that of its thread. */
typedef struct deceived {
    hl_ranks honest;
    int left; /* what it receives as it was sent before the loss; -1: all of it */
    bool lost;
    int agreements; /* entered */
} deceived;

static atomic_int leaders_agreements;

static void receive_something(deceived *d, void *data, size_t bytes)
{
    d->lost = d->lost || d->left == 0;
    d->left -= d->left > 0;
    if (d->lost) {
        memset(data, NO_NUMBERS, bytes);
    }
}

static void send_on(void *context, int to, const void *data, size_t bytes)
{
    const deceived *d = context;
    d->honest.send(d->honest.context, to, data, bytes);
}

static void receive_from(void *context, int from, void *data, size_t bytes)
{
    deceived *d = context;
    d->honest.receive(d->honest.context, from, data, bytes);
    receive_something(d, data, bytes);
}

static void broadcast_from(void *context, int from, void *data, size_t bytes)
{
    deceived *d = context;
    d->honest.broadcast(d->honest.context, from, data, bytes);
    if (from != d->honest.rank) {
        receive_something(d, data, bytes);
    }
}

/* Rank 0 goes on as far as it gets, before the process ends with all its ranks. */
static void enter(deceived *d)
{
    d->agreements++;
    if (d->honest.rank == 0) {
        leaders_agreements = d->agreements;
    }
    if (d->lost) {
        while (leaders_agreements < d->agreements) {
            sched_yield();
        }
        _exit(LOST);
    }
}

static void maximum_of(void *context, int64_t *values, int64_t count)
{
    deceived *d = context;
    enter(d);
    d->honest.maximum(d->honest.context, values, count);
}

static void sum_of(void *context, int64_t *values, int64_t count)
{
    deceived *d = context;
    enter(d);
    d->honest.sum(d->honest.context, values, count);
}

/* ---- runs ---- */

typedef struct deception {
    loop_ranks loop;
    int rank, left; /* who is deceived, after so much */
} deception;

static void loop_deceived(hl_ranks *honest, void *context)
{
    deception *all = context;
    deceived d = { .honest = *honest, .left = honest->rank == all->rank ? all->left : -1 };
    hl_ranks ranks = { .rank = honest->rank,
                       .n = honest->n,
                       .context = &d,
                       .send = send_on,
                       .receive = receive_from,
                       .broadcast = broadcast_from,
                       .maximum = maximum_of,
                       .sum = sum_of };
    loop_ranks_run(&ranks, &all->loop);
}

/* A run in a process of its own; returns its exit code. */
static int run(const char *folder, int steps, int rank, int left)
{
    pid_t child = fork();
    if (child == 0) {
        deception d = { .rank = rank, .left = left };
        loop_ranks_make(&d.loop, folder, false);
        d.loop.config.train.steps = steps;
        d.loop.config.train.checkpoint_every = 1;
        d.loop.config.train.keep_checkpoints = STEPS;
        if (rank < 0) {
            loop_ranks_run(NULL, &d.loop);
        } else {
            thread_ranks_run(RANKS, loop_deceived, &d);
        }
        _exit(d.loop.status[0].code == HL_OK ? FINISHED : 1);
    }
    int status;
    ck_assert(child > 0 && waitpid(child, &status, 0) == child);
    ck_assert_msg(WIFEXITED(status), "%s ended by a signal", folder);
    return WEXITSTATUS(status);
}

/* The file, if it is there, has the bytes that it has in one of the runs of one process. */
static void expect_one_of(const char *path, const char *const *others, int n)
{
    if (!scratch_exists(path)) {
        return;
    }
    bool found = false;
    for (int i = 0; i < n; i++) {
        size_t size;
        char *text = scratch_read(others[i], &size);
        found = found || scratch_holds(path, text, size);
        free(text);
    }
    ck_assert_msg(found, "%s is of no run of one process", path);
}

/* What stands in `folder` is the beginning of what one process leaves. */
static void expect_beginning(const char *folder, const char *alone)
{
    const char *rows = run_metrics(folder), *all = run_metrics(alone);
    ck_assert_msg(strncmp(rows, all, strlen(rows)) == 0, "%s\nis no beginning of\n%s", rows, all);
    char name[64];
    const char *checkpoints[STEPS]; /* from step 1 on */
    for (int step = 1; step <= STEPS; step++) {
        snprintf(name, sizeof name, "checkpoint-%d.safetensors", step);
        checkpoints[step - 1] = run_file(alone, step < STEPS ? name : "checkpoint.safetensors");
    }
    for (int step = 1; step < STEPS; step++) {
        snprintf(name, sizeof name, "checkpoint-%d.safetensors", step);
        expect_one_of(run_file(folder, name), &checkpoints[step - 1], 1);
    }
    expect_one_of(run_file(folder, "checkpoint.safetensors"), checkpoints, STEPS);
    static const char *const models[] = { "alone_0", "alone_2", "alone_4" };
    const char *paths[3];
    for (int i = 0; i < 3; i++) {
        paths[i] = run_file(run_path(models[i]), "model.safetensors");
    }
    expect_one_of(run_file(folder, "model.safetensors"), paths, 3);
}

/* ThreadSanitizer lets no child of a process that has threads start its own. */
LOOP_TEST(nothing_that_is_built_on_what_was_not_sent_is_written, 0, SANITIZED ? 0 : RANKS)
{
    static const char *const names[] = { "alone_0", "alone_2", "alone_4" };
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(run(run_path(names[i]), i * STEPS / 2, -1, 0), FINISHED);
    }
    const char *folder = run_path("run"), *alone = run_path("alone_4");
    int left = 0;
    while (run(folder, STEPS, _i, left) == LOST) {
        expect_beginning(folder, alone);
        scratch_remove(folder);
        left++;
    }
    ck_assert_int_gt(left, 2 * STEPS);
    ck_assert_str_eq(run_metrics(folder), run_metrics(alone));
    ck_assert_int_eq(run_weights_step(run_file(folder, "checkpoint.safetensors")), STEPS);
    expect_beginning(folder, alone);
}

SUITE("lost rank", .seconds = 60)
