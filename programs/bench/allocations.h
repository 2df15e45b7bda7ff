/* Counts what is allocated through core/base/memory.h: by Headlight, and by the libraries that take its allocator. What
 * others take for themselves is not counted: OpenMP's and OpenBLAS's memory, and the code that LIBXSMM generates when a
 * product first comes up, as where a batch is longer or shorter than any before. */
#ifndef HL_PROGRAMS_BENCH_ALLOCATIONS_H
#define HL_PROGRAMS_BENCH_ALLOCATIONS_H

#include <stdint.h>

/* From now on these allocations are counted; blocks allocated before may still be resized and freed. */
void hl_bench_allocations_count(void);

/* How many there were so far, resized blocks included. */
int64_t hl_bench_allocations(void);

#endif
