/* Where programs may write: not over a config, nor over what a run or a sweep holds. */
#include "tests/check_suite.h"
#include "tests/runs/sweeps.h"
#include "tests/scratch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const options[] = { "--json", "--csv", "--report", "--png", "--svg", "--pdf", "--npz", "--bertviz" };
enum { OPTIONS = sizeof options / sizeof *options, OF_TABLE = 3 /* the others are for maps */ };

static const char *train(const char *name)
{
    return TINY_RUN(name, "train.steps=4", "train.checkpoint_every=2", "train.keep_checkpoints=1");
}

TEST(the_runs_own_files_are_not_replaced)
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
            REFUSED_SAYING(HEADS(k < OF_TABLE ? "table" : "map", folder, options[k], path), 2,
                           "is a file of a run, which would lose it");
        }
        REFUSED_SAYING(HEADS("prune", folder, "--to", "2", "--out", path), 2,
                       "is a file of a run, which would lose it");
        ck_assert(scratch_holds(path, before, size));
        free(before);
    }
}

TEST(files_of_the_run_compared_with_are_not_replaced)
{
    const char *folder = train("run"), *other = train("other");
    REFUSED(HEADS("compare", folder, other, "--report", run_file(other, "metrics.csv")), 2,
            "runs.report_is_a_file_of_a");
}

/* No program writes over what another one left. */
TEST(no_program_replaces_a_config_a_run_or_a_sweep)
{
    const char *config = run_tiny_config(), *folder = train("run"), *sweep = run_path("sweep");
    const char *cell = run_file(sweep, "heads=1,seed=1"), *link = run_path("link.ini");
    OK(ABLATE(config, "--heads", "1", "--seeds", "1", "--jobs", "1", "--out", sweep));
    ck_assert_int_eq(symlink(config, link), 0);
    const char *kept[] = { config,
                           run_file(folder, "config.ini"),
                           run_file(folder, "checkpoint.safetensors"),
                           run_file(folder, "patterns/step_000004.npz"),
                           run_file(cell, "checkpoint.safetensors"),
                           run_file(cell, "log.txt"),
                           run_file(sweep, "plan.txt"),
                           run_file(sweep, "ablation.html") };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const char *words = i == 0 ? "is the config, which would be lost" : "which would lose it; choose another name";
        size_t size;
        char *before = scratch_read(kept[i], &size);
        ck_assert_ptr_nonnull(before);
        REFUSED_SAYING(RUN(link, "--summary", "--json", kept[i]), 2, words);
        REFUSED_SAYING(ABLATE(link, "--heads", "1", "--out", run_path("new"), "--csv", kept[i]), 2, words);
        REFUSED_SAYING(ABLATE(link, "--heads", "1", "--out", run_path("new"), "--json", kept[i]), 2, words);
        if (i > 0) {
            REFUSED_SAYING(HEADS(folder, "--csv", kept[i]), 2, words);
        }
        ck_assert(scratch_holds(kept[i], before, size));
        free(before);
    }
    ck_assert(!scratch_exists(run_path("new")));
    /* a folder that will be a sweep's, and one that is no run's */
    const char *empty = run_path("empty"), *html = run_file(empty, "ablation.html");
    ck_assert_int_eq(mkdir(empty, 0777), 0);
    REFUSED(ABLATE(config, "--heads", "1", "--out", empty, "--json", html), 2, "runs.json_is_a_file_of_a_2");
    OK(RUN(config, "--summary", "--json", run_file(empty, "metrics.csv")));
    OK(RUN(config, "--summary", "--json", html));
}

TEST(what_cannot_be_written_is_told_at_once)
{
    const char *folder = train("run"), *link = run_path("link");
    ck_assert_int_eq(symlink("x", link), 0);
    for (int k = 0; k < OPTIONS; k++) {
        REFUSED(HEADS(k < OF_TABLE ? "table" : "map", folder, options[k], run_path("none/x")), 3,
                "runs.its_folder_cannot_be_written_to_3");
        REFUSED_SAYING(HEADS(k < OF_TABLE ? "table" : "map", folder, options[k], folder), 3,
                       "is a folder; name a file in it (--");
        REFUSED(HEADS(k < OF_TABLE ? "table" : "map", folder, options[k], "/dev/full"), 3,
                "runs.is_no_regular_file_and_is");
        REFUSED(HEADS(k < OF_TABLE ? "table" : "map", folder, options[k], link), 3, "runs.is_a_link_and_is_not_2");
    }
}

TEST(other_names_are_written_to)
{
    const char *folder = train("run");
    static const char *const names[] = { "heads.csv", "report.html", "my.csv", "patterns/mine.npz" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        OK(HEADS(folder, "--csv", run_file(folder, names[i])));
    }
    const char *elsewhere = run_path("metrics.csv");
    OK(HEADS(folder, "--csv", elsewhere));
    OK(HEADS(folder, "--csv", elsewhere));
}

/* ---- where sweeps may ---- */

TEST(files_of_others_are_refused_by_name_and_untouched)
{
    static const char *const names[] = { "ablation.csv",
                                         "ablation.md",
                                         "ablation.svg",
                                         "ablation.png",
                                         "ablation.html",
                                         "heads=1,seed=1/heads.csv",
                                         "heads=1,seed=1/metrics.csv",
                                         "heads=1,seed=1/vocab.txt",
                                         "heads=1,seed=1/log.txt",
                                         "heads=2,seed=1/patterns/step_000004.npz" };
    const char *config = run_tiny_config(), *folder = run_path("sweep");
    const char *first = run_file(folder, "heads=1,seed=1"), *second = run_file(folder, "heads=2,seed=1");
    ck_assert_int_eq(mkdir(folder, 0777) | mkdir(first, 0777) | mkdir(second, 0777), 0);
    ck_assert_int_eq(mkdir(run_file(second, "patterns"), 0777), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = run_file(folder, names[i]);
        scratch_write(path, "mine", 4);
        run_result run =
            REFUSED_SAYING(ABLATE(config, "--heads", "1,2", "--seeds", "1", "--out", folder), 2, path, "(--overwrite)");
        ck_assert_str_eq(run.out, "");
        ck_assert_str_eq(run_read(path), "mine");
        ck_assert_int_eq(unlink(path), 0);
        ck_assert_str_eq(run_list(folder), "heads=1,seed=1 heads=2,seed=1 ");
        ck_assert_str_eq(run_list(first), "");
        ck_assert_str_eq(run_list(second), "patterns ");
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        scratch_write(run_file(folder, names[i]), "mine", 4);
    }
    OK(ABLATE(config, "--heads", "1,2", "--seeds", "1", "--out", folder, "--overwrite"));
    ck_assert_ptr_null(strstr(run_read(run_file(folder, "ablation.md")), "mine"));
    ck_assert_ptr_null(strstr(run_read(run_file(first, "log.txt")), "mine"));
}

/* Also where a plan tells that the sweep's files are its own. */
TEST(a_folder_in_the_place_of_a_file_is_told_before_the_trainings)
{
    const char *config = run_tiny_config(), *folder = run_path("sweep"), *in_the_way = run_file(folder, "ablation.md");
    ck_assert_int_eq(mkdir(folder, 0777) | mkdir(in_the_way, 0777), 0);
    for (int i = 0; i < 2; i++) {
        const char *overwrite = i == 0 ? "--overwrite" : NULL;
        run_result run = REFUSED(ABLATE(config, "--heads", "1", "--seeds", "1", "--out", folder, overwrite), 3,
                                 "runs.is_a_folder_in_the_place");
        ck_assert_str_eq(run.out, "");
        ck_assert_str_eq(run_list(folder), i == 0 ? "ablation.md " : "ablation.md plan.txt ");
        scratch_write(run_file(folder, "plan.txt"), "# Made by: ablate\n", 18);
    }
}

TEST(an_output_that_cannot_be_written_is_told_before_the_trainings)
{
    static const char *const names[] = { "plan.txt", "ablation.csv", "ablation.md", "ablation.png" };
    const char *config = run_tiny_config(), *folder = run_path("sweep");
    ck_assert_int_eq(mkdir(folder, 0777), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *link = run_file(folder, names[i]);
        ck_assert_int_eq(symlink("/dev/null", link), 0);
        run_result run = REFUSED_SAYING(ABLATE(config, "--heads", "1", "--seeds", "1", "--out", folder, "--overwrite"),
                                        3, link, ": is a link and is not replaced");
        ck_assert_str_eq(run.out, "");
        ck_assert_int_eq(unlink(link), 0);
        ck_assert_str_eq(run_list(folder), "");
    }
}

SUITE("targets")
