/* What --resume keeps, drops, allows and refuses; how a run ends before its last step. */
#include "core/files/files.h"
#include "study/model.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- where it goes on ---- */

TEST(an_empty_folder_is_begun_at_step_0)
{
    const char *config = run_tiny_config(), *straight = TINY_RUN("straight"), *folder = run_path("run");
    SAYS(RUN(config, "--resume", "--out", folder), "begins at step 0");
    run_assert_same(straight, folder);
}

TEST(a_finished_run_says_so_and_stays_as_it_is)
{
    const char *config = run_tiny_config(), *folder = TINY_RUN("run");
    const char *metrics = run_read(run_file(folder, "metrics.csv")), *list = run_list(run_file(folder, "patterns"));
    SAYS(RUN(config, "--resume", "--out", folder), "finished at step 24 already; more train.steps would go on\n");
    ck_assert_str_eq(run_read(run_file(folder, "metrics.csv")), metrics);
    ck_assert_str_eq(run_list(run_file(folder, "patterns")), list);
}

/* With a constant rate the first steps do not know how many follow. */
TEST(more_steps_go_on_where_fewer_ended)
{
    const char *config = run_tiny_config(), *straight = TINY_RUN("straight", "optimizer.schedule=constant"),
               *folder = TINY_RUN("run", "optimizer.schedule=constant", "train.steps=12", "patterns.every=1");
    ck_assert_str_eq(run_checkpoint_step(folder), "12");
    SAYS(RUN(config, "optimizer.schedule=constant", "--resume", "--out", folder), "resumed at step 12");
    run_assert_same_results(straight, folder);
    ck_assert_ptr_nonnull(strstr(run_read(run_file(folder, "config.ini")), "steps = 24\n"));
}

/* Heads are held by the number of the step: the hold of a head ends, and that of another begins, after the break. */
TEST(held_heads_are_held_as_in_one_go)
{
    const char *off = "train.off=L0H1@4-15,L1H0@18-", *frozen = "train.frozen=L0H0@0-20";
    const char *config = run_tiny_config(),
               *straight = TINY_RUN("straight", "optimizer.schedule=constant", off, frozen),
               *folder = TINY_RUN("run", "optimizer.schedule=constant", off, frozen, "train.steps=12");
    SAYS(RUN(config, "optimizer.schedule=constant", off, frozen, "--resume", "--out", folder), "resumed at step 12");
    run_assert_same_results(straight, folder);
    const char *table = OK(HEADS(straight, "--json")).out; /* at step 24 */
    ck_assert_ptr_nonnull(strstr(table, "\"heads\""));
}

TEST(steps_later_than_the_checkpoint_are_dropped)
{
    const char *config = run_tiny_config(), *straight = TINY_RUN("straight"),
               *folder = TINY_RUN("run", "patterns.every=3", "train.keep_checkpoints=9");
    ck_assert_int_eq(rename(run_file(folder, "checkpoint-12.safetensors"), run_file(folder, "checkpoint.safetensors")),
                     0);
    OK(RUN(config, "train.steps=13", "patterns.examples=0", "--resume", "--out", folder));
    ck_assert_str_eq(run_list(folder),
                     ".lock checkpoint-6.safetensors checkpoint.safetensors config.ini heads.csv metrics.csv "
                     "model.safetensors patterns report.html vocab.txt ");
    ck_assert_str_eq(run_list(run_file(folder, "patterns")),
                     "step_000000.npz step_000003.npz step_000006.npz step_000009.npz step_000012.npz ");
    const char *mine = run_metrics(folder), *theirs = run_metrics(straight), *row = strstr(theirs, "\n12,validation");
    size_t up_to_12 = (size_t)(strchr(row + 1, '\n') - theirs) + 1;
    ck_assert_int_eq(strncmp(mine, theirs, up_to_12), 0);
    ck_assert_int_eq(strncmp(mine + up_to_12, "13,train,", 9), 0);
    ck_assert_int_eq(strncmp(strchr(mine + up_to_12, '\n'), "\n13,validation,", 15), 0);
}

/* ---- what may differ ---- */

/* Keys of each section and type; which others there are: tests/train/test_config_write.c. */
TEST(a_key_that_makes_another_run_is_refused_by_name)
{
    static const char *const changes[] = {
        "task.symbols=5",      "task.name=reverse",      "model.heads=4",
        "model.norm=post",     "model.dropout=0.2",      "model.causal=true",
        "optimizer.beta1=0.8", "optimizer.accumulate=2", "train.eval_examples=11",
    };
    const char *config = run_tiny_config(), *folder = run_path("run");
    EXPECT_RUN(0, config, "train.steps=6", "--out", folder);
    const char *metrics = run_read(run_file(folder, "metrics.csv")), *own = run_read(run_file(folder, "config.ini"));
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const char *key = scratch_format("%.*s ", (int)strcspn(changes[i], "="), changes[i]);
        REFUSED_SAYING(RUN(config, changes[i], "--resume", "--out", folder), 2, key);
    }
    ck_assert_str_eq(run_read(run_file(folder, "metrics.csv")), metrics);
    ck_assert_str_eq(run_read(run_file(folder, "config.ini")), own);
}

TEST(a_key_that_changes_no_number_may_differ)
{
    const char *config = run_tiny_config(), *folder = TINY_RUN("run", "train.steps=6");
    const char *moved = run_path("moved");
    ck_assert_int_eq(rename(folder, moved), 0);
    EXPECT_RUN(0, config, "train.threads=2", "train.steps=8", "train.eval_every=3", "train.log_every=1",
               "train.checkpoint_every=5", "train.keep_checkpoints=1", "train.patience=9", "patterns.every=1",
               "patterns.examples=2", "patterns.budget_mb=1", "--resume", "--out", moved);
    ck_assert_str_eq(run_checkpoint_step(moved), "8");
    ck_assert_ptr_nonnull(strstr(run_read(run_file(moved, "config.ini")), "eval_every = 3\n"));
    ck_assert_ptr_nonnull(strstr(run_read(run_file(moved, "metrics.csv")), "\n7,train,"));
}

/* Before its first checkpoint, config.ini is all that tells which run it is. */
TEST(a_run_without_a_checkpoint_is_refused_to_another_config_too)
{
    const char *config = run_tiny_config(), *straight = TINY_RUN("straight"), *folder = TINY_RUN("run");
    unlink(run_file(folder, "checkpoint.safetensors"));
    const char *list = run_list(run_file(folder, "patterns"));
    REFUSED(RUN(config, "model.heads=4", "--resume", "--out", folder), 2, "runs.model_heads_differs_from_the_run");
    ck_assert_str_eq(run_list(run_file(folder, "patterns")), list);
    EXPECT_RUN(0, config, "--resume", "--out", folder);
    run_assert_same(straight, folder);
}

/* ---- an older format ---- */

/* A copy of a stored run of that format. */
static const char *stored_run(const char *format)
{
    const char *folder = run_path("run");
    scratch_copy(run_file(HL_FORMATS, format), folder);
    return folder;
}

static void expect_refused(const char *config, const char *folder, const char *format)
{
    FAILS_SAYING(RUN(config, "train.steps=4", "--resume", "--out", folder), 3,
                 scratch_format("checkpoint.safetensors: of checkpoint format %s, ", format));
    ck_assert_str_eq(run_checkpoint_step(folder), "2");
}

/* Runs of older formats, trained by the code of their day: the numbers in them are not ours to make anew. */
LOOP_TEST(an_older_format_is_not_resumed_but_opens, 0, 2)
{
    const char *format = _i == 0 ? "1" : "2", *folder = stored_run(format), *config = run_file(folder, "config.ini");
    expect_refused(config, folder, format);
    SAYS(HEADS("importance", folder, "--keep", "L0H0"), "weights of step 2");
    EXPECT_RUN(0, config, "--from", run_file(folder, "checkpoint.safetensors"), "--out", run_path("from"));
    EXPECT_RUN(0, config, "--from", run_file(folder, "model.safetensors"), "--out", run_path("from model"));
}

/* A run of text, whose caches are gone and made anew, as large as its file says and not its config. Of so many answers
 * its snapshot holds the largest alone (tests/train/formats/README.md). */
TEST(a_snapshot_of_the_largest_answers_opens)
{
    const char *folder = stored_run("3");
    hl_opened_model run;
    const hl_snapshot *snapshot;
    CHECK_OK(hl_opened_model_open(&run, folder));
    CHECK_OK(hl_opened_model_snapshot(&run, -1, &snapshot));
    ck_assert_ptr_null(snapshot->answers.logits);
    hl_answer best[2] = { 0 };
    ck_assert_int_eq(hl_answers_best(&snapshot->answers, 0, 5, 2, best), 2);
    ck_assert(best[0].id == 3 && best[1].id == 6);
    ck_assert_double_eq_tol(best[0].probability, 0.363852, 1e-5);
    ck_assert_double_eq_tol(best[1].probability, 0.147959, 1e-5);
    ck_assert_int_eq(hl_answers_best(&snapshot->answers, 0, 4, 2, best), 0);
    hl_opened_model_close(&run);
    expect_refused(run_file(folder, "config.ini"), folder, "3");
    SAYS(HEADS("importance", folder, "--keep", "L0H0"), "weights of step 2");
}

/* ---- checkpoints that are kept ---- */

TEST(earlier_checkpoints_are_kept_as_asked)
{
    const char *config = run_tiny_config();
    static const char *const kept[] = {
        "", "checkpoint-18.safetensors ", "checkpoint-12.safetensors checkpoint-18.safetensors ",
        "checkpoint-12.safetensors checkpoint-18.safetensors checkpoint-6.safetensors ",
        "checkpoint-12.safetensors checkpoint-18.safetensors checkpoint-6.safetensors "
    };
    for (int keep = 0; keep < 5; keep++) {
        char option[64], expected[256];
        snprintf(option, sizeof option, "train.keep_checkpoints=%d", keep);
        const char *folder = run_path(option);
        EXPECT_RUN(0, config, option, "--out", folder);
        snprintf(expected, sizeof expected,
                 ".lock %scheckpoint.safetensors config.ini heads.csv metrics.csv model.safetensors patterns "
                 "report.html vocab.txt ",
                 kept[keep]);
        ck_assert_str_eq(run_list(folder), expected);
        ck_assert_str_eq(run_checkpoint_step(folder), "24");
    }
    const char *folder = run_path("train.keep_checkpoints=3");
    ck_assert_str_eq(run_checkpoint_step_of(run_file(folder, "checkpoint-6.safetensors")), "6");
    ck_assert_str_eq(run_checkpoint_step_of(run_file(folder, "checkpoint-18.safetensors")), "18");
}

TEST(a_kept_checkpoint_can_be_gone_back_to)
{
    const char *config = run_tiny_config(), *straight = TINY_RUN("straight"),
               *folder = TINY_RUN("run", "train.keep_checkpoints=9");
    ck_assert_int_eq(rename(run_file(folder, "checkpoint-6.safetensors"), run_file(folder, "checkpoint.safetensors")),
                     0);
    EXPECT_RUN(0, config, "--resume", "--out", folder);
    run_assert_same(straight, folder);
    ck_assert_ptr_null(strstr(run_list(folder), "checkpoint-"));
}

/* Beside the steps 0, 1, 2, 5, 10, 20, 24: those that only the loss calls for. */
TEST(where_the_loss_falls_a_resumed_run_records_the_same_steps)
{
    static const char *const every = "train.checkpoint_every=1", *const keep = "train.keep_checkpoints=24";
    const char *config = run_tiny_config(), *straight = TINY_RUN("straight", every, keep), *folder = run_path("run");
    ck_assert_int_ge(run_count_snapshots(straight), 7 + 3);
    ck_assert_int_le(run_count_snapshots(straight), 7 + 16);
    EXPECT_RUN(0, config, every, keep, "--quiet", "--out", folder);
    for (int step = 22; step > 0; step -= 3) {
        const char *name = scratch_format("checkpoint-%d.safetensors", step);
        ck_assert_int_eq(rename(run_file(folder, name), run_file(folder, "checkpoint.safetensors")), 0);
        EXPECT_RUN(0, config, every, keep, "--resume", "--quiet", "--out", folder);
        run_assert_same(straight, folder);
    }
}

TEST(a_run_checkpoints_at_its_end_even_when_it_does_so_never)
{
    const char *folder = TINY_RUN("run", "train.checkpoint_every=0", "train.eval_every=0");
    ck_assert_str_eq(run_checkpoint_step(folder), "24");
}

/* ---- ending early ---- */

/* At a rate that changes nothing, no validation is better than the first. */
TEST(lost_patience_ends_a_run_as_its_last_step_would)
{
    const char *config = run_tiny_config(), *folder = run_path("run");
    SAYS(RUN(config, "optimizer.learning_rate=1e-12", "train.patience=3", "--out", folder),
         "\nstopped: no better validation loss in 3 validations (train.patience)\nbest validation");
    ck_assert_str_eq(run_checkpoint_step(folder), "12");
    ck_assert_ptr_nonnull(strstr(run_list(run_file(folder, "patterns")), "step_000012.npz "));
    ck_assert_ptr_nonnull(strstr(run_read(run_file(folder, "metrics.csv")), "\n12,validation,"));
    SAYS(RUN(config, "optimizer.learning_rate=1e-12", "train.patience=3", "--resume", "--out", folder),
         "finished at step 12 already; a larger train.patience would go on\n");
    SAYS(
        RUN(config, "optimizer.learning_rate=1e-12", "train.patience=3", "train.steps=12", "--resume", "--out", folder),
        "finished at step 12 already; more train.steps and a larger train.patience would go on\n");
    EXPECT_RUN(0, config, "optimizer.learning_rate=1e-12", "train.patience=4", "--resume", "--out", folder);
    ck_assert_str_eq(run_checkpoint_step(folder), "16");
}

TEST(only_lost_patience_is_told_as_such)
{
    const char *config = run_tiny_config(), *folder = run_path("run"), *short_run = run_path("short");
    ck_assert_ptr_null(strstr(RUN(config, "train.patience=100", "--out", folder).out, "stopped"));
    SAYS(RUN(config, "optimizer.learning_rate=1e-12", "train.patience=1", "--out", short_run),
         "in 1 validation (train.patience)\n");
}

static hl_file_calls system_calls;

/* ---- the time it takes ---- */

static int counted_fd = -1, opens;
static size_t counted;

static int counting_open(const char *path, int flags, mode_t mode)
{
    int fd = system_calls.open(path, flags, mode);
    bool first = strstr(path, "/checkpoint.safetensors") != NULL && opens++ == 0;
    counted_fd = first ? fd : fd == counted_fd ? -1 : counted_fd;
    return fd;
}

static ssize_t counting_read(int fd, void *buffer, size_t count)
{
    counted += fd == counted_fd ? count : 0;
    return system_calls.read(fd, buffer, count);
}

static void count_reads(void)
{
    hl_file_calls calls = system_calls = *hl_file_calls_get();
    calls.open = counting_open;
    calls.read = counting_read;
    hl_file_calls_set(&calls);
}

static void print_count(void)
{
    printf("%zu bytes at first of %d times\n", counted, opens);
    fflush(stdout);
}

TEST(how_long_it_will_take_is_told_by_the_checkpoints_header)
{
    const char *config = run_tiny_config(), *folder = TINY_RUN("run", "train.steps=12");
    const char *arguments[] = { config, "train.steps=13", "--resume", "--out", folder, NULL };
    run_result run = OK(run_with((run_options){ .arguments = arguments, .before = count_reads, .after = print_count }));
    const char *told = strstr(run.out, " bytes at first of ");
    ck_assert_ptr_nonnull(told);
    while (told[-1] != '\n') {
        told--;
    }
    struct stat info;
    ck_assert_int_eq(stat(run_file(folder, "checkpoint.safetensors"), &info), 0);
    ck_assert_int_gt(atol(told), 0);
    ck_assert_int_lt(atol(told), info.st_size / 2);
}

TEST(a_run_that_patience_has_ended_is_told_no_time)
{
    const char *config = run_tiny_config(), *folder = run_path("run");
    static const char *const rate = "optimizer.learning_rate=1e-12", *const patience = "train.patience=3";
    EXPECT_RUN(0, config, rate, patience, "patterns.examples=0", "--out", folder);
    run_result run =
        OK(RUN(config, rate, patience, "patterns.examples=0", "train.steps=1000000000", "--resume", "--out", folder));
    ck_assert_msg(strstr(run.out, "about") == NULL, "%s", run.out);
    ck_assert_ptr_nonnull(strstr(run.out, "finished at step 12 already; a larger train.patience would go on\n"));
}

SUITE("resume")
