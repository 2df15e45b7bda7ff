/* An allocator that counts the bytes in use. */
#pragma once

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { COUNTING_HEADER = 64 }; /* before each block; holds its size */

static _Atomic size_t counting_live, counting_peak; /* tests that come later may allocate in several threads */

static inline size_t *counting_size(void *block)
{
    return (size_t *)(void *)((char *)block - COUNTING_HEADER);
}

static inline void *counting_allocate(size_t bytes)
{
    char *start = aligned_alloc(64, COUNTING_HEADER + (bytes + 63) / 64 * 64);
    if (start == NULL) {
        return NULL;
    }
    *counting_size(start + COUNTING_HEADER) = bytes;
    counting_live += bytes;
    counting_peak = counting_live > counting_peak ? counting_live : counting_peak;
    return start + COUNTING_HEADER;
}

static inline void counting_release(void *block)
{
    if (block != NULL) {
        counting_live -= *counting_size(block);
        free(counting_size(block));
    }
}

static inline void *counting_reallocate(void *block, size_t bytes)
{
    void *larger = counting_allocate(bytes);
    if (larger != NULL && block != NULL) {
        size_t kept = *counting_size(block) < bytes ? *counting_size(block) : bytes;
        memcpy(larger, block, kept);
        counting_release(block);
    }
    return larger;
}

/* To be called before anything is allocated that is freed later. */
static inline void counting_begin(void)
{
    static const hl_allocator table = { counting_allocate, counting_reallocate, counting_release };
    counting_live = counting_peak = 0;
    hl_allocator_set(&table);
}
