/* Every file call and every allocation of a run or a sweep fails in turn: some of them in robust/test_faults.c, all
 * here. */
#include "tests/check_suite.h"
#include "tests/runs/fault_cases.h"

enum { EVERY_ONE = 1, TIMEOUT_SECONDS = 1800 };

LOOP_TEST(a_run_outlives_failing_file_calls, 0, 2)
{
    fault_cases_run(EVERY_ONE, _i == 1, FAULTY_FILES);
}

LOOP_TEST(a_run_outlives_failing_allocations, 0, 2)
{
    fault_cases_run(EVERY_ONE, _i == 1, FAULTY_MEMORY);
}

LOOP_TEST(a_sweep_outlives_failing_file_calls, 0, 2)
{
    fault_cases_sweep(EVERY_ONE, _i == 1, FAULTY_FILES);
}

LOOP_TEST(a_sweep_outlives_failing_allocations, 0, 2)
{
    fault_cases_sweep(EVERY_ONE, _i == 1, FAULTY_MEMORY);
}

SUITE("all faults", .seconds = TIMEOUT_SECONDS)
