#include "core/base/tensor.h"

#include "tests/check_suite.h"

TEST(counts_are_products)
{
    ck_assert_int_eq(hl_shape_count((hl_shape){ 0 }), 1);
    ck_assert_int_eq(hl_shape_count(HL_SHAPE(5)), 5);
    ck_assert_int_eq(hl_shape_count(HL_SHAPE(2, 3, 5, 7)), 210);
    ck_assert_int_eq(hl_shape_count(HL_SHAPE(2, 0, 5)), 0);
    ck_assert_int_eq(hl_shape_count(HL_SHAPE(INT64_MAX)), INT64_MAX);
}

TEST(impossible_counts_are_minus_one)
{
    int64_t big = (int64_t)1 << 32;
    ck_assert_int_eq(hl_shape_count(HL_SHAPE(big, big)), -1);
    ck_assert_int_eq(hl_shape_count(HL_SHAPE(big, big / 2)), -1);
    ck_assert_int_eq(hl_shape_count(HL_SHAPE(big, big / 4)), big / 4 * big);
    ck_assert_int_eq(hl_shape_count(HL_SHAPE(2, -1)), -1);
    ck_assert_int_eq(hl_shape_count(HL_SHAPE(-3, -2)), -1);
}

TEST(rows_are_all_but_the_last)
{
    ck_assert_int_eq(hl_shape_last((hl_shape){ 0 }), 1);
    ck_assert_int_eq(hl_shape_rows((hl_shape){ 0 }), 1);
    ck_assert_int_eq(hl_shape_last(HL_SHAPE(5)), 5);
    ck_assert_int_eq(hl_shape_rows(HL_SHAPE(5)), 1);
    ck_assert_int_eq(hl_shape_last(HL_SHAPE(2, 3, 5, 7)), 7);
    ck_assert_int_eq(hl_shape_rows(HL_SHAPE(2, 3, 5, 7)), 30);
}

TEST(shapes_are_equal_size_by_size)
{
    ck_assert(hl_shape_equal(HL_SHAPE(2, 3), HL_SHAPE(2, 3)));
    ck_assert(!hl_shape_equal(HL_SHAPE(2, 3), HL_SHAPE(3, 2)));
    ck_assert(!hl_shape_equal(HL_SHAPE(2, 3), HL_SHAPE(2, 3, 1)));
    ck_assert(!hl_shape_equal(HL_SHAPE(1), (hl_shape){ 0 }));
    hl_shape dirty = HL_SHAPE(2, 3); /* what lies beyond the dimensions does not count */
    dirty.size[3] = 9;
    ck_assert(hl_shape_equal(dirty, HL_SHAPE(2, 3)));
}

TEST(shapes_are_written_in_parentheses)
{
    char text[HL_SHAPE_TEXT];
    ck_assert_str_eq(hl_shape_text((hl_shape){ 0 }, text), "()");
    ck_assert_str_eq(hl_shape_text(HL_SHAPE(7), text), "(7)");
    ck_assert_str_eq(hl_shape_text(HL_SHAPE(64, 21, 32), text), "(64, 21, 32)");
    ck_assert_str_eq(hl_shape_text(HL_SHAPE(INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN), text),
                     "(-9223372036854775808, -9223372036854775808, -9223372036854775808, -9223372036854775808)");
}

SUITE("tensor")
