/* Where heads may write: not over what the run holds. */
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const options[] = { "--json", "--csv", "--report", "--png", "--svg", "--pdf", "--npz", "--bertviz" };
enum { OPTIONS = sizeof options / sizeof *options };

static const char *train(const char *name)
{
    const char *folder = run_path(name);
    EXPECT_RUN(0, run_tiny_config(), "train.steps=4", "train.checkpoint_every=2", "train.keep_checkpoints=1", "--quiet",
               "--out", folder);
    return folder;
}

static void expect_refused(run_result run, int code, const char *words)
{
    ck_assert_int_eq(run.code, code);
    ck_assert_str_eq(run.out, "");
    ck_assert_msg(strstr(run.err, words) != NULL, "no \"%s\" in %s", words, run.err);
}

START_TEST(the_runs_own_files_are_not_replaced)
{
    static const char *const names[] = {
        "config.ini", "metrics.csv", "model.safetensors",       "checkpoint.safetensors", "checkpoint-2.safetensors",
        "vocab.txt",  ".lock",       "patterns/step_000004.npz"
    };
    const char *folder = train("run");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = run_file(folder, names[i]);
        size_t size;
        char *before = scratch_read(path, &size);
        ck_assert_ptr_nonnull(before);
        for (int k = 0; k < OPTIONS; k++) {
            expect_refused(HEADS(folder, options[k], path), 2, "is a file of the run itself");
        }
        expect_refused(HEADS(folder, "--prune-to", "2", "--out", path), 2, "is a file of the run itself");
        ck_assert(scratch_holds(path, before, size));
        free(before);
    }
}
END_TEST

START_TEST(files_of_the_run_compared_with_are_not_replaced)
{
    const char *folder = train("run"), *other = train("other");
    expect_refused(HEADS(folder, "--against", other, "--report", run_file(other, "metrics.csv")), 2,
                   "is a file of the run itself");
}
END_TEST

START_TEST(what_cannot_be_written_is_told_at_once)
{
    const char *folder = train("run"), *link = run_path("link");
    ck_assert_int_eq(symlink("x", link), 0);
    for (int k = 0; k < OPTIONS; k++) {
        expect_refused(HEADS(folder, options[k], run_path("none/x")), 3,
                       "none/x: its folder cannot be written to: No such file or directory");
        expect_refused(HEADS(folder, options[k], folder), 3, "is a folder; name a file in it (--");
        expect_refused(HEADS(folder, options[k], "/dev/full"), 3, "/dev/full: is no regular file");
        expect_refused(HEADS(folder, options[k], link), 3, "is a link");
    }
}
END_TEST

START_TEST(other_names_are_written_to)
{
    const char *folder = train("run");
    static const char *const names[] = { "heads.csv", "report.html", "my.csv", "patterns/mine.npz" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        run_result run = HEADS(folder, "--csv", run_file(folder, names[i]));
        ck_assert_msg(run.code == 0, "%s", run.err);
    }
    const char *elsewhere = run_path("metrics.csv");
    ck_assert_int_eq(HEADS(folder, "--csv", elsewhere).code, 0);
    ck_assert_int_eq(HEADS(folder, "--csv", elsewhere).code, 0);
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, the_runs_own_files_are_not_replaced);
    tcase_add_test(tc, files_of_the_run_compared_with_are_not_replaced);
    tcase_add_test(tc, what_cannot_be_written_is_told_at_once);
    tcase_add_test(tc, other_names_are_written_to);
}
SUITE("targets", add_tests)
