/* The built program takes the memory that its summary told, and gets along with it. */
#include "tests/check_suite.h"
#include "tests/train/runs.h"
#include "tests/train/told_memory.h"

static const char *const configs[] = { "copy_task.ini", "bench/tiny.ini", "bench/small.ini", "bench/long.ini" };

START_TEST(a_run_takes_what_the_summary_told)
{
    told_memory_check(configs[_i]);
}
END_TEST

/* Batches of every length in turn: none needs more memory than was planned, though what backward gives back fits some of
 * them less well than the longest. */
START_TEST(shorter_batches_fit_too)
{
    const char *path = run_config("lengths.ini", "[task]\nname = identity_copy\nmin_length = 300\nlength = 349\n"
                                                 "symbols = 82\n[model]\nlayers = 1\nd_model = 128\nheads = 2\n"
                                                 "d_ff = 256\ndropout = 0.1\n[train]\nsteps = 40\nbatch_size = 2\n"
                                                 "eval_every = 0\neval_examples = 50\ncheckpoint_every = 0\n"
                                                 "[patterns]\nexamples = 0\n");
    EXPECT_RUN(0, path, "--out", run_path("run"), "--quiet");
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_run_takes_what_the_summary_told, 0, sizeof configs / sizeof *configs);
    tcase_add_test(tc, shorter_batches_fit_too);
}
SUITE("memory of a run", add_tests)
