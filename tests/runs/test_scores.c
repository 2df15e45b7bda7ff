/* What runs of text say of how good their answers are. */
#include "core/base/text.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REST                                                                                                  \
    "[model]\nlayers = 1\nd_model = 16\nheads = 2\nd_ff = 16\n[optimizer]\nlearning_rate = 0.01\nschedule = " \
    "constant\n[train]\nsteps = 12\nbatch_size = 4\nthreads = 1\neval_every = 6\nlog_every = 6\n"             \
    "checkpoint_every = 6\n[patterns]\nexamples = 4\n"

/* Sentences of three words whose tags alternate; the last word's, INTJ, is in validation alone. */
static const char *tags_config(void)
{
    hl_text treebank = { 0 }, config = { 0 };
    for (int i = 0; i < 30; i++) {
        hl_text_print(&treebank,
                      "1\tw%d\t_\tNOUN\t_\t_\t_\t_\t_\t_\n2\tsees\t_\tVERB\t_\t_\t_\t_\t_\t_\n"
                      "3\tw%d\t_\tNOUN\t_\t_\t_\t_\t_\t_\n\n",
                      i % 5, i % 7);
    }
    scratch_write(run_path("train.conllu"), treebank.bytes, treebank.size);
    hl_text_print(&treebank, "1\twow\t_\tINTJ\t_\t_\t_\t_\t_\t_\n");
    scratch_write(run_path("dev.conllu"), treebank.bytes, treebank.size);
    hl_text_print(&config, "[task]\nname = tags\nfile = %s\nvalidation_file = %s\n[tokens]\nkind = words\n" REST,
                  run_path("train.conllu"), run_path("dev.conllu"));
    const char *path = run_config("tags.ini", config.bytes);
    hl_text_free(&treebank);
    hl_text_free(&config);
    return path;
}

/* Field i, from 0, of the last row of metrics.csv. */
static double last_figure(const char *folder, int i)
{
    const char *metrics = run_read(run_file(folder, "metrics.csv"));
    const char *row = metrics + strlen(metrics) - 1;
    while (row[-1] != '\n') {
        row--;
    }
    for (; i > 0; i--) {
        row = strchr(row, ',') + 1;
    }
    return strtod(row, NULL);
}

enum { LOSS = 2, ACCURACY = 3, MACRO_F1 = 7, MICRO_F1 = 8, PERPLEXITY = 7, BITS_PER_CHARACTER = 8, BITS_PER_WORD = 9 };

TEST(a_run_of_tags_ends_with_the_scores_of_classes)
{
    const char *config = tags_config(), *folder = run_path("run"), *other = run_path("other");
    SAYS(RUN(config, "--out", folder), "  macro F1 ", "%, macro F1 ");
    long nouns[3], verbs[3]; /* cases, found, right */
    const char *scores = run_read(run_file(folder, "scores.csv"));
    ck_assert_int_eq(
        sscanf(scores, "class,cases,found,right,precision,recall,f1\nNOUN,%ld,%ld,%ld,", nouns, nouns + 1, nouns + 2),
        3);
    ck_assert_int_eq(sscanf(strstr(scores, "\nVERB"), "\nVERB,%ld,%ld,%ld,", verbs, verbs + 1, verbs + 2), 3);
    ck_assert(nouns[0] == 60 && verbs[0] == 30 && nouns[1] + verbs[1] == 91);
    double right = (double)(nouns[2] + verbs[2]);
    double f1[] = { 2.0 * (double)nouns[2] / (double)(60 + nouns[1]),
                    2.0 * (double)verbs[2] / (double)(30 + verbs[1]) };
    ck_assert_double_eq_tol(last_figure(folder, ACCURACY), right / 91, 1e-8);
    ck_assert_double_eq_tol(last_figure(folder, MICRO_F1), 2 * right / (90 + 91), 1e-8);
    ck_assert_double_eq_tol(last_figure(folder, MACRO_F1), (f1[0] + f1[1]) / 2, 1e-8);
    ck_assert_int_eq(strncmp(run_read(run_file(folder, "confusion.csv")), "class,NOUN,VERB\nNOUN,", 21), 0);
    ck_assert_ptr_nonnull(strstr(run_read(run_file(folder, "report.html")), "\"scores\":\"class,cases,found"));

    EXPECT_RUN(0, config, "train.steps=6", "--out", other); /* and on from there */
    EXPECT_RUN(0, config, "--resume", "--out", other);
    run_assert_same_results(folder, other);
    run_assert_same_file(folder, other, "scores.csv");
    run_assert_same_file(folder, other, "confusion.csv");
    EXPECT_RUN(0, run_tiny_config(), "--overwrite", "--out", other); /* which has no classes */
    ck_assert(strstr(run_list(other), "scores.csv") == NULL && strstr(run_list(other), "confusion.csv") == NULL);
}

/* Four windows of six characters: "0 bé\\na1 bé\\na2 bé\\na3 bé\\na" is asked for, nine words. */
TEST(a_run_of_characters_tells_perplexity_and_bits)
{
    hl_text text = { 0 }, config = { 0 };
    for (int i = 0; i < 80; i++) {
        hl_text_print(&text, "a%d b\xc3\xa9\n", i % 10);
    }
    scratch_write(run_path("text"), text.bytes, text.size);
    hl_text_print(&config,
                  "[task]\nname = next\nfile = %s\nvalidation_file = %s\nlength = 6\n[tokens]\nkind = chars\n" REST,
                  run_path("text"), run_path("text"));
    const char *path = run_config("next.ini", config.bytes), *folder = run_path("run");
    SAYS(RUN(path, "model.causal=true", "train.eval_examples=4", "--out", folder), " bits/char\n",
         " bits per character\n");
    double loss = last_figure(folder, LOSS), bits = 24 * loss / log(2);
    ck_assert_double_eq_tol(last_figure(folder, PERPLEXITY), exp(loss), 1e-6);
    ck_assert_double_eq_tol(last_figure(folder, BITS_PER_CHARACTER), bits / 24, 1e-7);
    ck_assert_double_eq_tol(last_figure(folder, BITS_PER_WORD), bits / 9, 1e-6);
    ck_assert_ptr_null(strstr(run_list(folder), "scores.csv"));
    hl_text_free(&text);
    hl_text_free(&config);
}

/* ---- metrics.csv, and the weights kept for it ---- */

/* The loss in the row of that step and split. */
static double loss_at(const char *folder, int step, const char *split)
{
    const char *begin = scratch_format("\n%d,%s,", step, split);
    const char *row = strstr(run_read(run_file(folder, "metrics.csv")), begin);
    ck_assert_msg(row != NULL, "no row of step %d, %s", step, split);
    return strtod(row + strlen(begin), NULL);
}

TEST(a_training_row_is_the_mean_since_the_row_before)
{
    const char *all = TINY_RUN("all", "train.log_every=1"), *means = TINY_RUN("means", "train.log_every=3");
    for (int step = 3; step <= 24; step += 3) {
        double sum = loss_at(all, step - 2, "train") + loss_at(all, step - 1, "train") + loss_at(all, step, "train");
        ck_assert_double_eq_tol(loss_at(means, step, "train"), sum / 3, 1e-6);
    }
}

TEST(the_weights_kept_are_those_of_the_best_validation)
{
    const char *folder = TINY_RUN("run");
    int best = 0;
    for (int step = 4; step <= 24; step += 4) {
        best = loss_at(folder, step, "validation") < loss_at(folder, best, "validation") ? step : best;
    }
    ck_assert_int_gt(best, 0);
    ck_assert_int_eq(run_weights_step(run_file(folder, "model.safetensors")), best);
}

SUITE("scores of a run")
