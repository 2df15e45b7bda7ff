/* Every file call and every allocation of a run or a sweep fails in turn: some of them here, all in
 * long/robust/test_faults.c. */
#include "tests/check_suite.h"
#include "tests/runs/fault_cases.h"

enum { MEMORY_STRIDE = 307, FILES_STRIDE = 167 };

START_TEST(a_run_outlives_failing_file_calls)
{
    fault_cases_run(FILES_STRIDE, _i == 1, FAULTY_FILES);
}
END_TEST

START_TEST(a_run_outlives_failing_allocations)
{
    fault_cases_run(MEMORY_STRIDE, _i == 1, FAULTY_MEMORY);
}
END_TEST

START_TEST(a_sweep_tells_of_each_file_that_it_cannot_replace)
{
    fault_cases_sweep_one_by_one();
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_loop_test(tc, a_run_outlives_failing_file_calls, 0, 2);
    tcase_add_loop_test(tc, a_run_outlives_failing_allocations, 0, 2);
    tcase_add_test(tc, a_sweep_tells_of_each_file_that_it_cannot_replace);
}
SUITE("faults", add_tests)
