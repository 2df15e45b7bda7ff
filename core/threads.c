#define _GNU_SOURCE /* sched_getaffinity */
#include "core/threads.h"

#include "core/private/control_file.h"

#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hl_threads_setup(void)
{
    omp_set_dynamic(0);
    omp_set_num_threads(1);
}

static int cpus_allowed(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        return 1;
    }
    return CPU_COUNT(&set);
}

/* Reads up to two numbers from a one-line control file; returns how many there were ("max" is none). */
static int read_numbers(const char *path, long long *first, long long *second)
{
    char content[64];
    hl_control_file_read(path, content, sizeof content);
    int n = sscanf(content, "%lld %lld", first, second);
    return n < 0 ? 0 : n;
}

/* The CPUs' worth of time that the container may use, rounded up; 0 where there is no limit. */
static int cpus_quota(void)
{
    long long quota = 0, period = 0, unused = 0;
    if (read_numbers("/sys/fs/cgroup/cpu.max", &quota, &period) != 2) {
        if (read_numbers("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", &quota, &unused) < 1 ||
            read_numbers("/sys/fs/cgroup/cpu/cpu.cfs_period_us", &period, &unused) < 1) {
            return 0;
        }
    }
    if (quota <= 0 || period <= 0) {
        return 0;
    }
    long long cpus = (quota + period - 1) / period;
    return cpus > HL_MAX_THREADS ? HL_MAX_THREADS : (int)cpus;
}

int hl_threads_default(void)
{
    int threads = cpus_allowed();
    int quota = cpus_quota();
    if (quota > 0 && quota < threads) {
        threads = quota;
    }
    if (threads > HL_MAX_THREADS) {
        threads = HL_MAX_THREADS;
    }
    return threads < 1 ? 1 : threads;
}

int hl_threads_for(int threads, int64_t work)
{
    /* One core touches about one element in half a nanosecond: 20 microseconds are some 40,000. */
    enum { WORTH_A_FORK = 40000 };
    return work < WORTH_A_FORK ? 1 : threads;
}

void hl_threads_part(int64_t n, int64_t step, int part, int n_parts, int64_t *begin, int64_t *end)
{
    int64_t steps = (n + step - 1) / step;
    int64_t first = steps * part / n_parts * step;
    int64_t last = steps * (part + 1) / n_parts * step;
    *begin = first < n ? first : n;
    *end = last < n ? last : n;
}

/* The cuts do not follow the number of threads that OpenMP grants, which may be smaller. Threads without a part take
 * part all the same: libgomp ends the threads that a smaller team leaves over, and starting them again takes longer
 * than the work. */
static void run_parts(int team, int n_parts, int64_t n, int64_t step, hl_share_work *work, const void *context)
{
#pragma omp parallel for num_threads(team) schedule(static)
    for (int part = 0; part < n_parts; part++) {
        hl_share share = { .thread = part };
        hl_threads_part(n, step, part, n_parts, &share.begin, &share.end);
        work(context, share);
    }
}

void hl_threads_run(int threads, int64_t n, int64_t step, hl_share_work *work, const void *context)
{
    int64_t steps = (n + step - 1) / step;
    int most = threads < HL_MAX_THREADS ? threads : HL_MAX_THREADS;
    int n_parts = steps < most ? (int)steps : most;
    if (n_parts > 1) { /* a region costs an allocation and calls of the system even where it has one thread */
        run_parts(most, n_parts, n, step, work, context);
    } else if (n > 0) {
        work(context, (hl_share){ 0, 0, n });
    }
}
