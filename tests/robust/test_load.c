/* Very many updates, and many programs at once. */
#include "tests/check_suite.h"
#include "tests/runs/endurance.h"
#include "tests/runs/sweeps.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

TEST(memory_and_files_do_not_grow_with_the_updates)
{
    ck_assert_int_gt(endurance_of(100000).kib_at_last, 0);
}

enum { MANY = 8 };

/* Waits for all of them. */
static void expect_done(const pid_t processes[MANY])
{
    for (int i = 0; i < MANY; i++) {
        run_result run = run_wait(processes[i]);
        ck_assert_msg(run.code == 0, "%d: exit code %d: %s", i, run.code, run.err);
    }
}

TEST(eight_sweeps_side_by_side_are_as_one_alone)
{
    const char *config = run_tiny_config(), *alone = run_path("alone"), *parent = run_path("parent"), *folders[MANY];
    OK(ABLATE(config, "--heads", "1", "--seeds", "1", "--out", alone));
    pid_t processes[MANY];
    for (int i = 0; i < MANY; i++) {
        const char *name = scratch_format("sweep%d", i);
        folders[i] = run_file(parent, name);
        const char *arguments[] = { config, "--heads", "1", "--seeds", "1", "--jobs", "2", "--out", folders[i], NULL };
        processes[i] =
            run_start((run_options){ .arguments = arguments, .built = true, .built_program = HL_ABLATE_PROGRAM });
    }
    expect_done(processes);
    for (int i = 0; i < MANY; i++) {
        ck_assert_str_eq(sweep_untimed(alone), sweep_untimed(folders[i]));
        ck_assert_str_eq(run_list(alone), run_list(folders[i]));
        run_assert_same(run_file(alone, "heads=1,seed=1"), run_file(folders[i], "heads=1,seed=1"));
        run_assert_same(run_file(alone, "heads=2,seed=1"), run_file(folders[i], "heads=2,seed=1"));
    }
}

/* Each named after its config, in the one folder "runs", which none of them finds. */
TEST(eight_runs_side_by_side_are_as_one_alone)
{
    const char *content = run_read(run_tiny_config()), *alone = run_path("alone"), *here = run_path("here");
    EXPECT_RUN(0, run_path("tiny.ini"), "--out", alone);
    ck_assert_int_eq(mkdir(here, 0777), 0);
    pid_t processes[MANY];
    char name[16];
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "c%d.ini", i);
        const char *arguments[] = { run_config(name, content), NULL };
        processes[i] = run_start((run_options){ .arguments = arguments, .built = true, .folder = here });
    }
    expect_done(processes);
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "runs/c%d", i);
        run_assert_same(alone, run_file(here, name));
        ck_assert_str_eq(run_list(alone), run_list(run_file(here, name)));
    }
}

SUITE("load")
