#include "core/arena.h"
#include "tests/check_suite.h"

#include <stdint.h>

TEST(takes_are_aligned_disjoint_and_bounded)
{
    hl_arena arena;
    CHECK_OK(hl_arena_init(&arena, 256));
    char *a = hl_arena_allocate(&arena, 1);
    char *b = hl_arena_allocate(&arena, 65);
    ck_assert_uint_eq((uintptr_t)a % 64, 0);
    ck_assert_ptr_eq(b, a + 64);
    ck_assert_uint_eq(arena.used, 192);
    ck_assert_ptr_null(hl_arena_allocate(&arena, 65));
    ck_assert_ptr_null(hl_arena_allocate(&arena, SIZE_MAX));
    ck_assert_ptr_nonnull(hl_arena_allocate(&arena, 64));
    hl_arena_free(&arena);
}

TEST(a_rewind_gives_back_and_the_peak_stays)
{
    hl_arena arena;
    CHECK_OK(hl_arena_init(&arena, 1024));
    hl_arena_allocate(&arena, 64);
    size_t mark = arena.used;
    char *first = hl_arena_allocate(&arena, 512);
    hl_arena_rewind(&arena, mark);
    ck_assert_ptr_eq(hl_arena_allocate(&arena, 64), first);
    ck_assert_uint_eq(arena.peak, 576);
    hl_arena_free(&arena);
    hl_arena_free(&arena);
}

SUITE("arena")
