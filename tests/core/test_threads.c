#define _GNU_SOURCE /* sched_setaffinity, gettid */
#include "core/base/threads.h"

#include "tests/check_suite.h"
#include "tests/control_files.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

TEST(parts_cover_everything_once_and_are_cut_at_steps)
{
    static const int64_t lengths[] = { 0, 1, 15, 16, 17, 47, 48, 49, 1000 }, steps[] = { 1, 16, 48 };
    for (int i = 0; i < 9 * 3 * 7; i++) {
        int64_t n = lengths[i % 9], step = steps[i / 9 % 3], at = 0, least = n, most = 0;
        int parts = 1 + i / 27;
        for (int part = 0; part < parts; part++) {
            int64_t begin, end;
            hl_threads_cut(n, step, part, parts, &begin, &end);
            ck_assert_int_eq(begin, at);
            ck_assert_int_ge(end, begin);
            ck_assert(end == n || end % step == 0);
            least = end - begin < least ? end - begin : least;
            most = end - begin > most ? end - begin : most;
            at = end;
        }
        ck_assert_int_eq(at, n);
        ck_assert_int_le(most - least, 2 * step - 1); /* a step, and what the last one lacks */
    }
}

TEST(small_work_is_done_by_one_thread)
{
    ck_assert_int_eq(hl_threads_for(4, 0), 1);
    ck_assert_int_eq(hl_threads_for(4, 1000), 1);
    ck_assert_int_eq(hl_threads_for(4, 1000000), 4);
    ck_assert_int_eq(hl_threads_for(1, 1000000), 1);
}

enum { MOST = HL_MAX_THREADS, LONGEST = 1000 };

/* What the threads of one hl_threads_run did. */
typedef struct record {
    atomic_int worked[LONGEST], calls[MOST], strays; /* strays: shares whose thread or range cannot be */
    hl_range shares[MOST];                           /* by their threads' numbers */
    pthread_t threads[MOST];
    int levels; /* the OpenMP regions around the range of thread 0 */
} record;

static void note(const void *context, hl_range range)
{
    record *r = *(record *const *)context;
    if (range.thread < 0 || range.thread >= MOST || range.begin < 0 || range.end > LONGEST) {
        r->strays++;
        return;
    }
    r->calls[range.thread]++;
    r->shares[range.thread] = range;
    r->threads[range.thread] = pthread_self();
    if (range.thread == 0) {
        r->levels = omp_get_level();
    }
    for (int64_t i = range.begin; i < range.end; i++) {
        r->worked[i]++;
    }
}

/* Runs the work, checks the ranges and returns their number. */
static int run_noted(int threads, int64_t n, int64_t step, record *r)
{
    *r = (record){ 0 };
    hl_threads_run(threads, n, step, note, &r);
    ck_assert_int_eq(r->strays, 0);
    for (int64_t i = 0; i < LONGEST; i++) {
        ck_assert_int_eq(r->worked[i], i < n);
    }
    int64_t steps = (n + step - 1) / step;
    int most = threads < MOST ? threads : MOST, shares = steps < most ? (int)steps : most;
    for (int thread = 0; thread < MOST; thread++) {
        ck_assert_int_eq(r->calls[thread], thread < shares);
    }
    for (int thread = 0; thread < shares; thread++) {
        int64_t begin, end;
        hl_threads_cut(n, step, thread, shares, &begin, &end);
        ck_assert(r->shares[thread].begin == begin && r->shares[thread].end == end && begin < end);
    }
    return shares;
}

TEST(everything_is_worked_once_in_a_share_a_thread)
{
    static const int64_t lengths[] = { 0, 1, 2, 15, 16, 17, 95, 96, 97, LONGEST }, steps[] = { 1, 3, 16, 48, 2000 };
    hl_threads_setup();
    record r;
    for (int i = 0; i < 10 * 5 * 7; i++) {
        run_noted(1 + i / 50, lengths[i % 10], steps[i / 10 % 5], &r);
    }
    ck_assert_int_eq(run_noted(HL_MAX_THREADS + 1, LONGEST, 1, &r), HL_MAX_THREADS);
}

TEST(one_share_is_worked_by_the_caller_without_openmp)
{
    hl_threads_setup();
    record r;
    static const int cases[][3] = { { 1, LONGEST, 1 }, { 4, 1, 1 }, { 4, 16, 16 }, { 4, 5, 16 } };
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(run_noted(cases[i][0], cases[i][1], cases[i][2], &r), 1);
        ck_assert(pthread_equal(r.threads[0], pthread_self()));
        ck_assert_int_eq(r.levels, 0);
    }
}

TEST(openmp_starts_no_threads_of_its_own)
{
    hl_threads_setup();
    ck_assert_int_eq(omp_get_max_threads(), 1);
    record r;
    ck_assert_int_eq(run_noted(3, LONGEST, 1, &r), 3);
    for (int thread = 0; thread < 3; thread++) {
        ck_assert(!pthread_equal(r.threads[thread], r.threads[(thread + 1) % 3]));
    }
    ck_assert_int_eq(r.levels, 1);
}

TEST(nothing_is_left_out_where_openmp_grants_fewer_threads)
{
    hl_threads_setup();
    omp_set_max_active_levels(0);
    record r;
    ck_assert_int_eq(run_noted(3, LONGEST, 1, &r), 3);
    ck_assert(pthread_equal(r.threads[2], pthread_self()));
    omp_set_max_active_levels(1);
}

static void note_thread(const void *context, hl_range range)
{
    pid_t *ids = *(pid_t *const *)context;
    ids[range.thread] = gettid();
}

TEST(threads_outlive_a_run_with_work_for_fewer)
{
    enum { TEAM = 6 };
    hl_threads_setup();
    pid_t before[TEAM] = { 0 }, after[TEAM] = { 0 }, *ids = before;
    hl_threads_run(TEAM, TEAM, 1, note_thread, &ids);
    pid_t few[TEAM] = { 0 };
    ids = few;
    hl_threads_run(TEAM, 2, 1, note_thread, &ids);
    ids = after;
    hl_threads_run(TEAM, TEAM, 1, note_thread, &ids);
    ck_assert_int_eq(memcmp(before, after, sizeof before), 0);
    ck_assert_int_ne(few[1], 0);
    ck_assert_int_eq(few[2], 0);
}

static int default_with(const control_file *files)
{
    control_files_begin(files);
    int threads = hl_threads_default();
    control_files_end();
    return threads;
}

#define V2 "/sys/fs/cgroup/cpu.max"
#define V1_QUOTA "/sys/fs/cgroup/cpu/cpu.cfs_quota_us"
#define V1_PERIOD "/sys/fs/cgroup/cpu/cpu.cfs_period_us"

TEST(a_containers_quota_counts)
{
    cpu_set_t allowed;
    ck_assert_int_eq(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    int cpus = CPU_COUNT(&allowed) < HL_MAX_THREADS ? CPU_COUNT(&allowed) : HL_MAX_THREADS;
    int two = cpus < 2 ? cpus : 2;
    static const control_file none[] = { { NULL, NULL } };
    static const control_file unlimited[] = { { V2, "max 100000\n" }, { NULL, NULL } };
    static const control_file one[] = { { V2, "100000 100000\n" }, { NULL, NULL } };
    static const control_file half[] = { { V2, "50000 100000\n" }, { NULL, NULL } };
    static const control_file more[] = { { V2, "150000 100000\n" }, { NULL, NULL } };
    static const control_file lots[] = { { V2, "900000000000 100000\n" }, { NULL, NULL } };
    static const control_file old[] = { { V1_QUOTA, "100000\n" }, { V1_PERIOD, "100000\n" }, { NULL, NULL } };
    static const control_file old_unlimited[] = { { V1_QUOTA, "-1\n" }, { V1_PERIOD, "100000\n" }, { NULL, NULL } };
    static const control_file nonsense[] = { { V2, "what\n" }, { V1_QUOTA, "" }, { NULL, NULL } };
    ck_assert_int_eq(default_with(none), cpus);
    ck_assert_int_eq(default_with(unlimited), cpus);
    ck_assert_int_eq(default_with(one), 1);
    ck_assert_int_eq(default_with(half), 1);
    ck_assert_int_eq(default_with(more), two);
    ck_assert_int_eq(default_with(lots), cpus);
    ck_assert_int_eq(default_with(old), 1);
    ck_assert_int_eq(default_with(old_unlimited), cpus);
    ck_assert_int_eq(default_with(nonsense), cpus);
}

TEST(cpus_that_are_not_allowed_do_not_count)
{
    cpu_set_t allowed, one;
    ck_assert_int_eq(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++) {
        if (CPU_ISSET(cpu, &allowed)) {
            CPU_SET(cpu, &one);
        }
    }
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    ck_assert_int_eq(hl_threads_default(), 1);
    ck_assert_int_eq(sched_setaffinity(0, sizeof allowed, &allowed), 0);
}

SUITE("threads")
