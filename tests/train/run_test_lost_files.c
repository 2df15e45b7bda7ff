/* Runs whose folder lost a file, or holds one of a future that resuming drops. */
#include "tests/check_suite.h"
#include "tests/train/runs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

START_TEST(older_checkpoints_outlive_the_loss_of_the_newest)
{
    const char *config = run_tiny_config(), *folder = run_path("run");
    EXPECT_RUN(0, config, "train.keep_checkpoints=2", "--out", folder);
    const char *before = run_list(folder);
    ck_assert_int_eq(rename(run_file(folder, "checkpoint.safetensors"), run_file(folder, "away")), 0);
    run_result run = RUN(config, "train.keep_checkpoints=2", "--resume", "--out", folder);
    ck_assert_int_eq(run.code, 3);
    ck_assert_ptr_nonnull(strstr(run.err, "checkpoint.safetensors: missing, but checkpoint-18.safetensors is there"));
    ck_assert_int_eq(rename(run_file(folder, "away"), run_file(folder, "checkpoint.safetensors")), 0);
    ck_assert_str_eq(run_list(folder), before);
}
END_TEST

/* Goes back from step 24 to the checkpoint of step 6 and ends at 8: the best weights must be of a step that was run. */
START_TEST(the_best_weights_are_never_of_a_step_that_was_dropped)
{
    const char *config = run_tiny_config(), *folder = run_path("run");
    EXPECT_RUN(0, config, "train.keep_checkpoints=9", "--out", folder);
    const char *model = run_file(folder, "model.safetensors");
    ck_assert_int_gt(run_weights_step(model), 8);
    ck_assert_int_eq(rename(run_file(folder, "checkpoint-6.safetensors"), run_file(folder, "checkpoint.safetensors")),
                     0);
    EXPECT_RUN(0, config, "train.keep_checkpoints=9", "train.steps=8", "--resume", "--out", folder);
    ck_assert_int_le(run_weights_step(model), 8);
    ck_assert_int_gt(run_weights_step(model), 0);
}
END_TEST

START_TEST(lost_best_weights_are_written_anew)
{
    const char *config = run_tiny_config(), *straight = run_path("straight"), *folder = run_path("run");
    EXPECT_RUN(0, config, "--out", straight);
    EXPECT_RUN(0, config, "train.keep_checkpoints=9", "--out", folder);
    ck_assert_int_eq(rename(run_file(folder, "checkpoint-6.safetensors"), run_file(folder, "checkpoint.safetensors")),
                     0);
    ck_assert_int_eq(unlink(run_file(folder, "model.safetensors")), 0);
    EXPECT_RUN(0, config, "--resume", "--out", folder);
    ck_assert_int_eq(run_weights_step(run_file(folder, "model.safetensors")),
                     run_weights_step(run_file(straight, "model.safetensors")));
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, older_checkpoints_outlive_the_loss_of_the_newest);
    tcase_add_test(tc, the_best_weights_are_never_of_a_step_that_was_dropped);
    tcase_add_test(tc, lost_best_weights_are_written_anew);
}
SUITE("lost files", add_tests)
