/* Same config, seed, build and CPU: the same bits, at any number of threads, recorded or not, whatever backward has
 * attention's weights from (ended and resumed: robust/test_kills.c). */
#include "core/kernels/bf16.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/runs/sweeps.h"

#include <stdlib.h>
#include <string.h>

/* Checkpoints that fall between two rows of metrics.csv. */
#define BETWEEN_ROWS "train.checkpoint_every=5"

static const char *straight_run(const char *config)
{
    const char *folder = run_path("straight");
    EXPECT_RUN(0, config, BETWEEN_ROWS, "--out", folder);
    return folder;
}

TEST(a_tiny_model_has_the_same_bits_at_any_number_of_threads)
{
    const char *config = run_tiny_config(), *straight = straight_run(config);
    const char *threads[] = { "train.threads=2", "train.threads=3", "train.threads=4", "train.threads=0" };
    for (int i = 0; i < 4; i++) {
        const char *folder = run_path(threads[i]);
        EXPECT_RUN(0, config, BETWEEN_ROWS, threads[i], "--out", folder);
        run_assert_same(straight, folder);
    }
}

/* 61 examples of 23 tokens and width 64: every product of a layer is cut into four, and every other op is shared. */
TEST(a_model_worth_four_threads_has_the_same_bits_at_any_number)
{
    setenv("OMP_WAIT_POLICY", "passive", 1); /* there may be fewer cores */
    const char *config = run_shipped_config("copy_task.ini"), *straight = run_path("1");
    const char *threads[] = { "train.threads=1", "train.threads=2", "train.threads=3", "train.threads=4" };
    for (int i = 0; i < 4; i++) {
        const char *folder = i == 0 ? straight : run_path(threads[i]);
        OK(RUN_BUILT(config, threads[i], "train.steps=12", "train.batch_size=61", "task.length=11",
                     "train.eval_examples=100", "model.dropout=0.1", "train.eval_every=6", "train.log_every=1",
                     "model.dropout_concat=0.2", "model.activation=gelu", "--out", folder));
        run_assert_same(straight, folder);
    }
}

TEST(recording_changes_nothing)
{
    const char *config = run_tiny_config(), *straight = straight_run(config),
               *silent = TINY_RUN("silent", BETWEEN_ROWS, "patterns.examples=0");
    run_assert_same_results(straight, silent);
    ck_assert_str_eq(run_list(run_file(silent, "patterns")), "");
    const char *often = TINY_RUN("often", BETWEEN_ROWS, "patterns.every=1", "patterns.examples=10");
    run_assert_same_results(straight, often);
}

/* Examples longer than a block of queries; also where one policy ends a run and the other goes on. */
TEST(weights_made_again_change_nothing)
{
    const char *config = run_tiny_config(), *kept = run_path("kept"), *again = run_path("again");
    const char *long_ones = "task.length=40";
    EXPECT_RUN(0, config, BETWEEN_ROWS, long_ones, "model.attention=keep", "--out", kept);
    EXPECT_RUN(0, config, BETWEEN_ROWS, long_ones, "model.attention=recompute", "train.threads=2", "--out", again);
    run_assert_same(kept, again);
    const char *resumed = TINY_RUN("resumed", BETWEEN_ROWS, long_ones, "optimizer.schedule=constant", "train.steps=12");
    EXPECT_RUN(0, config, BETWEEN_ROWS, long_ones, "optimizer.schedule=constant", "--out", again, "--overwrite");
    EXPECT_RUN(0, config, BETWEEN_ROWS, long_ones, "optimizer.schedule=constant", "model.attention=recompute",
               "--resume", "--out", resumed);
    run_assert_same_results(again, resumed);
}

/* Leaves that are computed at once, with gradients that are summed in parts; the second time in bf16 where the machine
 * has it. */
LOOP_TEST(leaves_have_the_same_bits_with_any_threads_recorded_or_resumed, 0, 2)
{
    setenv("OMP_WAIT_POLICY", "passive", 1); /* there may be fewer cores */
    const char *config = run_tiny_config(), *straight = run_path("straight"), *resumed = run_path("resumed");
    const char *precision = _i == 0 ? "train.precision=float" : "train.precision=auto";
#define LEAVES                                                                                \
    config, BETWEEN_ROWS, precision, "train.leaves=4", "model.d_model=128", "model.d_ff=520", \
        "optimizer.schedule=constant"
    EXPECT_RUN(0, LEAVES, "--out", straight);
    static const char *const others[] = { "train.threads=2", "train.threads=3", "patterns.examples=0" };
    for (int i = 0; i < 3; i++) {
        EXPECT_RUN(0, LEAVES, others[i], "--out", run_path(others[i]));
        run_assert_same_results(straight, run_path(others[i]));
    }
    EXPECT_RUN(0, LEAVES, "train.steps=12", "--out", resumed);
    EXPECT_RUN(0, LEAVES, "train.threads=3", "--resume", "--out", resumed);
    run_assert_same_file(straight, resumed, "checkpoint.safetensors"); /* the best weights may be of the shorter run */
    ck_assert_str_eq(run_metrics(straight), run_metrics(resumed));
#undef LEAVES
}

/* The trainings of a sweep, which are begun as ones that go on, are those that train alone makes. */
TEST(a_sweep_with_auto_precision_trains_in_what_that_means)
{
    const char *config = run_tiny_config(), *folder = run_path("sweep"), *single = run_path("single");
    run_result run = OK(ABLATE(config, "train.precision=auto", "--heads", "1,2", "--seeds", "1", "--out", folder));
    bool told = strstr(run.err, "train.precision: auto is float here: ") != NULL;
    ck_assert(told == (hl_bf16_missing() != NULL));
    EXPECT_RUN(0, config, "train.precision=auto", "model.heads=1", "--out", single);
    run_assert_same(single, run_file(folder, "heads=1,seed=1"));
}

SUITE("same bits")
