/* Sweeps and repeated runs on a text of one's own: what is made of it, and when that goes. */
#include "tests/check_suite.h"
#include "tests/runs/sweeps.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A config of a small tagger, beside its treebank of sentences of 2 to 7 words. */
static const char *tagger(void)
{
    static const char *const words[] = { "cat\tNOUN", "sees\tVERB", "big\tADJ" };
    char text[1 << 15];
    size_t used = 0;
    for (int s = 0; s < 60; s++) {
        for (int w = 0; w < 2 + s * 5 % 6; w++) {
            const char *word = words[(s + w * w) % 3], *tag = strchr(word, '\t');
            used += (size_t)snprintf(text + used, sizeof text - used, "%d\t%.*s%d\t_%s\t_\t_\t0\t_\t_\t_\n", w + 1,
                                     (int)(tag - word), word, s % 7, tag);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "\n");
    }
    scratch_write(scratch_path("small.conllu"), text, used);
    return run_config("tagger.ini",
                      "[task]\nname = tags\nfile = small.conllu\n[tokens]\nkind = words\n"
                      "[model]\nlayers = 1\nd_model = 8\nheads = 2\nd_ff = 8\n"
                      "[train]\nsteps = 4\nbatch_size = 4\neval_examples = 5\n[patterns]\nexamples = 1\n");
}

START_TEST(a_sweep_makes_its_data_once)
{
    const char *config = tagger(), *folder = run_path("sweep");
    run_result run = ABLATE(config, "--heads", "1,2", "--seeds", "1", "--out", folder);
    ck_assert_msg(run.code == 0, "%s%s", run.out, run.err);
    ck_assert_ptr_nonnull(strstr(sweep_csv(folder), "\nheads=1,1,"));
    ck_assert_ptr_nonnull(strstr(run.out, "[2/2] "));
    const char *data = run_list(run_file(folder, "data"));
    ck_assert_msg(strspn(data, "0123456789abcdef-") == strlen(data) - 1, "%s", data); /* one name and a blank */
    static const char *const cells[] = { "heads=1,seed=1", "heads=2,seed=1" };
    for (int i = 0; i < 2; i++) {
        const char *cell = run_file(folder, cells[i]);
        ck_assert_str_eq(run_list(run_file(cell, "data")), "");
        ck_assert_ptr_nonnull(strstr(run_read(run_file(cell, "config.ini")), "\ncache = "));
    }
    run = ABLATE(config, "--heads", "1,2", "--seeds", "1", "--out", folder);
    ck_assert_msg(run.code == 0 && strstr(run.out, "2 of 2 trainings are done already") != NULL, "%s%s", run.out,
                  run.err);
}
END_TEST

START_TEST(a_sweep_over_what_changes_the_data_makes_each_of_them)
{
    const char *config = tagger(), *folder = run_path("sweep");
    run_result run = ABLATE(config, "--vary", "model.max_length=0,5", "--seeds", "1", "--out", folder);
    ck_assert_msg(run.code == 0, "%s%s", run.out, run.err);
    const char *data = run_list(run_file(folder, "data")), *second = strchr(data, ' ') + 1;
    ck_assert_ptr_nonnull(strstr(data, "-0 "));
    ck_assert_ptr_nonnull(strstr(second, "-5 "));
}
END_TEST

/* What the tokens of another config were made into goes with the run; files of others stay. */
START_TEST(overwriting_removes_the_data_of_the_run_before)
{
    const char *config = tagger(), *folder = run_path("run"), *data = run_file(folder, "data");
    EXPECT_RUN(0, config, "--out", folder);
    char first[64], second[64];
    snprintf(first, sizeof first, "%s", run_list(data));
    EXPECT_RUN(0, config, "--overwrite", "--out", folder);
    ck_assert_str_eq(run_list(data), first);
    ck_assert_int_eq(mkdir(run_file(data, "0123"), 0777), 0);
    EXPECT_RUN(0, config, "tokens.lowercase=true", "--overwrite", "--out", folder);
    snprintf(second, sizeof second, "%s", run_list(data));
    ck_assert_ptr_nonnull(strstr(second, "0123 "));
    ck_assert_ptr_null(strstr(second, first));
    ck_assert_uint_eq(strlen(second), strlen(first) + strlen("0123 "));

    first[strlen(first) - 1] = '\0';
    const char *old = run_file(data, first), *kept = run_file(old, "notes"), *cache = run_path("cache");
    EXPECT_RUN(0, config, "--overwrite", "--out", folder);
    scratch_write(kept, "mine", 4);
    char setting[1024];
    snprintf(setting, sizeof setting, "task.cache=%s", cache);
    EXPECT_RUN(0, config, setting, "--overwrite", "--out", folder); /* none of its data is in the folder */
    ck_assert_str_eq(run_list(old), "notes ");
    ck_assert_str_eq(run_read(kept), "mine");
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, a_sweep_makes_its_data_once);
    tcase_add_test(tc, a_sweep_over_what_changes_the_data_makes_each_of_them);
    tcase_add_test(tc, overwriting_removes_the_data_of_the_run_before);
}
SUITE("own data", add_tests)
