/* The built program takes the memory that its summary told. */
#include "tests/check_suite.h"
#include "tests/train/runs.h"
#include "train/footprint.h"
#include "train/setup.h"

#include <math.h>
#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

static double told_mib(const char *path)
{
    hl_config config;
    hl_problems problems = { 0 };
    ck_assert_int_eq(hl_config_load((hl_config_options){ .path = path }, &config, &problems).code, HL_OK);
    hl_model_config model_config = hl_setup_model(&config);
    hl_model model;
    hl_footprint footprint;
    ck_assert_int_eq(hl_model_init(&model, &model_config).code, HL_OK);
    ck_assert_int_eq(hl_footprint_of(&config, &model, &footprint).code, HL_OK);
    hl_model_free(&model);
    return (double)footprint.total / (1 << 20);
}

/* One run a test: the largest of a process's children is what the system counts. */
static const char *const configs[] = { "copy_task.ini", "bench/tiny.ini", "bench/small.ini" };

START_TEST(a_run_takes_what_the_summary_told)
{
#ifdef SANITIZED
    return; /* which takes memory of its own */
#endif
    const char *path = run_shipped_config(configs[_i]);
    run_result run = RUN_BUILT(path, "--out", run_path("run"), "--quiet", "train.steps=2");
    ck_assert_msg(run.code == 0, "exit code %d: %s", run.code, run.err);
    struct rusage usage;
    ck_assert_int_eq(getrusage(RUSAGE_CHILDREN, &usage), 0);
    double taken = (double)usage.ru_maxrss / 1024, told = told_mib(path);
    ck_assert_msg(fabs(taken - told) <= fmax(8, 0.1 * taken), "%g MiB taken, %g told", taken, told);
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
