/* How work is spread over threads.
 *
 * A parallel region always carries its own num_threads clause, and work is cut by rows or columns of the output at
 * places that do not change a bit of the result: the same numbers come out at any thread count. */
#ifndef HL_CORE_THREADS_H
#define HL_CORE_THREADS_H

#include <stdint.h>

enum { HL_MAX_THREADS = 64 };

/* Tells OpenMP and through it OpenBLAS to start no threads of their own: every region of the library names its count.
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

#endif
