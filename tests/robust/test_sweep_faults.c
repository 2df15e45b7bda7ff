/* Every file call and every allocation of a sweep fails in turn: some of them here, all in
 * long/robust/test_faults.c. */
#include "tests/check_suite.h"
#include "tests/runs/fault_cases.h"

enum { MEMORY_STRIDE = 421, FILES_STRIDE = 263 };

LOOP_TEST(a_sweep_outlives_failing_file_calls, 0, 2)
{
    fault_cases_sweep(FILES_STRIDE, _i == 1, FAULTY_FILES);
}

LOOP_TEST(a_sweep_outlives_failing_allocations, 0, 2)
{
    fault_cases_sweep(MEMORY_STRIDE, _i == 1, FAULTY_MEMORY);
}

SUITE("sweep faults")
