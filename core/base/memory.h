/* All memory of the library comes from one small table of functions, so that tests can make the n-th allocation fail
 * and users can bring their own allocator. */
#pragma once

#include "core/base/declarations.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* `allocate` returns memory aligned to 64 bytes (a cache line, the widest vector register), or NULL. `reallocate` keeps
 * the content and only guarantees malloc's alignment; if it returns NULL, the old block is unchanged. `release` accepts
 * NULL. */
typedef struct hl_allocator {
    void *(*allocate)(size_t bytes);
    void *(*reallocate)(void *block, size_t bytes);
    void (*release)(void *block);
} hl_allocator;

/* Sets the table for the whole process; NULL restores the C library's functions. Call it once, before any
 * allocation. */
void hl_allocator_set(const hl_allocator *allocator);

/* Returns `bytes` uninitialised bytes (0 counts as 1), aligned to 64; NULL when out of memory. Free with hl_free. For
 * blocks of at least HL_MEMORY_LARGE bytes, from any allocator, Linux is asked to use huge pages (madvise). */
enum { HL_MEMORY_LARGE = 4 << 20 };
void *hl_malloc(size_t bytes);

/* Returns `count` zeroed elements of `size` bytes, aligned to 64; NULL when out of memory or when the product
 * overflows. Owned by the caller: hl_free. */
void *hl_calloc(size_t count, size_t size);

/* As realloc(block, count * size): keeps the content, leaves new bytes uninitialised, and has malloc's alignment. NULL
 * when out of memory or when the product overflows; `block` then stays valid. A block from hl_malloc is allowed. */
void *hl_realloc(void *block, size_t count, size_t size);

/* A copy of the string in new memory, or NULL when out of memory. Owned by the caller: hl_free. */
char *hl_strdup(const char *text);

/* Frees a block. NULL is allowed. */
void hl_free(void *block);

/* Whether `bytes` can be allocated now; frees them again. Ask before calling a library that crashes when an allocation
 * fails. HL_MEMORY_RESERVE is more than any of these libraries uses, and glibc returns a block of this size to the
 * system at once. */
enum { HL_MEMORY_RESERVE = 33 << 20 };
bool hl_memory_has(size_t bytes);

/* Writes a * b to *product; false if it does not fit into size_t. */
static inline bool hl_multiply_sizes(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

/* a * b and a + b, or SIZE_MAX if the result does not fit. For estimates. */
static inline size_t hl_size_product(size_t a, size_t b)
{
    size_t product;
    return hl_multiply_sizes(a, b, &product) ? product : SIZE_MAX;
}
static inline size_t hl_size_sum(size_t a, size_t b)
{
    size_t sum;
    return __builtin_add_overflow(a, b, &sum) ? SIZE_MAX : sum;
}

HL_END_DECLS
