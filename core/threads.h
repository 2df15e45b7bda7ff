/* How work is spread over threads: the only place that knows of OpenMP's threads.
 *
 * Whoever shares work out says on how many threads, and cuts it by rows or columns of the output at places that do not
 * change a bit of the result: the same numbers come out at any thread count. */
#ifndef HL_CORE_THREADS_H
#define HL_CORE_THREADS_H

#include "core/declarations.h"

#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_MAX_THREADS = 64 };

/* The step of cuts between single numbers: whole lines of a cache, so that no two threads write to one. */
enum { HL_CACHE_LINE = 16 };

/* Tells OpenMP and through it OpenBLAS to start no threads of their own: hl_threads_run names its count each time.
 * To be called at the start of a program, and by every further thread that runs tapes. */
void hl_threads_setup(void);

/* The number of threads worth using: CPUs this process may run on, less where a container's CPU quota (cgroup v1 or v2)
 * allows fewer; at least 1, at most HL_MAX_THREADS. */
int hl_threads_default(void);

/* `threads`, or 1 where the whole op takes less than some 20 microseconds, about what forks and joins would eat up.
 * `work` is in elementary operations (elements touched, or multiply-adds divided by 32). */
int hl_threads_for(int threads, int64_t work);

/* Part `part` of `n_parts` nearly equal parts of [0, n): [*begin, *end). Cuts fall on multiples of `step`. */
void hl_threads_part(int64_t n, int64_t step, int part, int n_parts, int64_t *begin, int64_t *end);

/* One thread's part of a range. */
typedef struct hl_share {
    int thread; /* its number among those at work, 0 .. threads - 1, which no other has: for memory of its own */
    int64_t begin, end; /* never empty */
} hl_share;

typedef void hl_share_work(const void *context, hl_share share);

/* Has [0, n) worked in one share a thread, cut by hl_threads_part at multiples of `step`, and returns when all are
 * done. Where there are fewer steps than threads, fewer threads work; one share is worked by the calling thread, at no
 * more cost than a call. More than HL_MAX_THREADS count as HL_MAX_THREADS. `work` must not share out work itself. */
void hl_threads_run(int threads, int64_t n, int64_t step, hl_share_work *work, const void *context);

HL_END_DECLS

#endif
