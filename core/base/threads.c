#define _GNU_SOURCE /* sched_getaffinity */
#include "core/base/threads.h"

#include "core/base/private/control_file.h"

#include <omp.h>
#include <sched.h>
#include <stdio.h>

void hl_threads_setup(void)
{
    omp_set_dynamic(0);
    omp_set_num_threads(1);
}

/* Reads up to two numbers from a one-line control file. Returns how many there were ("max" is not a number). */
static int read_numbers(const char *path, long long *first, long long *second)
{
    char content[64];
    hl_control_file_read(path, content, sizeof content);
    int n = sscanf(content, "%lld %lld", first, second);
    return n < 0 ? 0 : n;
}

/* The CPU time that the container may use, as a number of CPUs, rounded up; 0 if there is no limit. */
static int cpus_quota(void)
{
    long long quota = 0, period = 0, unused = 0;
    bool told = read_numbers("/sys/fs/cgroup/cpu.max", &quota, &period) == 2 ||
                (read_numbers("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", &quota, &unused) >= 1 &&
                 read_numbers("/sys/fs/cgroup/cpu/cpu.cfs_period_us", &period, &unused) >= 1);
    if (!told || quota <= 0 || period <= 0) {
        return 0;
    }
    long long cpus = (quota + period - 1) / period;
    return cpus > HL_MAX_THREADS ? HL_MAX_THREADS : (int)cpus;
}

static int sharing = 1;

void hl_threads_share(int processes)
{
    sharing = processes;
}

int hl_threads_default(void)
{
    cpu_set_t set;
    int threads = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    int quota = cpus_quota();
    threads = quota > 0 && quota < threads ? quota : threads;
    threads = threads / sharing < HL_MAX_THREADS ? threads / sharing : HL_MAX_THREADS;
    return threads < 1 ? 1 : threads;
}

int hl_threads_for(int threads, int64_t work)
{
    /* One core processes about one element in half a nanosecond, so 20 microseconds are about 40,000 elements. */
    enum { WORTH_A_FORK = 40000 };
    return work < WORTH_A_FORK ? 1 : threads;
}

void hl_threads_cut(int64_t n, int64_t step, int index, int n_ranges, int64_t *begin, int64_t *end)
{
    int64_t steps = (n + step - 1) / step;
    int64_t first = steps * index / n_ranges * step;
    int64_t last = steps * (index + 1) / n_ranges * step;
    *begin = first < n ? first : n;
    *end = last < n ? last : n;
}

void hl_threads_run(int threads, int64_t n, int64_t step, hl_range_work *work, const void *context)
{
    int64_t steps = (n + step - 1) / step;
    int most = threads < HL_MAX_THREADS ? threads : HL_MAX_THREADS;
    int n_ranges = steps < most ? (int)steps : most;
    if (n_ranges <= 1) { /* a parallel region costs an allocation and system calls even with one thread */
        if (n > 0) {
            work(context, (hl_range){ 0, 0, n });
        }
        return;
    }
    /* The ranges do not depend on the number of threads that OpenMP grants, which may be smaller. Threads without a
     * range still join the team: libgomp ends threads that a smaller team does not use, and starting them again takes
     * longer than the work. */
#pragma omp parallel for num_threads(most) schedule(static)
    for (int i = 0; i < n_ranges; i++) {
        hl_range range = { .thread = i };
        hl_threads_cut(n, step, i, n_ranges, &range.begin, &range.end);
        work(context, range);
    }
}
