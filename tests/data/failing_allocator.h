/* An allocator whose n-th call fails, and which knows how many blocks are alive. */
#ifndef HL_TESTS_DATA_FAILING_ALLOCATOR_H
#define HL_TESTS_DATA_FAILING_ALLOCATOR_H

#include "core/base/memory.h"

#include <stdlib.h>

static int allocations_left; /* before one fails; negative: none fails */
static int blocks_alive;

static void *failing_allocate(size_t bytes)
{
    if (allocations_left == 0) {
        return NULL;
    }
    allocations_left--;
    blocks_alive++;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void *failing_reallocate(void *block, size_t bytes)
{
    if (allocations_left == 0) {
        return NULL;
    }
    allocations_left--;
    blocks_alive += block == NULL;
    return realloc(block, bytes);
}

static void counting_release(void *block)
{
    blocks_alive -= block != NULL;
    free(block);
}

static const hl_allocator failing_allocator = { failing_allocate, failing_reallocate, counting_release };

#endif
