/* Files that may not grow further (ulimit -f): writing fails, the program is not killed. */
#include "tests/check_suite.h"
#include "tests/runs/runs.h"

#include <string.h>
#include <sys/resource.h>

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(a_file_that_would_be_too_large_is_told_and_the_run_goes_on_later)
{
    const char *config = run_tiny_config(), *straight = TINY_RUN("straight"), *folder = run_path("run");
    limit_files(20000); /* weights fit, a checkpoint does not */
    run_result run = RUN_BUILT(config, "--out", folder);
    limit_files(RLIM_INFINITY);
    ck_assert_msg(run.code == 3, "exit code %d: %s", run.code, run.err);
    ck_assert_msg(strstr(run.err, ": cannot write: File too large\n") != NULL, "%s", run.err);
    ck_assert_ptr_eq(strchr(run.err, '\n'), run.err + strlen(run.err) - 1);
    ck_assert_ptr_null(strstr(run_list(folder), ".tmp "));
    OK(RUN_BUILT(config, "--resume", "--out", folder));
    run_assert_same(straight, folder);
}

SUITE("file limit")
