/* Splits work over threads. No other file uses OpenMP's threads.
 *
 * The caller chooses the number of threads, and cuts the work by rows or columns of the output, at boundaries that do
 * not change the result. So every number of threads gives the same bits. */
#pragma once

#include "core/base/declarations.h"

#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_MAX_THREADS = 64 };

/* Numbers in a cache line. Ranges of single numbers are cut at its multiples, so that no two threads write to one
 * line. */
enum { HL_CACHE_LINE = 16 };

/* Stops OpenMP, and through it OpenBLAS, from starting threads of their own; hl_threads_run sets its number each time.
 * Call it at the start of a program, and in every additional thread that runs tapes. */
void hl_threads_setup(void);

/* The number of threads worth using: the CPUs that this process may run on, or fewer if a container's CPU quota (cgroup
 * v1 or v2) is lower; at least 1, at most HL_MAX_THREADS. */
int hl_threads_default(void);

/* Makes hl_threads_default divide the CPUs by `processes`, the number of processes that share them, including this one.
 * Call it at the start of a program. */
void hl_threads_share(int processes);

/* How many threads are worth starting: `threads`, or 1 if the whole op takes less than about 20 microseconds. `work` is
 * the number of elements that the op reads or writes, or its multiply-adds divided by 32. */
int hl_threads_for(int threads, int64_t work);

/* Cuts [0, n) into n_ranges nearly equal ranges at multiples of `step`; range `index` is [*begin, *end). */
void hl_threads_cut(int64_t n, int64_t step, int index, int n_ranges, int64_t *begin, int64_t *end);

/* What one thread works on: [begin, end), never empty. */
typedef struct hl_range {
    int thread; /* 0 .. threads - 1, different for every working thread: the index of the thread's own memory */
    int64_t begin, end;
} hl_range;

typedef void hl_range_work(const void *context, hl_range range);

/* Cuts [0, n) by hl_threads_cut into one range per thread, calls `work` on each, and returns when all are done. If
 * there are fewer steps than threads, fewer threads work. A single range runs on the calling thread and only costs a
 * function call. More than HL_MAX_THREADS counts as HL_MAX_THREADS. `work` must not call this function. */
void hl_threads_run(int threads, int64_t n, int64_t step, hl_range_work *work, const void *context);

HL_END_DECLS
