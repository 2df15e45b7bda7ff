/* All memory of the library comes through one small table of functions, so that tests can make the n-th allocation
 * fail and users can bring an allocator of their own. */
#ifndef HL_CORE_BASE_MEMORY_H
#define HL_CORE_BASE_MEMORY_H

#include "core/base/declarations.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* `allocate` returns memory at a multiple of 64 bytes (a cache line, the widest vector register), or NULL.
 * `reallocate` keeps the content and promises malloc's alignment only; NULL leaves the old block as it was.
 * `release` takes NULL. */
typedef struct hl_allocator {
    void *(*allocate)(size_t bytes);
    void *(*reallocate)(void *block, size_t bytes);
    void (*release)(void *block);
} hl_allocator;

/* Sets the process-wide table; NULL restores the C library's. Call it once, before anything is allocated. */
void hl_allocator_set(const hl_allocator *allocator);

/* `bytes` uninitialised bytes (0 counts as 1) at a multiple of 64; NULL when out of memory. Free with hl_free. Linux is
 * asked to back blocks of at least HL_MEMORY_LARGE bytes, of whatever allocator, with huge pages (madvise). */
enum { HL_MEMORY_LARGE = 4 << 20 };
void *hl_malloc(size_t bytes);

/* `count` zeroed elements of `size` bytes at a multiple of 64; NULL when out of memory or when the product overflows.
 * Owned by the caller: hl_free. */
void *hl_calloc(size_t count, size_t size);

/* As realloc(block, count * size): the content is kept, new bytes are uninitialised, the alignment is malloc's. NULL
 * when out of memory or when the product overflows; `block` then still stands. A block from hl_malloc may be given. */
void *hl_realloc(void *block, size_t count, size_t size);

/* A copy of the string in new memory, NULL when out of memory. Owned by the caller: hl_free. */
char *hl_strdup(const char *text);

/* NULL is allowed. */
void hl_free(void *block);

/* Whether `bytes` can be allocated at this moment; they are freed again. Ask before calling a library that crashes when
 * an allocation fails. HL_MEMORY_RESERVE is more than any of them uses, and glibc returns so much at once. */
enum { HL_MEMORY_RESERVE = 33 << 20 };
bool hl_memory_has(size_t bytes);

/* a * b into *product; false where it does not fit into size_t. */
static inline bool hl_multiply_sizes(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

/* a * b and a + b, or SIZE_MAX where that does not fit: for estimates. */
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

#endif
