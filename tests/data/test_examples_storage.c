#include "data/examples_storage.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"

TEST(a_batch_has_room_for_every_entry)
{
    hl_examples batch;
    CHECK_OK(hl_examples_allocate(3, 5, 2, &batch));
    ck_assert_int_eq(batch.n_examples, 3);
    ck_assert_int_eq(batch.n_tokens, 5);
    ck_assert_int_eq(batch.n_relations, 2);
    ck_assert_uint_eq(hl_examples_bytes(3, 5, 2), 3 * (5 * 5 + 1) * sizeof(int32_t));
    for (int32_t i = 0; i < 30; i++) {
        ck_assert_int_eq(batch.relations[i], 0);
        batch.relations[i] = 400 + i;
    }
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
        ck_assert_int_eq(batch.relations[i], 400 + i);
        ck_assert_int_eq(batch.relations[15 + i], 415 + i);
    }
    hl_examples_free(&batch);
    ck_assert_ptr_null(batch.tokens);
    ck_assert_int_eq(batch.n_examples, 0);
    hl_examples_free(&batch);
}

TEST(a_batch_without_relations_has_no_array_of_them)
{
    hl_examples batch = { 0 };
    CHECK_OK(hl_examples_allocate(3, 5, 0, &batch));
    ck_assert_int_eq(batch.n_relations, 0);
    ck_assert_ptr_null(batch.relations);
    hl_examples_free(&batch);
}

TEST(sizes_that_cannot_be_are_refused)
{
    static const int64_t sizes[][3] = {
        { 0, 5, 0 },         { 5, 0, 0 },         { -1, 5, 0 },        { 5, -1, 0 },
        { INT64_MAX, 8, 0 }, { 8, INT64_MAX, 0 }, { INT64_MIN, 1, 0 }, { 1ll << 33, 1ll << 33, 0 },
        { 5, 5, -1 },        { 5, 5, INT64_MIN }, { 5, 5, INT64_MAX }, { 1ll << 22, 1ll << 22, 1ll << 22 },
    };
    for (int i = 0; i < ROWS(sizes); i++) {
        hl_examples batch = { .n_tokens = 77 };
        ck_assert_int_eq(hl_examples_allocate(sizes[i][0], sizes[i][1], sizes[i][2], &batch).code, HL_INVALID);
        ck_assert_int_eq(batch.n_tokens, 77);
        ck_assert_uint_eq(hl_examples_bytes(sizes[i][0], sizes[i][1], sizes[i][2]), SIZE_MAX);
    }
    ck_assert_uint_eq(hl_examples_bytes(1ll << 31, 1ll << 31, 0), SIZE_MAX);
    hl_examples batch;
    ck_assert_int_eq(hl_examples_allocate(1ll << 31, 1ll << 31, 0, &batch).code,
                     HL_NO_MEMORY); /* in bytes it overflows */
}

TEST(a_batch_is_one_block)
{
    hl_examples batch = { 0 };
    faults_begin();
    faults_in_memory(1, FAULTS_FOR_EVER);
    ck_assert_int_eq(hl_examples_allocate(4, 4, 0, &batch).code, HL_NO_MEMORY);
    ck_assert_ptr_null(batch.tokens);
    faults_in_memory(2, FAULTS_FOR_EVER);
    CHECK_OK(hl_examples_allocate(4, 4, 0, &batch));
    ck_assert_int_eq(faults_live_blocks(), 1);
    hl_examples_free(&batch);
    ck_assert_int_eq(faults_live_blocks(), 0);
    faults_end();
}

SUITE("examples storage")
