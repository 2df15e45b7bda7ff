/* Runs and sweeps that are killed and begun again leave the bytes of undisturbed ones. tests/long/robust/test_kills.c
 * does so many more times. */
#include "tests/check_suite.h"
#include "tests/runs/kills.h"

#include <signal.h>

/* Prime, so that all kinds of calls are hit. */
enum { STRIDE = 17, STRIDE_OF_ALL = 199, SWEEP_STRIDE = 101 };

TEST(a_run_killed_at_random_moments_leaves_the_same_bits)
{
    ck_assert_int_ge(kills_of_runs(8).hits, 8);
}

TEST(a_sweep_killed_at_random_moments_leaves_the_same_bits)
{
    ck_assert_int_ge(kills_of_sweeps(8).hits, 8);
}

TEST(a_call_killed_at_a_random_moment_leaves_its_sweep_to_the_others)
{
    ck_assert_int_ge(kills_of_calls(5), 5);
}

TEST(a_run_killed_at_a_file_call_leaves_the_same_bits)
{
    ck_assert_int_gt(kills_of_runs_at_calls(STRIDE, KILLING_BESIDE_SNAPSHOTS), 12);
}

TEST(a_run_killed_in_a_snapshot_leaves_the_same_bits)
{
    ck_assert_int_gt(kills_of_runs_at_calls(STRIDE_OF_ALL, KILLING_AT_ALL_CALLS), 9);
}

TEST(a_sweep_killed_at_a_file_call_leaves_the_same_bits)
{
    ck_assert_int_gt(kills_of_sweeps_at_calls(SWEEP_STRIDE), 2);
}

TEST(a_run_killed_again_and_again_leaves_the_same_bits)
{
    ck_assert_int_gt(kills_again_and_again(SIGKILL, STRIDE), 4);
}

TEST(a_run_interrupted_again_and_again_leaves_the_same_bits)
{
    ck_assert_int_gt(kills_again_and_again(SIGINT, STRIDE), 4);
}

SUITE("kills")
