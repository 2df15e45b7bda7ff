/* The built program takes the memory that its summary told: the workload that takes the most. */
#include "tests/check_suite.h"
#include "tests/runs/told_memory.h"

START_TEST(a_large_run_takes_what_the_summary_told)
{
    told_memory_check("bench/base.ini");
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, a_large_run_takes_what_the_summary_told);
}
SUITE("memory of a large run", add_tests)
