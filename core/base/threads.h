/* Splits work over threads; no other file uses OpenMP's threads.
 *
 * The caller names the number of threads and cuts the work by rows or columns of the output, at places that change no
 * bit of the result: the same numbers come out at any thread count. */
#ifndef HL_CORE_BASE_THREADS_H
#define HL_CORE_BASE_THREADS_H

#include "core/base/declarations.h"

#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_MAX_THREADS = 64 };

/* Numbers in a cache line: ranges of single numbers are cut at multiples, so that no two threads write to one line. */
enum { HL_CACHE_LINE = 16 };

/* Tells OpenMP, and through it OpenBLAS, to start no threads of their own; hl_threads_run names its count each time.
 * Call it at the start of a program, and in every further thread that runs tapes. */
void hl_threads_setup(void);

/* The number of threads worth using: CPUs this process may run on, less where a container's CPU quota (cgroup v1 or v2)
 * allows fewer; at least 1, at most HL_MAX_THREADS. */
int hl_threads_default(void);

/* Has hl_threads_default divide these by so many processes, which share them, this one among them. At the start of a
 * program. */
void hl_threads_share(int processes);

/* How many threads are worth starting: `threads`, or 1 if the whole op takes less than about 20 microseconds. `work` is
 * the number of elements that the op touches, or its multiply-adds divided by 32. */
int hl_threads_for(int threads, int64_t work);

/* Cuts [0, n) into n_ranges nearly equal ranges at multiples of `step`; range `index` is [*begin, *end). */
void hl_threads_cut(int64_t n, int64_t step, int index, int n_ranges, int64_t *begin, int64_t *end);

/* What one thread works on: [begin, end), never empty. */
typedef struct hl_range {
    int thread; /* 0 .. threads - 1, different for every thread at work: the index of its own memory */
    int64_t begin, end;
} hl_range;

typedef void hl_range_work(const void *context, hl_range range);

/* Cuts [0, n) by hl_threads_cut into one range for each thread, calls `work` on each, and returns when all are done.
 * Where there are fewer steps than threads, fewer threads work; a single range is worked by the calling thread, at the
 * cost of a call. More than HL_MAX_THREADS counts as HL_MAX_THREADS. `work` must not call this function. */
void hl_threads_run(int threads, int64_t n, int64_t step, hl_range_work *work, const void *context);

HL_END_DECLS

#endif
