/* Every file call and every allocation of a run or a sweep fails in turn: some of them in robust/test_faults.c, all
 * here. */
#include "tests/check_suite.h"
#include "tests/runs/fault_cases.h"

enum { EVERY_ONE = 1, TIMEOUT_SECONDS = 1800 };

START_TEST(a_run_outlives_failing_file_calls)
{
    fault_cases_run(EVERY_ONE, _i == 1, FAULTY_FILES);
}
END_TEST

START_TEST(a_run_outlives_failing_allocations)
{
    fault_cases_run(EVERY_ONE, _i == 1, FAULTY_MEMORY);
}
END_TEST

START_TEST(a_sweep_outlives_failing_file_calls)
{
    fault_cases_sweep(EVERY_ONE, _i == 1, FAULTY_FILES);
}
END_TEST

START_TEST(a_sweep_outlives_failing_allocations)
{
    fault_cases_sweep(EVERY_ONE, _i == 1, FAULTY_MEMORY);
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_set_timeout(tc, TIMEOUT_SECONDS);
    tcase_add_loop_test(tc, a_run_outlives_failing_file_calls, 0, 2);
    tcase_add_loop_test(tc, a_run_outlives_failing_allocations, 0, 2);
    tcase_add_loop_test(tc, a_sweep_outlives_failing_file_calls, 0, 2);
    tcase_add_loop_test(tc, a_sweep_outlives_failing_allocations, 0, 2);
}
SUITE("all faults", add_tests)
