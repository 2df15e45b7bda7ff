#include "tests/owned.h"

#include "core/base/memory.h"
#include "tests/scratch.h"

#include <check.h>
#include <string.h>

typedef struct tape_and_arena {
    hl_tape tape;
    hl_arena arena;
} tape_and_arena;

static void release_tape(void *owned)
{
    hl_arena_free(&((tape_and_arena *)owned)->arena);
    hl_free(owned);
}

hl_tape *owned_tape(size_t bytes, hl_tape_options options)
{
    tape_and_arena *owned = hl_calloc(1, sizeof *owned);
    ck_assert_ptr_nonnull(owned);
    ck_assert_int_eq(hl_arena_init(&owned->arena, bytes).code, HL_OK);
    memset(owned->arena.block, 0xff, owned->arena.capacity);
    hl_tape_begin(&owned->tape, &owned->arena, options);
    scratch_own(owned, release_tape);
    return &owned->tape;
}

void *owned_calloc(int64_t count, size_t size)
{
    void *block = hl_calloc((size_t)count, size);
    ck_assert_ptr_nonnull(block);
    return scratch_own(block, hl_free);
}
