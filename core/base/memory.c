#define _DEFAULT_SOURCE /* madvise */
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 64 };

static void *system_allocate(size_t bytes)
{
    size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return rounded < bytes ? NULL : aligned_alloc(ALIGNMENT, rounded);
}

static const hl_allocator system_allocator = { system_allocate, realloc, free };
static hl_allocator current = { system_allocate, realloc, free };

void hl_allocator_set(const hl_allocator *allocator)
{
    current = allocator != NULL ? *allocator : system_allocator;
}

/* Products walk over rows that lie pages apart. With pages of 4 KiB, they would wait for the addresses of many pages.
 * The system's answer does not matter: it either has huge pages or not. */
static void prefer_huge_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = ((uintptr_t)block + page - 1) / page * page, end = ((uintptr_t)block + bytes) / page * page;
    madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
    (void)block, (void)bytes;
#endif
}

void *hl_malloc(size_t bytes)
{
    void *block = current.allocate(bytes > 0 ? bytes : 1);
    if (block != NULL && bytes >= HL_MEMORY_LARGE) {
        prefer_huge_pages(block, bytes);
    }
    return block;
}

void *hl_calloc(size_t count, size_t size)
{
    size_t bytes;
    if (!hl_multiply_sizes(count, size, &bytes)) {
        return NULL;
    }
    void *block = hl_malloc(bytes);
    if (block != NULL) {
        memset(block, 0, bytes);
    }
    return block;
}

void *hl_realloc(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (!hl_multiply_sizes(count, size, &bytes)) {
        return NULL;
    }
    return current.reallocate(block, bytes > 0 ? bytes : 1);
}

char *hl_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = hl_malloc(bytes);
    if (copy != NULL) {
        memcpy(copy, text, bytes);
    }
    return copy;
}

bool hl_memory_has(size_t bytes)
{
    void *block = hl_malloc(bytes);
    hl_free(block);
    return block != NULL;
}

void hl_free(void *block)
{
    current.release(block);
}
