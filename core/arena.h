/* The memory of one training step: one block, handed out from front to back and emptied at once.
 *
 * Before the first step, a dry pass (tape_memory.h) finds out how large the block must be. A step then asks the system
 * for no memory. */
#ifndef HL_CORE_ARENA_H
#define HL_CORE_ARENA_H

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

/* `bytes` uninitialised bytes at a multiple of 64, valid until the arena is rewound past them; NULL when it is full. */
void *hl_arena_allocate(hl_arena *arena, size_t bytes);

/* Gives back everything handed out since `used` was `mark`. Cannot fail. */
void hl_arena_rewind(hl_arena *arena, size_t mark);

/* The bytes of the arena that an allocation of `bytes` uses: rounded up to a multiple of 64. Saturates at SIZE_MAX. */
size_t hl_arena_round(size_t bytes);

HL_END_DECLS

#endif
