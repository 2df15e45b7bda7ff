/* Same config, seed, build and CPU: the same bits, at any number of threads, recorded or not, straight through or ended
 * at any access to a file and resumed (at random moments: robust_test_kills.c). */
#include "tests/check_suite.h"
#include "tests/faults.h"
#include "tests/train/killing_files.h"
#include "tests/train/runs.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Checkpoints that fall between two rows of metrics.csv. */
#define BETWEEN_ROWS "train.checkpoint_every=5"

static const char *straight_run(const char *config)
{
    const char *folder = run_path("straight");
    EXPECT_RUN(0, config, BETWEEN_ROWS, "--out", folder);
    return folder;
}

START_TEST(a_tiny_model_has_the_same_bits_at_any_number_of_threads)
{
    const char *config = run_tiny_config(), *straight = straight_run(config);
    const char *threads[] = { "train.threads=2", "train.threads=3", "train.threads=4", "train.threads=0" };
    for (int i = 0; i < 4; i++) {
        const char *folder = run_path(threads[i]);
        EXPECT_RUN(0, config, BETWEEN_ROWS, threads[i], "--out", folder);
        run_assert_same(straight, folder);
    }
}
END_TEST

/* 61 examples of 23 tokens and width 64: every product of a layer is cut into four, and every other op is shared. */
START_TEST(a_model_worth_four_threads_has_the_same_bits_at_any_number)
{
    setenv("OMP_WAIT_POLICY", "passive", 1); /* there may be fewer cores */
    const char *config = run_shipped_config("copy_task.ini"), *straight = run_path("1");
    const char *threads[] = { "train.threads=1", "train.threads=2", "train.threads=3", "train.threads=4" };
    for (int i = 0; i < 4; i++) {
        const char *folder = i == 0 ? straight : run_path(threads[i]);
        run_result run =
            RUN_BUILT(config, threads[i], "train.steps=12", "train.batch_size=61", "task.length=11",
                      "train.eval_examples=100", "model.dropout=0.1", "train.eval_every=6", "train.log_every=1",
                      "model.dropout_concat=0.2", "model.activation=gelu", "--out", folder);
        ck_assert_msg(run.code == 0, "exit code %d: %s", run.code, run.err);
        run_assert_same(straight, folder);
    }
}
END_TEST

START_TEST(recording_changes_nothing)
{
    const char *config = run_tiny_config(), *straight = straight_run(config), *silent = run_path("silent");
    EXPECT_RUN(0, config, BETWEEN_ROWS, "patterns.examples=0", "--out", silent);
    run_assert_same_results(straight, silent);
    ck_assert_str_eq(run_list(run_file(silent, "patterns")), "");
    const char *often = run_path("often");
    EXPECT_RUN(0, config, BETWEEN_ROWS, "patterns.every=1", "patterns.examples=10", "--out", often);
    run_assert_same_results(straight, often);
}
END_TEST

/* ---- killed at the n-th access to a file ---- */

/* Runs, with that happening at its n-th access; 0: never. */
static run_result run_with(int n, int signal, const char *const *arguments)
{
    killing_files_set(n, signal);
    return run_wait(run_start((run_options){ .arguments = arguments, .before = killing_files_begin }));
}

static run_result run_killed_at(int n, const char *const *arguments)
{
    return run_with(n, SIGKILL, arguments);
}

/* Every update writes a row, so there are accesses at every step; keeping checkpoints links and unlinks. */
#define EVERYTHING                                                                                              \
    "train.steps=9", "train.log_every=1", "train.eval_every=3", "train.checkpoint_every=2", "patterns.every=4", \
        "train.keep_checkpoints=2", "train.patience=3"

START_TEST(a_run_killed_anywhere_and_resumed_leaves_the_same_bits)
{
    const char *config = run_tiny_config(), *straight = run_path("straight");
    const char *run[] = { config, EVERYTHING, "--out", straight, NULL };
    ck_assert_int_eq(run_killed_at(0, run).code, 0);
    const char *kept = "checkpoint-6.safetensors checkpoint-8.safetensors checkpoint.safetensors config.ini ";
    ck_assert_ptr_nonnull(strstr(run_list(straight), kept));
    int n = 0, killed = RUN_KILLED + SIGKILL;
    while (killed == RUN_KILLED + SIGKILL) {
        char name[32];
        snprintf(name, sizeof name, "killed %d", ++n);
        const char *folder = run_path(name);
        killed = run_killed_at(n, (const char *[]){ config, EVERYTHING, "--out", folder, NULL }).code;
        run_result end = run_killed_at(0, (const char *[]){ config, EVERYTHING, "--resume", "--out", folder, NULL });
        ck_assert_msg(end.code == 0, "killed at %d: exit code %d: %s", n, end.code, end.err);
        run_assert_same(straight, folder);
        ck_assert_msg(strcmp(run_list(straight), run_list(folder)) == 0, "killed at %d: %s", n, run_list(folder));
    }
    ck_assert_int_eq(killed, 0);
    ck_assert_int_gt(n, 100);
}
END_TEST

START_TEST(a_run_killed_again_and_again_leaves_the_same_bits)
{
    const char *config = run_tiny_config(), *straight = straight_run(config), *folder = run_path("killed");
    for (int n = 30;; n += 7) { /* each time it comes a little further */
        run_result run = run_killed_at(n, (const char *[]){ config, BETWEEN_ROWS, "--resume", "--out", folder, NULL });
        if (run.code != RUN_KILLED + SIGKILL) {
            ck_assert_msg(run.code == 0, "%s", run.err);
            break;
        }
    }
    run_assert_same(straight, folder);
}
END_TEST

START_TEST(a_run_interrupted_again_and_again_leaves_the_same_bits)
{
    const char *config = run_tiny_config(), *straight = run_path("straight"), *folder = run_path("interrupted");
    EXPECT_RUN(0, config, EVERYTHING, "--out", straight);
    int saved = 0, code = RUN_KILLED + SIGINT;
    for (int n = 1; code != 0; n += 2) {
        code = run_with(n, SIGINT, (const char *[]){ config, EVERYTHING, "--resume", "--out", folder, NULL }).code;
        ck_assert_int_lt(n, 500);
        if (code == 128 + SIGINT) {
            saved++;
            ck_assert_int_eq(access(run_file(folder, "checkpoint.safetensors"), F_OK), 0);
        } else if (code != 0) {
            ck_assert_int_eq(code, RUN_KILLED + SIGINT); /* it was not listening yet */
        }
    }
    ck_assert_int_gt(saved, 5);
    run_assert_same(straight, folder);
}
END_TEST

START_TEST(a_full_disk_costs_nothing_that_was_saved)
{
    const char *config = run_tiny_config(), *straight = run_path("straight");
    EXPECT_RUN(0, config, EVERYTHING, "--out", straight);
    int code = 3;
    for (int n = 1; code != 0; n += 3) {
        char name[32];
        snprintf(name, sizeof name, "full %d", n);
        const char *folder = run_path(name);
        run_result run = run_with(n, KILLING_DISK_FULL, (const char *[]){ config, EVERYTHING, "--out", folder, NULL });
        code = run.code;
        ck_assert_msg(code == 0 || (code == 3 && strstr(run.err, "No space left") != NULL), "%d: exit code %d: %s", n,
                      code, run.err);
        EXPECT_RUN(0, config, EVERYTHING, "--resume", "--out", folder);
        run_assert_same(straight, folder);
    }
}
END_TEST

static int failing;

static void fail_an_allocation(void)
{
    faults_begin();
    faults_in_memory(failing, FAULTS_ONCE);
}

START_TEST(a_run_out_of_memory_says_so_and_can_be_resumed)
{
    const char *config = run_tiny_config(), *straight = run_path("straight");
    EXPECT_RUN(0, config, "train.steps=2", "--out", straight);
    int code = 5;
    for (int n = 1; code != 0; n += 3) {
        char name[32];
        snprintf(name, sizeof name, "memory %d", n);
        const char *folder = run_path(name);
        failing = n;
        const char *arguments[] = { config, "train.steps=2", "--out", folder, NULL };
        run_result run = run_wait(run_start((run_options){ .arguments = arguments, .before = fail_an_allocation }));
        code = run.code;
        ck_assert_msg(code == 0 || (code == 5 && strstr(run.err, "out of memory") != NULL),
                      "allocation %d: exit code %d: %s", n, code, run.err);
        EXPECT_RUN(0, config, "train.steps=2", "--resume", "--out", folder);
        run_assert_same(straight, folder);
    }
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, a_tiny_model_has_the_same_bits_at_any_number_of_threads);
    tcase_add_test(tc, a_model_worth_four_threads_has_the_same_bits_at_any_number);
    tcase_add_test(tc, recording_changes_nothing);
    tcase_add_test(tc, a_run_killed_anywhere_and_resumed_leaves_the_same_bits);
    tcase_add_test(tc, a_run_killed_again_and_again_leaves_the_same_bits);
    tcase_add_test(tc, a_full_disk_costs_nothing_that_was_saved);
    tcase_add_test(tc, a_run_out_of_memory_says_so_and_can_be_resumed);
    tcase_add_test(tc, a_run_interrupted_again_and_again_leaves_the_same_bits);
}
SUITE("same bits", add_tests)
