/* The memory of one training step: one block, handed out from front to back and emptied all at once.
 *
 * Before the first step, a dry pass (tape_memory.h) measures how large the block must be. A step then requests no
 * memory from the system. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"

#include <stddef.h>

HL_BEGIN_DECLS

typedef struct hl_arena {
    char *block;
    size_t capacity; /* bytes */
    size_t used;     /* bytes */
    size_t peak;     /* the largest `used` so far, bytes */
} hl_arena;

/* Allocates the block and touches every page of it, so that no step pays for a page fault. Fails with HL_NO_MEMORY;
 * `arena` is then empty and may be given to hl_arena_free. */
hl_status hl_arena_init(hl_arena *arena, size_t capacity);

/* Frees the block. A zeroed or already freed arena is allowed. */
void hl_arena_free(hl_arena *arena);

/* Returns `bytes` uninitialised bytes, aligned to 64. They stay valid until the arena is rewound past them. NULL when
 * the arena is full. */
void *hl_arena_allocate(hl_arena *arena, size_t bytes);

/* Releases everything handed out since `used` was `mark`. Cannot fail. */
void hl_arena_rewind(hl_arena *arena, size_t mark);

/* The arena bytes that an allocation of `bytes` uses: `bytes` rounded up to a multiple of 64, at most SIZE_MAX. */
size_t hl_arena_round(size_t bytes);

HL_END_DECLS
