#include "data/batch_storage.h"
#include "tests/check_suite.h"
#include "tests/data/failing_allocator.h"

START_TEST(a_batch_has_room_for_every_entry)
{
    hl_batch batch;
    ck_assert_int_eq(hl_batch_allocate(3, 5, &batch).code, HL_OK);
    ck_assert_int_eq(batch.n_examples, 3);
    ck_assert_int_eq(batch.n_tokens, 5);
    for (int32_t i = 0; i < 15; i++) {
        ck_assert_int_eq(batch.tokens[i], 0);
        batch.tokens[i] = i;
        batch.targets[i] = 100 + i;
        batch.sources[i] = 200 + i;
        batch.lengths[i % 3] = 300 + i % 3;
    }
    for (int32_t i = 0; i < 15; i++) { /* no array reaches into another */
        ck_assert_int_eq(batch.tokens[i], i);
        ck_assert_int_eq(batch.targets[i], 100 + i);
        ck_assert_int_eq(batch.sources[i], 200 + i);
        ck_assert_int_eq(batch.lengths[i % 3], 300 + i % 3);
    }
    hl_batch_free(&batch);
    ck_assert_ptr_null(batch.tokens);
    ck_assert_int_eq(batch.n_examples, 0);
    hl_batch_free(&batch);
}
END_TEST

START_TEST(sizes_that_cannot_be_are_refused)
{
    static const int64_t sizes[][2] = {
        { 0, 5 },         { 5, 0 },         { -1, 5 },        { 5, -1 },
        { INT64_MAX, 8 }, { 8, INT64_MAX }, { INT64_MIN, 1 }, { 1ll << 33, 1ll << 33 }
    };
    for (int i = 0; i < 8; i++) {
        hl_batch batch = { .n_tokens = 77 };
        ck_assert_int_eq(hl_batch_allocate(sizes[i][0], sizes[i][1], &batch).code, HL_INVALID);
        ck_assert_int_eq(batch.n_tokens, 77);
    }
    hl_batch batch;
    ck_assert_int_eq(hl_batch_allocate(1ll << 31, 1ll << 31, &batch).code, HL_NO_MEMORY); /* in bytes it overflows */
}
END_TEST

START_TEST(a_batch_is_one_block)
{
    hl_batch batch = { 0 };
    hl_allocator_set(&failing_allocator);
    allocations_left = 0;
    ck_assert_int_eq(hl_batch_allocate(4, 4, &batch).code, HL_NO_MEMORY);
    ck_assert_ptr_null(batch.tokens);
    allocations_left = 1;
    ck_assert_int_eq(hl_batch_allocate(4, 4, &batch).code, HL_OK);
    ck_assert_int_eq(blocks_alive, 1);
    hl_batch_free(&batch);
    ck_assert_int_eq(blocks_alive, 0);
    hl_allocator_set(NULL);
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, a_batch_has_room_for_every_entry);
    tcase_add_test(tc, sizes_that_cannot_be_are_refused);
    tcase_add_test(tc, a_batch_is_one_block);
}
SUITE("batch storage", add_tests)
