/* Hundreds of kills. HEADLIGHT_KILLS=1000 in the environment: so many of either kind; with CK_TIMEOUT_MULTIPLIER=10.
 * A training killed at every file call is killed some 2,200 times, which takes minutes. */
#include "tests/check_suite.h"
#include "tests/runs/kills.h"

#include <stdio.h>
#include <stdlib.h>

static int wanted(void)
{
    const char *text = getenv("HEADLIGHT_KILLS");
    int n = text != NULL ? atoi(text) : 200;
    ck_assert_int_gt(n, 0);
    return n;
}

TEST(a_run_killed_at_random_moments_leaves_the_same_bits)
{
    kill_counts counts = kills_of_runs(wanted());
    printf("%d kills of a training: %d before its first file, %d before its first checkpoint, %d before its last, %d "
           "after that; %d runs\n",
           counts.hits, counts.starting, counts.before, counts.during, counts.end, counts.finished);
    ck_assert_int_gt(counts.before, 0);
    ck_assert_int_gt(counts.during, 0);
    ck_assert_int_gt(counts.end, 0);
}

TEST(a_sweep_killed_at_random_moments_leaves_the_same_bits)
{
    kill_counts counts = kills_of_sweeps(wanted());
    printf("%d kills of a sweep: %d of itself, %d of a training; %d sweeps\n", counts.hits, counts.parents,
           counts.trainings, counts.finished);
    ck_assert_int_gt(counts.parents, 0);
    ck_assert_int_gt(counts.trainings, 0);
}

TEST(a_call_killed_at_a_random_moment_leaves_its_sweep_to_the_others)
{
    printf("%d kills of one of several calls of a sweep\n", kills_of_calls(wanted()));
}

TEST(a_run_killed_at_any_file_call_leaves_the_same_bits)
{
    int hits = kills_of_runs_at_calls(1, KILLING_AT_ALL_CALLS);
    printf("%d kills of a training, one at each of its file calls\n", hits);
    ck_assert_int_gt(hits, 2000);
}

TEST(a_sweep_killed_at_any_file_call_leaves_the_same_bits)
{
    int hits = kills_of_sweeps_at_calls(1);
    printf("%d kills of a sweep, one at each of its file calls\n", hits);
    ck_assert_int_gt(hits, 50);
}

SUITE("many kills", .seconds = 1800)
