/* Counts allocations through core/base/memory.h: by Headlight, and by libraries that use its allocator. Other memory is
 * not counted: that of OpenMP and OpenBLAS, and the code that LIBXSMM generates for products of a new shape, for
 * example when a batch is longer or shorter than any before. */
#pragma once

#include <stdint.h>

/* Counts these allocations from now on. Blocks that were allocated before may still be resized and freed. */
void hl_bench_allocations_count(void);

/* The number of allocations so far, including resized blocks. */
int64_t hl_bench_allocations(void);
