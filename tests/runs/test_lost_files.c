/* Runs whose folder lost a file, holds others', or one of a future that resuming drops. */
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TEST(older_checkpoints_outlive_the_loss_of_the_newest)
{
    const char *config = run_tiny_config(), *folder = TINY_RUN("run", "train.keep_checkpoints=2");
    const char *before = run_list(folder);
    ck_assert_int_eq(rename(run_file(folder, "checkpoint.safetensors"), run_file(folder, "away")), 0);
    REFUSED(RUN(config, "train.keep_checkpoints=2", "--resume", "--out", folder), 3,
            "runs.missing_but_checkpoint_18_safetensors_is");
    ck_assert_int_eq(rename(run_file(folder, "away"), run_file(folder, "checkpoint.safetensors")), 0);
    ck_assert_str_eq(run_list(folder), before);
}

/* Goes back from step 24 to the checkpoint of step 6 and ends at 8: the best weights must be of a step that was run. */
TEST(the_best_weights_are_never_of_a_step_that_was_dropped)
{
    const char *config = run_tiny_config(), *folder = TINY_RUN("run", "train.keep_checkpoints=9");
    const char *model = run_file(folder, "model.safetensors");
    ck_assert_int_gt(run_weights_step(model), 8);
    ck_assert_int_eq(rename(run_file(folder, "checkpoint-6.safetensors"), run_file(folder, "checkpoint.safetensors")),
                     0);
    EXPECT_RUN(0, config, "train.keep_checkpoints=9", "train.steps=8", "--resume", "--out", folder);
    ck_assert_int_le(run_weights_step(model), 8);
    ck_assert_int_gt(run_weights_step(model), 0);
}

/* A run finds better weights after its checkpoint of step 20 than it had before. Then it ends, because a folder stands
 * where the next checkpoint would. It resumes at step 20 and ends before those weights. It must leave what a run
 * straight through leaves: the best weights of a step up to 20. */
TEST(a_run_that_ends_before_the_best_weights_it_lost_has_those_before)
{
    const char *config = run_tiny_config(), *straight = run_path("straight"), *folder = run_path("run");
    const char *model = run_file(folder, "model.safetensors"), *before = run_file(folder, "model-before.safetensors");
    const char *arguments[] = { config,
                                "optimizer.schedule=constant",
                                "train.checkpoint_every=20",
                                "train.leaves=4",
                                "train.steps=25",
                                "--resume",
                                "--out",
                                straight,
                                NULL };
    OK(run_train(arguments));
    int64_t best = run_weights_step(run_file(straight, "model.safetensors"));
    ck_assert_int_le(best, 20);

    arguments[4] = "train.steps=20";
    arguments[7] = folder;
    OK(run_train(arguments));
    ck_assert(!scratch_exists(before));
    const char *in_the_way = run_file(folder, "checkpoint.safetensors.tmp");
    ck_assert_int_eq(mkdir(in_the_way, 0777), 0);
    arguments[4] = "train.steps=40";
    ck_assert_int_eq(run_train(arguments).code, 3);
    ck_assert_int_eq(rmdir(in_the_way), 0);
    ck_assert_int_gt(run_weights_step(model), 25);
    ck_assert_int_eq(run_weights_step(before), best);

    arguments[4] = "train.steps=25";
    OK(run_train(arguments));
    ck_assert_int_eq(run_weights_step(model), best);
    run_assert_same_file(straight, folder, "checkpoint.safetensors");
    run_assert_same_file(straight, folder, "heads.csv");
    ck_assert_str_eq(run_metrics(straight), run_metrics(folder));
    ck_assert_str_eq(run_list(straight), run_list(folder));
}

TEST(lost_best_weights_are_written_anew)
{
    const char *config = run_tiny_config(), *straight = TINY_RUN("straight"),
               *folder = TINY_RUN("run", "train.keep_checkpoints=9");
    ck_assert_int_eq(rename(run_file(folder, "checkpoint-6.safetensors"), run_file(folder, "checkpoint.safetensors")),
                     0);
    ck_assert_int_eq(unlink(run_file(folder, "model.safetensors")), 0);
    EXPECT_RUN(0, config, "--resume", "--out", folder);
    ck_assert_int_eq(run_weights_step(run_file(folder, "model.safetensors")),
                     run_weights_step(run_file(straight, "model.safetensors")));
}

/* Whole rows after the header. */
static int rows_in(const char *text, size_t size)
{
    int lines = 0;
    for (size_t i = 0; i < size; i++) {
        lines += text[i] == '\n';
    }
    return lines > 0 ? lines - 1 : 0;
}

/* metrics.csv holds what cannot be made anew: the run does not go on without it, and nothing of it changes. */
TEST(lost_rows_of_metrics_are_not_passed_over)
{
    const char *config = run_tiny_config(), *folder = run_path("run"), *path = run_file(folder, "metrics.csv");
    EXPECT_RUN(0, config, "train.steps=12", "--out", folder);
    const char *whole = run_read(path), *list = run_list(folder), *own = run_read(run_file(folder, "config.ini"));
    size_t first = (size_t)(strchr(strchr(whole, '\n') + 1, '\n') + 1 - whole);
    const size_t sizes[] = { 0, (size_t)(strchr(whole, '\n') + 1 - whole), first, strlen(whole) - 1 };
    for (int i = 0; i < 4; i++) {
        scratch_write(path, whole, sizes[i]);
        FAILS_SAYING(
            RUN(config, "--resume", "--out", folder), 3,
            scratch_format("metrics.csv: has lost rows of this run (%d of %d are left); put the file back, or ",
                           rows_in(whole, sizes[i]), rows_in(whole, strlen(whole))));
        ck_assert(scratch_holds(path, whole, sizes[i]));
    }
    ck_assert_int_eq(unlink(path), 0);
    REFUSED(RUN(config, "--resume", "--out", folder), 3, "runs.missing_with_10_rows_of_this");
    ck_assert(!scratch_exists(path));
    ck_assert_str_eq(run_read(run_file(folder, "config.ini")), own);
    scratch_write(path, whole, strlen(whole));
    ck_assert_str_eq(run_list(folder), list);
    EXPECT_RUN(0, config, "--resume", "--out", folder);
    ck_assert_int_eq(strncmp(run_read(path), whole, strlen(whole)), 0);
}

/* Neither continued nor drawn. */
TEST(changed_rows_of_metrics_are_refused)
{
    const char *config = run_tiny_config(), *folder = run_path("run"), *path = run_file(folder, "metrics.csv");
    EXPECT_RUN(0, config, "train.steps=12", "--out", folder);
    const char *whole = run_read(path);
    size_t size = strlen(whole), digit = (size_t)(strstr(whole, "validation,") - whole) + strlen("validation,") + 3;
    char changed[4096];
    ck_assert_uint_lt(size, sizeof changed);
    memcpy(changed, whole, size);
    changed[digit] = changed[digit] == '5' ? '6' : '5';
    scratch_write(path, changed, size);
    run_result runs[] = { RUN(config, "--resume", "--out", folder), HEADS(folder) };
    for (int i = 0; i < 2; i++) {
        FAILS_SAYING(runs[i], 3, "metrics.csv: the first ",
                     " rows are not those that the run wrote; put the file back, or ");
        ck_assert(scratch_holds(path, changed, size));
    }
    scratch_write(path, whole, size);
    EXPECT_RUN(0, config, "--resume", "--out", folder);
    OK(HEADS(folder));
}

/* Not after the training, nor is anything appended through a link. */
TEST(links_in_a_run_are_refused_before_the_first_step)
{
    static const char *const names[] = { "checkpoint.safetensors", "metrics.csv", "report.html" };
    const char *config = run_tiny_config(), *folder = TINY_RUN("run", "train.steps=12");
    const char *metrics = run_metrics(folder);
    for (int i = 0; i < 3; i++) {
        const char *path = run_file(folder, names[i]), *away = run_path("away");
        ck_assert_int_eq(rename(path, away) | symlink(away, path), 0);
        REFUSED_SAYING(RUN(config, "--resume", "--out", folder), 3, names[i], ": is a link and is not replaced");
        ck_assert_int_eq(unlink(path) | rename(away, path), 0);
        ck_assert_str_eq(run_metrics(folder), metrics);
    }
}

/* As after "rm RUN/\*": the heads of another run are left. */
TEST(snapshots_of_a_run_that_is_gone_are_never_taken_for_the_next_ones)
{
    const char *config = run_tiny_config(), *folder = run_path("run"), *patterns = run_file(folder, "patterns");
    EXPECT_RUN(0, config, "--out", folder);
    static const char *const removed[] = { "checkpoint.safetensors", "config.ini",  "heads.csv", "metrics.csv",
                                           "model.safetensors",      "report.html", "vocab.txt" };
    for (int i = 0; i < 7; i++) {
        ck_assert_int_eq(unlink(run_file(folder, removed[i])), 0);
    }
    const char *left = run_list(patterns);
    static const char *const ways[] = { "--quiet", "--resume" };
    for (int i = 0; i < 2; i++) {
        REFUSED(RUN(config, "train.steps=3", ways[i], "--out", folder), 2, "runs.is_there_already_and_a_run");
        ck_assert_str_eq(run_list(folder), ".lock patterns ");
        ck_assert_str_eq(run_list(patterns), left);
    }
    EXPECT_RUN(0, config, "train.steps=3", "--overwrite", "--out", folder);
    ck_assert_str_eq(run_list(patterns), "step_000000.npz step_000001.npz step_000002.npz step_000003.npz ");
}

TEST(files_of_others_are_replaced_only_when_asked_to)
{
    static const char *const names[] = { "vocab.txt", "heads.csv", "report.html" };
    const char *config = run_tiny_config();
    for (int i = 0; i < 3; i++) {
        const char *folder = run_path(names[i]), *path = run_file(folder, names[i]);
        ck_assert_int_eq(mkdir(folder, 0777), 0);
        scratch_write(path, "mine", 4);
        run_result run = FAILS_SAYING(RUN(config, "--out", folder), 2, path, "--overwrite");
        ck_assert_int_eq(strncmp(run.err, path, strlen(path)), 0);
        ck_assert(scratch_holds(path, "mine", 4));
        ck_assert_int_eq(strcmp(run_list(folder) + strlen(names[i]), " "), 0); /* nothing was made */
        EXPECT_RUN(0, config, "train.steps=2", "--overwrite", "--out", folder);
        ck_assert(!scratch_holds(path, "mine", 4));
    }
}

SUITE("lost files")
