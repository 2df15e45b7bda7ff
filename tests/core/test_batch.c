#include "core/batch.h"

#include "tests/check_suite.h"

/* Three examples of 3, 1 and 4 tokens; the second has no target. */
static const int32_t offsets[4] = { 0, 3, 4, 8 };
static const int32_t tokens[8] = { 3, 4, 5, 6, 7, 8, 9, 3 }, positions[8] = { 0, 1, 2, 0, 0, 1, 2, 3 };
static const int64_t places[8] = { 0, 1, 2, 9, 18, 19, 20, 21 };
static const int32_t target_rows[4] = { 0, 2, 5, 7 }, target_ids[4] = { 1, 2, 3, 4 };
static const hl_batch whole = { .n_examples = 3,
                                .n_rows = 8,
                                .longest = 4,
                                .offsets = offsets,
                                .tokens = tokens,
                                .positions = positions,
                                .places = places,
                                .n_targets = 4,
                                .target_rows = target_rows,
                                .target_ids = target_ids };

TEST(a_slice_shares_the_arrays_and_has_its_own_targets)
{
    hl_batch slice = hl_batch_slice(&whole, 1, 2);
    ck_assert(slice.n_examples == 2 && slice.n_rows == 5 && slice.longest == 4 && slice.n_targets == 2);
    ck_assert_ptr_eq(slice.offsets, offsets + 1);
    ck_assert_ptr_eq(slice.tokens, tokens + 3);
    ck_assert_ptr_eq(slice.positions, positions + 3);
    ck_assert_ptr_eq(slice.places, places + 3);
    ck_assert_ptr_eq(slice.target_rows, target_rows + 2);
    ck_assert_ptr_eq(slice.target_ids, target_ids + 2);
    hl_sequences sequences = hl_batch_sequences(&slice);
    ck_assert(hl_sequences_first(&sequences, 0) == 0 && hl_sequences_length(&sequences, 0) == 1);
    ck_assert(hl_sequences_first(&sequences, 1) == 1 && hl_sequences_length(&sequences, 1) == 4);
    hl_batch last = hl_batch_slice(&slice, 1, 1); /* a slice of a slice */
    ck_assert(last.n_rows == 4 && last.n_targets == 2);
    ck_assert_ptr_eq(last.tokens, tokens + 4);
    ck_assert_ptr_eq(last.target_ids, target_ids + 2);
    ck_assert_int_eq(hl_batch_slice(&whole, 1, 1).n_targets, 0);
    ck_assert_int_eq(hl_batch_slice(&whole, 0, 1).n_targets, 2);
}

TEST(a_slice_has_no_array_that_the_batch_has_not)
{
    hl_batch bare = whole;
    bare.positions = NULL;
    bare.places = NULL;
    hl_batch slice = hl_batch_slice(&bare, 1, 1);
    ck_assert_ptr_null(slice.positions);
    ck_assert_ptr_null(slice.places);
}

TEST(as_many_examples_as_fit_and_one_at_least)
{
    ck_assert_int_eq(hl_batch_fitting(&whole, 0, 8), 3);
    ck_assert_int_eq(hl_batch_fitting(&whole, 0, 7), 2);
    ck_assert_int_eq(hl_batch_fitting(&whole, 0, 4), 2);
    ck_assert_int_eq(hl_batch_fitting(&whole, 0, 1), 1);
    ck_assert_int_eq(hl_batch_fitting(&whole, 2, 100), 1);
    ck_assert_int_eq(hl_batch_fitting(&whole, 1, 5), 2);
    ck_assert_int_eq(hl_batch_fitting(&whole, 1, 4), 1);
}

SUITE("batch")
