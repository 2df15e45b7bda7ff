/* Standard output that is closed, broken or full. */
#include "tests/check_suite.h"
#include "tests/train/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

START_TEST(without_standard_streams_it_runs_to_the_end)
{
    const char *config = run_tiny_config(), *straight = run_path("straight"), *folder = run_path("run");
    EXPECT_RUN(0, config, "--out", straight);
    const char *arguments[] = { config, "--out", folder, NULL };
    pid_t process = run_start((run_options){ .arguments = arguments, .built = true, .no_streams = true });
    ck_assert_int_eq(run_wait(process).code, 0);
    run_assert_same(straight, folder);
    ck_assert_str_eq(run_read(run_file(folder, ".lock")), "");
}
END_TEST

START_TEST(a_broken_pipe_or_a_full_disk_behind_its_output_does_not_end_it)
{
    const char *config = run_tiny_config(), *straight = run_path("straight");
    EXPECT_RUN(0, config, "--out", straight);
    static const char *const sinks[] = { "| true", "> /dev/full" };
    for (int i = 0; i < 2; i++) {
        const char *folder = run_path(i == 0 ? "pipe" : "full");
        char command[2048];
        snprintf(command, sizeof command, "( '%s' '%s' --out '%s'; echo $? > '%s.code' ) %s", HL_TRAIN_PROGRAM, config,
                 folder, folder, sinks[i]);
        ck_assert_int_eq(system(command), 0);
        char code[2048];
        snprintf(code, sizeof code, "%s.code", folder);
        ck_assert_str_eq(run_read(code), "0\n");
        run_assert_same(straight, folder);
    }
}
END_TEST

START_TEST(what_is_asked_for_its_output_fails_without_it)
{
    static const char *const modes[] = { "--help", "--reference", "--version", "--summary", "--check" };
    const char *err = run_path("err"), *config = run_tiny_config();
    for (int i = 0; i < 5; i++) {
        char command[2048];
        snprintf(command, sizeof command, "'%s' '%s' %s > /dev/full 2> '%s'", HL_TRAIN_PROGRAM, config, modes[i], err);
        int status = system(command);
        ck_assert(WIFEXITED(status));
        ck_assert_msg(WEXITSTATUS(status) == 3, "%s: exit code %d", modes[i], WEXITSTATUS(status));
        ck_assert_str_eq(run_read(err), "standard output: cannot write: No space left on device\n");
    }
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, without_standard_streams_it_runs_to_the_end);
    tcase_add_test(tc, a_broken_pipe_or_a_full_disk_behind_its_output_does_not_end_it);
    tcase_add_test(tc, what_is_asked_for_its_output_fails_without_it);
}
SUITE("output", add_tests)
