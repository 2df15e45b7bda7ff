#include "tests/tapes.h"

#include "core/base/memory.h"
#include "tests/scratch.h"

#include <check.h>
#include <string.h>

typedef struct owned_tape {
    hl_tape tape;
    hl_arena arena;
} owned_tape;

static void release(void *owned)
{
    hl_arena_free(&((owned_tape *)owned)->arena);
    hl_free(owned);
}

hl_tape *tapes_begin(size_t bytes, hl_tape_options options)
{
    owned_tape *owned = hl_calloc(1, sizeof *owned);
    ck_assert_ptr_nonnull(owned);
    ck_assert_int_eq(hl_arena_init(&owned->arena, bytes).code, HL_OK);
    memset(owned->arena.block, 0xff, owned->arena.capacity);
    hl_tape_begin(&owned->tape, &owned->arena, options);
    scratch_own(owned, release);
    return &owned->tape;
}
