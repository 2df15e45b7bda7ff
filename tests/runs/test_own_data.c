/* Sweeps and repeated runs on a text of one's own: what is made of it, and when that goes. */
#include "tests/check_suite.h"
#include "tests/runs/sweeps.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <stdlib.h>
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

/* A chain of so many words, each of which depends on the next one. */
static const char *chain(int words)
{
    hl_text *text = scratch_text();
    for (int w = 1; w <= words; w++) {
        hl_text_print(text, "%d\tcat1\t_\tNOUN\t_\t_\t%d\tdep\t_\t_\n", w, w < words ? w + 1 : 0);
    }
    hl_text_print(text, "\n");
    CHECK_OK(hl_text_status(text));
    return run_config("chain.conllu", text->bytes);
}

/* Maps of its words take more memory than a training step. */
TEST(a_treebank_of_longer_sentences_is_followed)
{
    const char *config = tagger(), *key = scratch_format("patterns.treebank=%s", chain(200));
    EXPECT_RUN(0, config, key, "model.max_length=200", "--out", run_path("run"), "--quiet");
    const char *csv = run_read(run_file(run_path("run"), "syntax.csv"));
    ck_assert_msg(strstr(csv, ",dep,") != NULL, "%s", csv);
}

TEST(a_treebank_is_refused_where_no_snapshot_is_taken)
{
    const char *config = tagger(), *key = scratch_format("patterns.treebank=%s", chain(3));
    run_result run =
        RUN(config, key, "patterns.budget_mb=1", "patterns.every=1", "train.steps=100000", "--out", run_path("run"));
    FAILS(run, 2, "runs.patterns_treebank_is_counted_at_snapshots");
}

TEST(a_sweep_makes_its_data_once)
{
    const char *config = tagger(), *folder = run_path("sweep");
    run_result run = OK(ABLATE(config, "--heads", "1,2", "--seeds", "1", "--out", folder));
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
    SAYS(ABLATE(config, "--heads", "1,2", "--seeds", "1", "--out", folder), "2 of 2 trainings are done already");
}

TEST(a_sweep_over_what_changes_the_data_makes_each_of_them)
{
    const char *config = tagger(), *folder = run_path("sweep");
    OK(ABLATE(config, "--vary", "model.max_length=0,5", "--seeds", "1", "--out", folder));
    const char *data = run_list(run_file(folder, "data")), *second = strchr(data, ' ') + 1;
    ck_assert_ptr_nonnull(strstr(data, "-0 "));
    ck_assert_ptr_nonnull(strstr(second, "-5 "));
}

/* What the tokens of another config were made into goes with the run; files of others stay. */
TEST(a_refused_sweep_leaves_no_data_in_the_others_folder)
{
    const char *config = tagger(), *folder = run_path("sweep");
    char data[256];
    OK(ABLATE(config, "--heads", "1,2", "--seeds", "1", "--out", folder));
    snprintf(data, sizeof data, "%s", run_list(run_file(folder, "data")));
    FAILS(ABLATE(config, "--heads", "1,2", "--seeds", "1", "--out", folder, "tokens.kind=chars"), 2,
          "runs.this_folder_holds_another_sweep_by_2");
    ck_assert_str_eq(run_list(run_file(folder, "data")), data);
    run_result run = ABLATE(config, "--heads", "1,2", "--seeds", "1", "--out", folder, "train.steps=5");
    ck_assert_int_eq(run.code, 2); /* of the same data */
    ck_assert_str_eq(run_list(run_file(folder, "data")), data);
    run = ABLATE(config, "--vary", "model.max_length=0,5,5", "--seeds", "1", "--out", folder);
    ck_assert_int_eq(run.code, 2); /* no plan */
    ck_assert_str_eq(run_list(run_file(folder, "data")), data);
}

TEST(overwriting_removes_the_data_of_the_run_before)
{
    const char *config = tagger(), *folder = run_path("run"), *data = run_file(folder, "data");
    EXPECT_RUN(0, config, "--out", folder);
    char first[64];
    snprintf(first, sizeof first, "%s", run_list(data));
    EXPECT_RUN(0, config, "--overwrite", "--out", folder);
    ck_assert_str_eq(run_list(data), first);
    ck_assert_int_eq(mkdir(run_file(data, "0123"), 0777), 0);
    EXPECT_RUN(0, config, "tokens.lowercase=true", "--overwrite", "--out", folder);
    const char *second = scratch_format("%s", run_list(data));
    ck_assert_ptr_nonnull(strstr(second, "0123 "));
    ck_assert_ptr_null(strstr(second, first));
    ck_assert_uint_eq(strlen(second), strlen(first) + strlen("0123 "));

    first[strlen(first) - 1] = '\0';
    const char *old = run_file(data, first), *kept = run_file(old, "notes"), *cache = run_path("cache");
    EXPECT_RUN(0, config, "--overwrite", "--out", folder);
    scratch_write(kept, "mine", 4);
    const char *setting = scratch_format("task.cache=%s", cache);
    EXPECT_RUN(0, config, setting, "--overwrite", "--out", folder); /* none of its data is in the folder */
    ck_assert_str_eq(run_list(old), "notes ");
    ck_assert_str_eq(run_read(kept), "mine");
}

/* In full where it is only looked at, in short where a run begins; a single label is told, too. */
TEST(how_much_was_read_is_told)
{
    static const char *const told = "training: 58 sentences of up to 7 tokens, 260 words, 260 pieces\n",
                             *const labels = ", 3 labels: ADJ 34.6%, NOUN 33.1%, VERB 32.3%\n";
    const char *config = tagger(), *folder = run_path("run");
    SAYS(RUN(config, "--check"), told, labels);
    run_result run = RUN(config, "--summary");
    ck_assert_msg(strncmp(run.out, told, strlen(told)) == 0, "%s", run.out);
    run = RUN(config, "--out", folder);
    ck_assert_msg(strstr(run.out, "training: 58 sentences of up to 7 tokens; validation: 2 sentences") != NULL, "%s",
                  run.out);
    ck_assert_ptr_null(strstr(run.out, "labels: "));
    run = RUN(config, "task.column=XPOS", "--check");
    ck_assert_msg(strstr(run.out, "labels: _ is the only one, so that there is nothing to learn\n") != NULL, "%s",
                  run.out);
}

/* A run that goes on says which file it was begun with, where the command does not. */
TEST(a_file_that_the_command_line_named_is_asked_for_again)
{
    const char *config = tagger(), *folder = run_path("run");
    size_t size;
    char *text = scratch_read(scratch_path("small.conllu"), &size);
    const char *other = run_path("other.conllu");
    scratch_write(other, text, size / 2);
    strstr(text + size / 2, "\n\n")[2] = '\0';
    scratch_write(other, text, strlen(text));
    free(text);
    const char *key = scratch_format("task.file=%s", other);
    EXPECT_RUN(0, config, key, "--out", folder);
    run_result run = RUN(config, "train.steps=5", "--resume", "--out", folder);
    const char *told = scratch_format(
        "task.file is not %s, with which the run in %s was begun: add task.file=%s, or where", other, folder, other);
    ck_assert_int_eq(run.code, 2);
    ck_assert_msg(strstr(run.err, told) != NULL, "%s", run.err);
    EXPECT_RUN(0, config, key, "train.steps=5", "--resume", "--out", folder);
}

/* Of the text nothing is left; the sweep's folder is elsewhere; another config takes its place. */
TEST(a_sweep_needs_its_text_and_its_place_no_more)
{
    const char *config = tagger(), *folder = run_path("sweep"), *moved = run_path("moved");
    OK(ABLATE(config, "--heads", "1,2", "--seeds", "1", "--out", folder));
    ck_assert_int_eq(rename(folder, moved), 0);
    size_t size;
    char *text = scratch_read(scratch_path("small.conllu"), &size);
    ck_assert_int_eq(remove(scratch_path("small.conllu")), 0);
    ck_assert_int_eq(remove(run_file(moved, "ablation.csv")), 0); /* so that the trainings are gone on with */
    OK(HEADS("importance", run_file(moved, "heads=1,seed=1"), "--keep", "L0H0"));
    SAYS(ABLATE(config, "--heads", "1,2", "--seeds", "1", "--out", moved), "[2/2] ");
    ck_assert(!scratch_exists(folder)); /* nothing was made where it was */
    REFUSED(ABLATE(config, "--heads", "1,2,4", "--seeds", "1", "--out", run_path("other")), 3,
            "runs.small_conllu_cannot_open_no_such");
    scratch_write(scratch_path("small.conllu"), text, size);
    free(text);

    const char *first = scratch_format("%s", run_list(run_file(moved, "data")));
    OK(ABLATE(config, "tokens.lowercase=true", "--heads", "1,2", "--seeds", "1", "--overwrite", "--out", moved));
    const char *second = run_list(run_file(moved, "data"));
    ck_assert_ptr_null(strstr(second, first));
    ck_assert_uint_eq(strlen(second), strlen(first));
}

/* One training is done, one is half done, and one of another row never began, when the text is moved, and goes. */
TEST(a_sweep_that_was_cut_off_goes_on_wherever_its_text_is)
{
    const char *config = tagger(), *folder = run_path("sweep"), *moved = run_path("moved.conllu");
    const char *key = scratch_format("task.file=%s", moved);
    OK(ABLATE(config, "--heads", "1,2,4", "--seeds", "2", "--out", folder));
    for (int i = 0; i < 2; i++) {
        static const char *const gone[] = { "heads=1,seed=1", "heads=4,seed=1", "heads=4,seed=2" };
        for (int k = 0; k < 3; k++) {
            scratch_remove(run_file(folder, gone[k]));
        }
        ck_assert_int_eq(i == 0 ? rename(scratch_path("small.conllu"), moved) : remove(moved), 0);
        SAYS(ABLATE(config, key, "--heads", "1,2,4", "--seeds", "2", "--out", folder),
             "3 of 6 trainings are done already");
    }
    REFUSED(ABLATE(config, key, "task.column=XPOS", "--heads", "1,2,4", "--seeds", "2", "--out", folder), 3,
            "runs.cannot_open_no_such_file_or");
}

SUITE("own data")
