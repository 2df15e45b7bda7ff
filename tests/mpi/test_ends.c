/* How a run of several processes ends before its time: with one line and one exit code, saved where it can be, and so
 * that it goes on to the same bytes. */
#include "tests/check_suite.h"
#include "tests/mpi/mpi_runs.h"
#include "tests/runs/text_tasks.h"
#include "tests/scratch.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long Open MPI's mpirun waits for a process that it has told to end, before it kills it. */
static void set_patience(const char *seconds)
{
    setenv("OMPI_MCA_odls_base_sigkill_timeout", seconds, 1);
}

/* ---- refused and failed ---- */

/* The job ends with this exit code, and what `err` says stands there once. */
static void expect_end(int code, const char *says, run_result run)
{
    ck_assert_msg(run.code == code && mpi_count(says, run.err) == 1, "exit code %d: %s\n%s", run.code, run.err,
                  run.out);
}

TEST(more_processes_than_leaves_are_refused)
{
    const char *folder = run_path("run");
    expect_end(2, "tiny.ini: train.leaves = 4 cuts a batch among as many processes at most, and there are 5",
               MPI_RUN(5, run_tiny_config(), "train.leaves=4", "--out", folder));
    ck_assert(!scratch_exists(folder));
}

/* Runs the program with this fault on one rank (tests/mpi/faulty). */
static run_result faulty(int n, const char *fault, const char *const *arguments)
{
    setenv("HEADLIGHT_FAULT", fault, 1);
    run_result run = run_wait(mpi_start_program(n, HL_MPI_FAULTY_PROGRAM, arguments));
    unsetenv("HEADLIGHT_FAULT");
    return run;
}
#define FAULTY(n, fault, ...) faulty(n, fault, (const char *const[]){ __VA_ARGS__, NULL })

TEST(numbers_that_are_not_finite_on_one_rank_end_them_all)
{
    const char *folder = run_path("run");
    expect_end(4, "rank 1: step 0: the validation loss is ",
               FAULTY(3, "1:weights:10000", run_tiny_config(), "train.leaves=4", "--out", folder));
    ck_assert(!scratch_exists(run_file(folder, "checkpoint.safetensors")));
}

TEST(a_full_disk_ends_them_all)
{
    const char *folder = run_path("run");
    run_result run = FAULTY(3, "0:write:60", run_tiny_config(), "train.leaves=4", "--out", folder);
    expect_end(3, "No space left on device", run);
}

/* The n-th allocation, from the first on to where none is left. */
LOOP_TEST(want_of_memory_on_one_rank_ends_them_all, 0, 4)
{
    static const char *const faults[] = { "1:memory:1", "1:memory:40", "2:memory:100", "0:memory:100" };
    const char *folder = run_path("run");
    run_result run = FAULTY(3, faults[_i], run_tiny_config(), "train.leaves=4", "--out", folder);
    expect_end(5, "out of memory", run);
    ck_assert_int_eq(mpi_count("rank ", run.err) > 0, faults[_i][0] != '0');
}

/* Rank 1 runs in another folder, and the run's is named from there. */
TEST(a_file_that_one_rank_does_not_find_ends_them_all)
{
    const char *config = text_config(TEXT_NEXT);
    ck_assert_int_eq(chdir(run_path(".")), 0);
    run_result run = FAULTY(2, "1:elsewhere", config, "train.leaves=4", "--out", "run");
    expect_end(3, "rank 1: run/data/", run);
}

TEST(processes_with_other_arguments_are_refused)
{
    const char *folder = run_path("run");
    expect_end(2, "the processes are of different versions, or were started with different arguments",
               FAULTY(2, "1:arguments", run_tiny_config(), "train.leaves=4", "--out", folder));
}

/* Whatever MPI itself does about an error that a request reports. */
LOOP_TEST(an_exchange_that_fails_on_one_rank_ends_them_all, 0, 2)
{
    static const char *const faults[] = { "0:exchange:30", "1:exchange:41" };
    const char *folder = run_path("run");
    run_result run = FAULTY(3, faults[_i], run_tiny_config(), "train.leaves=4", "--out", folder);
    const char *says = scratch_format("rank %c: an exchange with other processes failed", faults[_i][0]);
    ck_assert_msg(run.code != 0 && mpi_count(says, run.err) == 1, "exit code %d: %s", run.code, run.err);
    ck_assert(!scratch_exists(run_file(folder, "heads.csv")));
}

/* Open MPI's mpirun tells the others to end, which makes them save, and leaves them time for it. */
LOOP_TEST(what_mpi_says_after_a_rank_is_lost_is_not_believed, 0, 4)
{
    const char *alone = run_path("alone"), *folder = run_path("run");
    const char *arguments[] = { run_tiny_config(),
                                "train.leaves=4",
                                "train.checkpoint_every=1",
                                "train.log_every=1",
                                "--resume",
                                "--out",
                                alone,
                                NULL };
    OK(run_train(arguments));
    arguments[6] = folder;
    set_patience("20");
    const char *fault = scratch_format("%d:believed:%d", 1 + _i % 2, 12 + _i);
    run_result run = faulty(3, fault, arguments);
    ck_assert_msg(run.code != 0, "%s", run.out);
    ck_assert_int_lt(atoi(run_checkpoint_step(folder)), 24);
    ck_assert_int_eq(mpi_run(2, arguments).code, 0);
    run_assert_same(alone, folder);
}

TEST(ranks_do_not_wait_for_ever_for_one_that_never_begins)
{
    run_result run = FAULTY(2, "1:never", run_tiny_config(), "train.leaves=4", "--out", run_path("run"));
    ck_assert_msg(run.code == 1 && mpi_count("MPI did not start in time", run.err) == 1, "exit code %d: %s", run.code,
                  run.err);
}

/* ---- stopped ---- */

/* Starts a run that would go on for long, and waits until it has begun. */
static pid_t long_run(int n, const char *folder)
{
    const char *arguments[] = { run_tiny_config(),
                                "train.leaves=4",
                                "optimizer.schedule=constant",
                                "train.steps=100000000",
                                "train.checkpoint_every=10",
                                "patterns.every=1000000000",
                                "--quiet",
                                "--resume",
                                "--out",
                                folder,
                                NULL };
    pid_t job = mpi_start(n, arguments);
    for (int i = 0; i < 2000 && run_weights_step(run_file(folder, "checkpoint.safetensors")) < 10; i++) {
        run_pause(10);
    }
    return job;
}

/* What the folder holds goes on for some steps, to the bytes that one process gets; its model.safetensors says how many
 * steps were asked for when it was written. */
static void expect_to_go_on(const char *folder)
{
    const char *alone = run_path("alone");
    const char *steps = scratch_format("train.steps=%d", atoi(run_checkpoint_step(folder)) + 5);
    const char *arguments[] = { run_tiny_config(),
                                "train.leaves=4",
                                "optimizer.schedule=constant",
                                steps,
                                "train.checkpoint_every=10",
                                "patterns.every=1000000000",
                                "--resume",
                                "--out",
                                alone,
                                NULL };
    OK(run_train(arguments));
    arguments[8] = folder;
    ck_assert_int_eq(mpi_run(2, arguments).code, 0);
    run_assert_same_file(alone, folder, "checkpoint.safetensors");
    run_assert_same_file(alone, folder, "heads.csv");
    ck_assert_str_eq(run_metrics(alone), run_metrics(folder));
    ck_assert_int_eq(run_weights_step(run_file(alone, "model.safetensors")),
                     run_weights_step(run_file(folder, "model.safetensors")));
}

/* Open MPI's mpirun passes it on, waits for a second unless told otherwise, during which it reads nothing, and ends
 * with an exit code of its own. A machine that is busy may need longer to save. */
TEST(a_signal_to_mpirun_saves_and_ends_them_all)
{
    static const char *const patience[] = { "1", "5", "20" };
    const char *folder = run_path("run");
    run_result run = { 0 };
    bool saved = false;
    for (int i = 0; i < 3 && !saved; i++) {
        scratch_remove(folder);
        set_patience(patience[i]);
        pid_t job = long_run(3, folder);
        kill(job, SIGTERM);
        run = run_wait(job);
        const char *words = scratch_format("interrupted after step %s, saved", run_checkpoint_step(folder));
        saved = run.code != 0 && mpi_count(words, run.err) == 1;
    }
    ck_assert_msg(saved, "%d: %s", run.code, run.err);
    ck_assert_int_eq(mpi_count("again to end at once", run.err), 1);
    set_patience("0");
    expect_to_go_on(folder);
}

/* As srun does it; and of a rank that is not the first. */
LOOP_TEST(a_signal_to_one_rank_saves_and_ends_them_all, 0, 2)
{
    const char *folder = run_path("run");
    pid_t job = long_run(3, folder), ranks[MPI_MOST_RANKS];
    ck_assert_int_eq(mpi_ranks(folder, ranks), 3);
    kill(ranks[_i], SIGTERM);
    run_result run = run_wait(job);
    ck_assert_msg(run.code == 128 + SIGTERM, "%d: %s", run.code, run.err);
    ck_assert_int_eq(mpi_count("interrupted after step", run.err), 1);
    expect_to_go_on(folder);
}

LOOP_TEST(a_killed_rank_ends_the_job, 0, 2)
{
    const char *folder = run_path("run");
    set_patience("1"); /* during which the others do what they would do wrong */
    pid_t job = long_run(3, folder), ranks[MPI_MOST_RANKS];
    ck_assert_int_eq(mpi_ranks(folder, ranks), 3);
    kill(ranks[_i], SIGKILL);
    ck_assert_int_ne(mpi_end(job, folder).code, 0);
    expect_to_go_on(folder);
}

SUITE("ends of several processes", .seconds = 240)
