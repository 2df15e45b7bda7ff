/* Any number of processes leaves the same bytes: of a copy task, of texts, of a fine-tuned model, resumed by others. */
#include "tests/check_suite.h"
#include "tests/mpi/mpi_runs.h"
#include "tests/pretrained/tiny.h"
#include "tests/runs/text_tasks.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { LEAVES = 4, MOST_THREADS = 2 };

/* Every file but the report, config.ini (whose threads may differ) and the times in metrics.csv. */
static void assert_same(const char *alone, const char *folder)
{
    run_assert_same(alone, folder);
    ck_assert_str_eq(run_list(alone), run_list(folder));
    static const char *const others[] = { "heads.csv", "scores.csv", "confusion.csv" };
    for (int i = 0; i < 3; i++) {
        if (scratch_exists(run_file(alone, others[i]))) {
            run_assert_same_file(alone, folder, others[i]);
        }
    }
}

TEST(of_a_copy_task_with_any_number_of_threads)
{
    const char *config = run_tiny_config(), *alone = run_path("alone");
    EXPECT_RUN(0, config, "train.leaves=4", "train.keep_checkpoints=2", "--out", alone);
    for (int n = 1; n <= LEAVES; n++) {
        const char *name = scratch_format("n%d", n);
        const char *setting = scratch_format("train.threads=%d", 1 + n % MOST_THREADS);
        const char *folder = run_path(name);
        EXPECT_MPI_RUN(0, n, config, "train.leaves=4", "train.keep_checkpoints=2", setting, "--out", folder);
        assert_same(alone, folder);
    }
}

/* Where the machine has no bf16, in float. */
TEST(in_bf16)
{
    const char *config = run_tiny_config(), *alone = run_path("alone");
    EXPECT_RUN(0, config, "train.leaves=4", "train.precision=auto", "--out", alone);
    for (int n = 2; n <= LEAVES; n++) {
        const char *name = scratch_format("n%d", n);
        EXPECT_MPI_RUN(0, n, config, "train.leaves=4", "train.precision=auto", "--out", run_path(name));
        assert_same(alone, run_path(name));
    }
}

/* Open MPI gives each process a terminal, though what mpirun prints goes into a file. */
TEST(of_one_process_that_takes_no_file_for_a_terminal)
{
    setenv("TERM", "xterm", 1);
    run_result run = MPI_RUN(1, run_tiny_config(), "train.steps=2", "--out", run_path("run"));
    ck_assert_msg(run.code == 0 && *run.out != '\0', "%s", run.err);
    ck_assert_int_eq(mpi_count("\033", run.out) + mpi_count("\033", run.err), 0);
}

/* Seven leaves have subtrees that no rank owns whole; each is computed in two parts. */
TEST(of_leaves_that_processes_do_not_share_evenly)
{
    const char *config = run_tiny_config(), *alone = run_path("alone");
    const char *arguments[] = {
        config, "train.leaves=7", "train.batch_size=28", "optimizer.accumulate=2", "--out", alone, NULL
    };
    ck_assert_int_eq(run_train(arguments).code, 0);
    for (int n = 3; n <= 7; n += 2) {
        char name[16];
        snprintf(name, sizeof name, "n%d", n);
        arguments[5] = run_path(name);
        OK(mpi_run(n, arguments));
        assert_same(alone, arguments[5]);
    }
}

/* Of masked text, running text, tags, labels, and a table; two processes each, and three of the first three. */
LOOP_TEST(of_a_text_task, 0, TEXT_TASKS)
{
    const char *config = text_config(_i), *alone = run_path("alone"), *folder = run_path("run");
    EXPECT_RUN(0, config, "train.leaves=4", "--out", alone);
    EXPECT_MPI_RUN(0, 2 + _i % 3, config, "train.leaves=4", "--out", folder);
    assert_same(alone, folder);
    run_assert_same_file(alone, folder, "tokens.json");
}

/* The parts of a run that is stopped by train.steps: its model.safetensors says how many were asked for then. */
static void assert_same_end(const char *alone, const char *folder)
{
    run_assert_same_file(alone, folder, "checkpoint.safetensors");
    run_assert_same_file(alone, folder, "heads.csv");
    ck_assert_str_eq(run_metrics(alone), run_metrics(folder));
}

/* The config of a model that is fine-tuned by some text beside it. */
static const char *tuning_config(void)
{
    text_used = 0;
    for (int i = 0; i < 40; i++) {
        text_say("the %s sat on %s\n", i % 3 == 0 ? "cat" : "dog", i % 2 == 0 ? "a mat" : "it");
    }
    run_config("some.txt", text_made);
    return run_config("tune.ini", "[task]\nname = masked\nfile = some.txt\nvalidation_share = 0.3\n"
                                  "[optimizer]\nlearning_rate = 0.01\nwarmup_steps = 1\n"
                                  "schedule = constant\n"
                                  "[train]\nsteps = 6\nbatch_size = 4\nlog_every = 2\neval_every = 2\n"
                                  "leaves = 4\ncheckpoint_every = 2\nthreads = 1\n"
                                  "[patterns]\nexamples = 2\nevery = 2\n");
}

TEST(of_a_fine_tuned_model)
{
    const char *config = tuning_config();
    const char *model = tiny_folder("bert_masked"), *alone = run_path("alone"), *folder = run_path("run");
    EXPECT_RUN(0, config, "--from", model, "--out", alone);
    EXPECT_MPI_RUN(0, 3, config, "--from", model, "--out", folder, "train.steps=4");
    EXPECT_MPI_RUN(0, 2, config, "--from", model, "--out", folder, "--resume");
    assert_same_end(alone, folder);
}

/* Each in a folder of its own, as on machines of their own: what rank 0 makes in task.cache the others make, too. */
TEST(of_a_fine_tuned_model_with_a_cache_on_each_machine)
{
    const char *config = tuning_config(), *model = tiny_folder("bert_masked");
    const char *alone = run_path("alone"), *folder = run_path("run");
    ck_assert_int_eq(mkdir(run_path("0"), 0700) + mkdir(run_path("1"), 0700), 0);
    EXPECT_RUN(0, config, "--from", model, "--out", alone);
    const char *arguments[] = { "-c",          "cd \"$0/${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\" && exec \"$@\"",
                                run_path("."), HL_TRAIN_PROGRAM,
                                config,        "--from",
                                model,         "task.cache=cache",
                                "--out",       folder,
                                NULL };
    OK(run_wait(mpi_start_program(2, "/bin/sh", arguments)));
    ck_assert(scratch_exists(run_path("1/cache")));
    run_assert_same_file(alone, folder, "heads.csv");
    ck_assert_str_eq(run_metrics(alone), run_metrics(folder));
}

TEST(of_a_run_that_others_go_on_with)
{
    const char *config = run_tiny_config(), *alone = run_path("alone"), *folder = run_path("run"),
               *steps[] = { "train.steps=8", "train.steps=12", "train.steps=16", "train.steps=24" };
    const char *arguments[] = { config,
                                "train.leaves=4",
                                "optimizer.schedule=constant",
                                "patterns.every=4",
                                "--resume",
                                "--out",
                                alone,
                                steps[3],
                                NULL };
    OK(run_train(arguments));
    arguments[6] = folder;
    for (int i = 0; i < 4; i++) {
        static const int n[] = { 3, 4, 1, 2 };
        arguments[7] = steps[i];
        run_result run = n[i] == 1 ? run_train(arguments) : mpi_run(n[i], arguments);
        ck_assert_msg(run.code == 0, "%s", run.err);
    }
    assert_same_end(alone, folder);
    run_result run = mpi_run(2, arguments);
    ck_assert_msg(run.code == 0 && mpi_count("finished at step 24 already", run.out) == 1, "%s%s", run.out, run.err);
}

/* Rank 0 alone says what all have measured, and does alone what they do not share. */
TEST(of_what_heads_are_worth)
{
    const char *folder = run_path("run");
    EXPECT_RUN(0, run_tiny_config(), "--out", folder);
    const char *questions[][6] = { { "importance", folder, "--csv", "-", NULL },
                                   { "importance", folder, "--shapley", "--json", "-", NULL },
                                   { "importance", folder, "--keep", "L0H*", NULL } };
    for (int i = 0; i < 3; i++) {
        run_result alone = OK(run_heads(questions[i]));
        run_result found = OK(run_wait(mpi_start_program(3, HL_HEADS_PROGRAM, questions[i])));
        ck_assert_str_eq(found.out, alone.out);
    }
    run_result wrong =
        run_wait(mpi_start_program(2, HL_HEADS_PROGRAM, (const char *[]){ "importance", folder, "--step", "7", NULL }));
    ck_assert_int_eq(wrong.code, 2);
    ck_assert_int_eq(mpi_count("step 7", wrong.err), 1);
}

SUITE("the same bits by several processes")
