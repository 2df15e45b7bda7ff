#include "programs/bench/allocations.h"

#include "core/base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>

/* The table's functions are given no context, and any thread may call them. */
static atomic_llong n_allocations;

static void *allocate(size_t bytes)
{
    enum { ALIGNMENT = 64 };
    size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    n_allocations++;
    return rounded < bytes ? NULL : aligned_alloc(ALIGNMENT, rounded);
}

static void *reallocate(void *block, size_t bytes)
{
    n_allocations++;
    return realloc(block, bytes);
}

void hl_bench_allocations_count(void)
{
    static const hl_allocator counting = { allocate, reallocate, free };
    hl_allocator_set(&counting);
}

int64_t hl_bench_allocations(void)
{
    return n_allocations;
}
