/* Runs and sweeps killed and begun again leave the bytes of undisturbed ones. The same many more times: long_test_kills.c */
#include "tests/check_suite.h"
#include "tests/scratch.h"
#include "tests/train/kills.h"
#include "tests/train/sweeps.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

START_TEST(a_run_killed_at_random_moments_leaves_the_same_bits)
{
    ck_assert_int_ge(kills_of_runs(20).hits, 20);
}
END_TEST

START_TEST(a_sweep_killed_at_random_moments_leaves_the_same_bits)
{
    ck_assert_int_ge(kills_of_sweeps(20).hits, 20);
}
END_TEST

START_TEST(a_sweep_killed_at_an_access_to_a_file_leaves_the_same_bits)
{
    ck_assert_int_gt(kills_of_sweeps_at_accesses(17), 5);
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, a_run_killed_at_random_moments_leaves_the_same_bits);
    tcase_add_test(tc, a_sweep_killed_at_random_moments_leaves_the_same_bits);
    tcase_add_test(tc, a_sweep_killed_at_an_access_to_a_file_leaves_the_same_bits);
}
SUITE("kills", add_tests)
