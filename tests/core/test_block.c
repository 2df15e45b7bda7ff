/* Several arrays in one block of memory. */
#include "core/base/memory.h"
#include "core/base/private/block.h"
#include "tests/check_suite.h"

#include <stdbool.h>

typedef struct arrays {
    bool *flags;
    double *first, *last;
    int32_t *numbers;
} arrays;

static void lay_out(void *context, hl_block *block)
{
    arrays *a = context;
    a->flags = hl_block_take(block, 3, sizeof *a->flags);
    a->first = hl_block_take(block, 1, sizeof *a->first);
    a->numbers = hl_block_take(block, 1, sizeof *a->numbers);
    a->last = hl_block_take(block, 2, sizeof *a->last);
}

TEST(arrays_are_aligned_zero_and_apart)
{
    arrays a;
    void *memory;
    ck_assert_uint_eq(hl_block_bytes(lay_out, &a), 8 + 8 + 8 + 16);
    ck_assert_ptr_null(a.flags);
    CHECK_OK(hl_block_make(&memory, lay_out, &a, "arrays"));
    const char *begin = memory;
    ck_assert_ptr_eq(a.flags, memory);
    ck_assert_ptr_eq(a.first, begin + 8);
    ck_assert_ptr_eq(a.numbers, begin + 16);
    ck_assert_ptr_eq(a.last, begin + 24);
    for (size_t i = 0; i < 40; i++) {
        ck_assert_int_eq(begin[i], 0);
    }
    hl_free(memory);
}

static void lay_out_too_much(void *context, hl_block *block)
{
    arrays *a = context;
    a->first = hl_block_take(block, INT64_MAX, sizeof *a->first);
    a->last = hl_block_take(block, 0, sizeof *a->last);
}

TEST(what_does_not_fit_is_refused)
{
    arrays a;
    void *memory = &a;
    ck_assert_uint_eq(hl_block_bytes(lay_out_too_much, &a), SIZE_MAX);
    hl_status status = hl_block_make(&memory, lay_out_too_much, &a, "arrays");
    ck_assert_int_eq(status.code, HL_NO_MEMORY);
    ck_assert_str_eq(status.text, "out of memory: arrays");
    ck_assert(memory == NULL && a.first == NULL && a.last == NULL);
}

SUITE("blocks of arrays")
