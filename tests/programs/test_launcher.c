#include "programs/launcher.h"

#include "core/base/clock.h"
#include "programs/child.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void forget(void)
{
    hl_launcher_forget();
    ck_assert_int_eq(hl_launcher_processes(), 1);
    ck_assert_int_eq(hl_launcher_rank(), 0);
    ck_assert(!hl_launcher_gives_terminals());
}

TEST(launchers_say_how_many_they_have_started)
{
    static const char *const variables[][2] = { { "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK" },
                                                { "PMI_SIZE", "PMI_RANK" },
                                                { "SLURM_STEP_NUM_TASKS", "SLURM_PROCID" } };
    for (int i = 0; i < 3; i++) {
        forget();
        setenv(variables[i][0], "4", 1);
        setenv(variables[i][1], "3", 1);
        ck_assert_int_eq(hl_launcher_processes(), 4);
        ck_assert_int_eq(hl_launcher_rank(), 3);
        ck_assert_int_eq(hl_launcher_gives_terminals(), i == 0);
        setenv(variables[i][0], "1", 1);
        ck_assert_int_eq(hl_launcher_processes(), 1);
        setenv(variables[i][0], "four", 1);
        ck_assert_int_eq(hl_launcher_processes(), 1);
    }
    forget();
    setenv("SLURM_NTASKS", "8", 1); /* a batch script has it, too */
    ck_assert_int_eq(hl_launcher_processes(), 1);
    unsetenv("SLURM_NTASKS");
}

/* One MPI's launcher, another MPI's program, or one without. */
TEST(a_program_that_cannot_be_one_of_them_is_refused)
{
    setenv("SLURM_STEP_NUM_TASKS", "4", 1);
    run_result run = REFUSED_SAYING(RUN_BUILT(run_tiny_config(), "train.leaves=4", "--out", run_path("run")), 2,
                                    "the launcher has started 4 processes"); /* the rest depends on the build */
    ck_assert_ptr_null(strstr(run.err, "\\x"));
    setenv("SLURM_PROCID", "1", 1);
    double begin = hl_clock_seconds();
    run = RUN_BUILT(run_tiny_config(), "train.leaves=4", "--out", run_path("run"));
    ck_assert_int_eq(run.code, 2);
    ck_assert_str_eq(run.err, ""); /* the first says it, before a launcher that sees this one end kills it */
    ck_assert_double_gt(hl_clock_seconds() - begin, 1);
}

TEST(what_a_process_starts_is_none_of_them)
{
    setenv("PMI_SIZE", "4", 1);
    const char *path = run_path("said");
    int said = open(path, O_WRONLY | O_CREAT, 0600), end;
    const char *const arguments[] = { "/bin/sh", "-c", "echo \"size: $PMI_SIZE.\"", NULL };
    pid_t child;
    CHECK_OK(hl_child_start(arguments, said, said, &child));
    ck_assert(hl_child_ended(child, true, &end) && end == 0);
    ck_assert_str_eq(run_read(path), "size: .\n");
    close(said);
}

SUITE("launcher", .after = forget)
