/* Every file call and every allocation of a run or a sweep fails in turn: some of them here, all in
 * long/robust/test_faults.c. */
#include "tests/check_suite.h"
#include "tests/runs/fault_cases.h"

enum { MEMORY_STRIDE = 307, FILES_STRIDE = 167 };

LOOP_TEST(a_run_outlives_failing_file_calls, 0, 2)
{
    fault_cases_run(FILES_STRIDE, _i == 1, FAULTY_FILES);
}

LOOP_TEST(a_run_outlives_failing_allocations, 0, 2)
{
    fault_cases_run(MEMORY_STRIDE, _i == 1, FAULTY_MEMORY);
}

TEST(a_sweep_tells_of_each_file_that_it_cannot_replace)
{
    fault_cases_sweep_one_by_one();
}

SUITE("faults")
