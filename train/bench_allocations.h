/* Counts what is allocated through core/memory.h. */
#ifndef HL_TRAIN_BENCH_ALLOCATIONS_H
#define HL_TRAIN_BENCH_ALLOCATIONS_H

#include <stdint.h>

/* From now on the process's allocations are counted; blocks allocated before may still be resized and freed. */
void hl_bench_allocations_count(void);

/* How many there were so far, resized blocks included. */
int64_t hl_bench_allocations(void);

#endif
