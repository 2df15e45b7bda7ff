#include "heads/cadence.h"
#include "tests/check_suite.h"

static const hl_cadence series = { HL_CADENCE_LOG };

START_TEST(the_series_is_1_2_5_10_and_so_on)
{
    static const int64_t recorded[] = { 0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 1234 };
    int next = 0;
    for (int64_t step = 0; step <= 1234; step++) {
        bool expected = step == recorded[next];
        ck_assert_msg(hl_cadence_records(series, step, 1234) == expected, "step %lld", (long long)step);
        next += expected;
    }
    ck_assert_int_eq(next, 12);
    ck_assert_int_eq(hl_cadence_count(series, 1234), 12);
    ck_assert(hl_cadence_records(series, 5000000000000000000, INT64_MAX));
    ck_assert_int_eq(hl_cadence_count(series, INT64_MAX), 1 + 3 * 19 + 1); /* 5e18 < 2^63 - 1 */
}
END_TEST

START_TEST(every_nth_step_is_recorded_and_the_last)
{
    hl_cadence by_7 = { 7 };
    for (int64_t step = 0; step <= 30; step++) {
        ck_assert(hl_cadence_records(by_7, step, 30) == (step % 7 == 0 || step == 30));
    }
    ck_assert(!hl_cadence_records(by_7, 30, 31));
}
END_TEST

START_TEST(the_count_is_the_number_of_recorded_steps)
{
    static const int64_t every[] = { HL_CADENCE_LOG, 1, 2, 3, 10, 1000 };
    hl_cadence cadence = { every[_i] };
    for (int64_t last = 0; last <= 130; last++) {
        int64_t count = 0;
        for (int64_t step = 0; step <= last; step++) {
            count += hl_cadence_records(cadence, step, last);
        }
        ck_assert_int_eq(hl_cadence_count(cadence, last), count);
    }
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, the_series_is_1_2_5_10_and_so_on);
    tcase_add_test(tc, every_nth_step_is_recorded_and_the_last);
    tcase_add_loop_test(tc, the_count_is_the_number_of_recorded_steps, 0, 6);
}
SUITE("cadence", add_tests)
