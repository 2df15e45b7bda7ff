#include "core/arena.h"

#include "core/base/memory.h"

#include <assert.h>
#include <string.h>

enum { ALIGNMENT = 64 };

size_t hl_arena_round(size_t bytes)
{
    return bytes > SIZE_MAX - ALIGNMENT ? SIZE_MAX : (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

hl_status hl_arena_init(hl_arena *arena, size_t capacity)
{
    *arena = (hl_arena){ .block = hl_malloc(capacity) };
    if (arena->block == NULL) {
        return hl_error(HL_NO_MEMORY, "out of memory: %.0f MiB for one step", (double)capacity / (1 << 20));
    }
    arena->capacity = capacity;
    memset(arena->block, 0, capacity);
    return hl_ok();
}

void hl_arena_free(hl_arena *arena)
{
    hl_free(arena->block);
    *arena = (hl_arena){ 0 };
}

void *hl_arena_allocate(hl_arena *arena, size_t bytes)
{
    size_t rounded = hl_arena_round(bytes);
    if (rounded > arena->capacity - arena->used) {
        return NULL;
    }
    void *memory = arena->block + arena->used;
    arena->used += rounded;
    arena->peak = arena->used > arena->peak ? arena->used : arena->peak;
    return memory;
}

void hl_arena_rewind(hl_arena *arena, size_t mark)
{
    assert(mark <= arena->used);
    arena->used = mark;
}
