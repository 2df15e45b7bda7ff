#define _GNU_SOURCE /* sched_getaffinity, memmem */
#include "programs/processes.h"

#include "core/base/threads.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"
#include "tests/train/thread_ranks.h"

#include <gnu/libc-version.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What each rank found. */
typedef struct meeting {
    hl_status status[THREAD_RANKS_MOST];
    int local[THREAD_RANKS_MOST], sharing[THREAD_RANKS_MOST];
    bool otherwise, mixed, is_mixed[THREAD_RANKS_MOST];
    int64_t threads;
    FILE *err;
    int argc;
    char **argv;
} meeting;

static void compare_arguments(hl_ranks *ranks, void *context)
{
    meeting *m = context;
    m->status[ranks->rank] = hl_processes_check_same(ranks, ranks->rank == 2 ? m->argc : 2, m->argv);
}

TEST(all_have_the_same_arguments)
{
    char *argv[] = { (char *)(size_t) "train", (char *)(size_t) "a.ini", (char *)(size_t) "--quiet", NULL };
    meeting same = { .argc = 2, .argv = argv }, other = { .argc = 3, .argv = argv };
    thread_ranks_run(3, compare_arguments, &same);
    thread_ranks_run(3, compare_arguments, &other);
    for (int r = 0; r < 3; r++) {
        ck_assert_int_eq(same.status[r].code, HL_OK);
        ck_assert_int_eq(other.status[r].code, HL_INVALID);
    }
    CHECK_OK(hl_processes_check_same(NULL, 2, argv));
}

/* Rank 1 says that its C library is another. */
static void (*send_all)(void *context, int from, void *data, size_t bytes);

static void send_otherwise(void *context, int from, void *data, size_t bytes)
{
    const char *version = gnu_get_libc_version();
    char *at = from == 1 ? memmem(data, bytes, version, strlen(version) + 1) : NULL;
    if (at != NULL) {
        *at = '9';
    }
    send_all(context, from, data, bytes);
}

static void meet(hl_ranks *ranks, void *context)
{
    meeting *m = context;
    if (ranks->rank == 1 && m->otherwise) {
        send_all = ranks->broadcast;
        ranks->broadcast = send_otherwise;
    }
    hl_processes processes;
    m->status[ranks->rank] = hl_processes_meet(ranks, m->mixed, m->err, &processes);
    m->local[ranks->rank] = processes.local;
    m->sharing[ranks->rank] = processes.sharing;
    m->is_mixed[ranks->rank] = ranks->mixed;
    if (ranks->rank == 0) {
        hl_processes_warn(&processes, m->threads, m->err);
    }
    hl_processes_free(&processes);
}

/* What they say when n ranks meet on the CPUs that this process has now. */
static const char *meet_all(int n, meeting *m)
{
    const char *path = run_path("err");
    m->err = fopen(path, "w");
    ck_assert_ptr_nonnull(m->err);
    thread_ranks_run(n, meet, m);
    fclose(m->err);
    return run_read(path);
}

TEST(processes_on_the_same_cores_are_told_of)
{
    int cores = hl_threads_default(); /* at least 1 */
    meeting m = { .threads = cores };
    const char *said = meet_all(2, &m);
    const char *words = scratch_format(": 2 processes of %d thread%s share %d core%s; fewer are faster\n", cores,
                                       cores > 1 ? "s" : "", cores, cores > 1 ? "s" : "");
    ck_assert_msg(strstr(said, words) != NULL, "%s", said);
    ck_assert_int_eq(m.sharing[1], 2);
    ck_assert_int_eq(m.local[0], 2);
    ck_assert_int_eq(m.local[1], 2);
}

TEST(the_cores_are_divided_among_those_that_share_them)
{
    int cores = hl_threads_default();
    hl_threads_share(2);
    ck_assert_int_eq(hl_threads_default(), cores / 2 > 1 ? cores / 2 : 1);
    hl_threads_share(100000);
    ck_assert_int_eq(hl_threads_default(), 1);
    hl_threads_share(1);
    ck_assert_int_eq(hl_threads_default(), cores);
}

TEST(processes_bound_to_too_few_cores_are_told_of)
{
    cpu_set_t own, one;
    int cores = hl_threads_default(), first = 0;
    ck_assert_int_eq(sched_getaffinity(0, sizeof own, &own), 0);
    while (!CPU_ISSET(first, &own)) {
        first++;
    }
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    meeting m = { .threads = 0 };
    const char *said = meet_all(2, &m);
    ck_assert_int_eq(sched_setaffinity(0, sizeof own, &own), 0);
    ck_assert_msg(cores == 1 || strstr(said, ": the launcher binds each process to 1 of ") != NULL, "%s", said);
}

TEST(a_mixture_is_refused_unless_it_is_wanted)
{
    meeting refused = { .otherwise = true, .threads = 1 }, wanted = refused;
    wanted.mixed = true;
    meet_all(3, &refused);
    const char *said = meet_all(3, &wanted);
    for (int r = 0; r < 3; r++) {
        ck_assert_int_eq(refused.status[r].code, HL_INVALID);
        ck_assert_msg(strncmp(refused.status[r].text, "rank 1 on ", 10) == 0 &&
                          strstr(refused.status[r].text, " has glibc 9") != NULL &&
                          strstr(refused.status[r].text, "--mixed does without") != NULL,
                      "%s", refused.status[r].text);
        ck_assert_int_eq(wanted.status[r].code, HL_OK);
        ck_assert(wanted.is_mixed[r] && !refused.is_mixed[r]);
    }
    ck_assert_msg(strstr(said, "the same command may not give the same bits again\n") != NULL, "%s", said);
}

SUITE("processes")
