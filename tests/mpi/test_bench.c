/* What bench expects of several processes, and what they take. */
#include "tests/check_suite.h"
#include "tests/mpi/mpi_runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Other work of the machine falls on either measurement. */
TEST(a_step_of_two_processes_takes_what_is_expected)
{
    const char *arguments[] = { "--cluster",      "--threads", "1",
                                "--seconds",      "0.3",       run_shipped_config("bench/copy.ini"),
                                "train.leaves=2", NULL };
    double off = 1;
    for (int trial = 0; trial < 10 && off > 0.2; trial++) {
        run_result run = OK(run_wait(mpi_start_program(2, HL_BENCH_PROGRAM, arguments)));
        const char *row = strstr(run.out, "\n2 ");
        double expected = 0, measured = 0;
        ck_assert_msg(row != NULL && sscanf(row, "%*d%*f%*f%lf%*fx%lf", &expected, &measured) == 2, "%s", run.out);
        off = fabs(expected / measured - 1);
    }
    ck_assert_double_le(off, 0.2);
}

TEST(all_else_is_for_one_process)
{
    const char *arguments[] = { run_shipped_config("bench/copy.ini"), NULL };
    FAILS_SAYING(run_wait(mpi_start_program(2, HL_BENCH_PROGRAM, arguments)), 2,
                 "several processes (mpirun) are for --cluster");
}

SUITE("mpi bench", .seconds = 120)
