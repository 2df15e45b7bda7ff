#include "core/private/free_list.h"
#include "core/random.h"
#include "tests/check_suite.h"

#include <stdbool.h>

START_TEST(the_smallest_block_that_holds_it_serves)
{
    hl_free_list list = { 0 };
    hl_free_block blocks[3];
    hl_free_list_give(&list, &blocks[0], 1000, 300);
    hl_free_list_give(&list, &blocks[1], 2000, 100);
    hl_free_list_give(&list, &blocks[2], 3000, 200);
    ck_assert_uint_eq(hl_free_list_take(&list, 301), 0);
    ck_assert_uint_eq(hl_free_list_take(&list, 150), 3000);
    ck_assert_uint_eq(hl_free_list_take(&list, 100), 2000); /* not the rest of 50 at 3150 */
    ck_assert_uint_eq(hl_free_list_take(&list, 50), 3150);
    ck_assert_uint_eq(hl_free_list_take(&list, 100), 1000);
    ck_assert_uint_eq(hl_free_list_take(&list, 200), 1100);
    ck_assert_ptr_null(list.first);
}
END_TEST

START_TEST(neighbours_are_joined_in_any_order)
{
    static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    hl_free_list list = { 0 };
    hl_free_block blocks[3];
    for (int i = 0; i < 3; i++) {
        hl_free_list_give(&list, &blocks[i], 1000 + 10 * (uintptr_t)orders[_i][i], 10);
    }
    ck_assert_uint_eq(hl_free_list_take(&list, 30), 1000);
    ck_assert_ptr_null(list.first);
}
END_TEST

START_TEST(no_byte_is_lost_or_had_twice)
{
    enum { SIZE = 512, ROUNDS = 4000 };
    static hl_free_block blocks[ROUNDS + 1];
    static bool used[SIZE];
    struct {
        uintptr_t begin;
        size_t size;
    } taken[SIZE] = { { 0, 0 } };
    hl_free_list list = { 0 };
    hl_free_list_give(&list, &blocks[ROUNDS], 1, SIZE);
    int n = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint32_t size = 1 + hl_random_below((hl_random){ .seed = 1 }, round, 40);
        uintptr_t begin = hl_free_list_take(&list, size);
        if (begin != 0) {
            for (uintptr_t i = begin; i < begin + size; i++) {
                ck_assert(i >= 1 && i <= SIZE && !used[i - 1]);
                used[i - 1] = true;
            }
            taken[n].begin = begin;
            taken[n++].size = size;
        } else {
            ck_assert_int_gt(n, 0);
            n--;
            for (uintptr_t i = 0; i < taken[n].size; i++) {
                used[taken[n].begin + i - 1] = false;
            }
            hl_free_list_give(&list, &blocks[round], taken[n].begin, taken[n].size);
        }
    }
    for (int i = 0; i < n; i++) {
        static hl_free_block last[SIZE];
        hl_free_list_give(&list, &last[i], taken[i].begin, taken[i].size);
    }
    ck_assert_uint_eq(hl_free_list_take(&list, SIZE), 1);
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, the_smallest_block_that_holds_it_serves);
    tcase_add_loop_test(tc, neighbours_are_joined_in_any_order, 0, 6);
    tcase_add_test(tc, no_byte_is_lost_or_had_twice);
}
SUITE("free list", add_tests)
