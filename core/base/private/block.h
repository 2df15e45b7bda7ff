/* Several arrays in one block of memory, which are counted, allocated and freed together.
 *
 * A layout is a function that sets the pointers of a struct, one call of hl_block_take for each array. It runs twice:
 * first without memory, which only counts the bytes, then with it. What it does must depend on sizes alone. */
#pragma once

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* What a layout takes its arrays from. */
typedef struct hl_block {
    char *memory; /* NULL while bytes are counted */
    size_t bytes; /* taken so far; SIZE_MAX if they do not fit */
} hl_block;

typedef void hl_block_layout(void *context, hl_block *block);

/* The next `count` elements of `size` bytes, aligned as their type requires; NULL while bytes are counted. */
void *hl_block_take(hl_block *block, int64_t count, size_t size);

/* The bytes of all arrays of a layout; SIZE_MAX if they do not fit. */
size_t hl_block_bytes(hl_block_layout *layout, void *context);

/* Allocates the arrays, all zero, and lets the layout set their pointers. *memory: what the caller frees with hl_free.
 * HL_NO_MEMORY "out of memory: <what>"; *memory and the pointers are then NULL. */
hl_status hl_block_make(void **memory, hl_block_layout *layout, void *context, const char *what);
