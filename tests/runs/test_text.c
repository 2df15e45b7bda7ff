/* What heads says of runs on texts: words of them, and sentences of the user's. */
#include "core/base/text.h"
#include "core/files/json.h"
#include "tests/check_suite.h"
#include "tests/runs/predict_runs.h"
#include "tests/runs/runs.h"
#include "tests/runs/text_tasks.h"
#include "tests/scratch.h"

#include <math.h>
#include <string.h>

/* Sentences of few words, of which some have several pieces and "Owl" and "owl" are the same. */
static const char *text(void)
{
    static const char *const words[] = { "the", "Owl", "owl", "sleepily", "watches", "a", "mouse", "nightingales" };
    hl_text lines = { 0 };
    for (int i = 0; i < 200; i++) {
        for (int w = 0; w < 4 + i % 5; w++) {
            hl_text_print(&lines, "%s%s", w > 0 ? " " : "", words[(i * 5 + w * (3 + i % 2)) % 8]);
        }
        hl_text_print(&lines, i % 3 == 0 ? ", quietly .\n" : " .\n");
    }
    CHECK_OK(hl_text_status(&lines));
    const char *path = run_config("sentences.txt", lines.bytes);
    hl_text_free(&lines);
    return path;
}

static const char *config(void)
{
    const char *content = scratch_format(
        "[task]\nname = masked\nfile = %s\n[tokens]\nsize = 200\nlowercase = false\n"
        "[model]\nlayers = 2\nd_model = 16\nheads = 2\n"
        "[train]\nsteps = 8\nbatch_size = 8\neval_examples = 8\neval_every = 8\n[patterns]\nexamples = 6\n",
        text());
    return run_config("text.ini", content);
}

TEST(heads_of_texts_have_scores_of_words)
{
    const char *folder = run_path("run");
    EXPECT_RUN(0, config(), "--out", folder, "--quiet");
    const char *csv = run_read(run_file(folder, "heads.csv"));
    static const char *const metrics[] = { ",previous_word,", ",next_word,", ",same_word,", ",punctuation,", ",rare," };
    for (int i = 0; i < 5; i++) {
        ck_assert_msg(strstr(csv, metrics[i]) != NULL, "no %s", metrics[i]);
    }
    ck_assert_ptr_nonnull(strstr(run_read(run_file(folder, "report.html")), "\"word_of\":[-1,0,"));
    SAYS(HEADS(folder, "--words", "--wide"), "without special tokens");
    run_result result = OK(HEADS("map", folder, "L0H1", "--words", "--example", "1", "--json"));
    ck_assert_ptr_null(strstr(result.out, "##"));
    ck_assert_ptr_null(strstr(result.out, "[CLS]"));
}

/* The tokens that a call shows, as JSON. */
static const char *shown(const char *folder, const char *input, const char *option)
{
    run_result result = OK(HEADS("map", folder, "L1H0", "--input", input, "--json", option));
    const char *begin = strstr(result.out, "\"tokens\": [");
    ck_assert_ptr_nonnull(begin);
    char *tokens = (char *)run_kept(begin);
    *strstr(tokens, "],\n") = '\0';
    return tokens + strlen("\"tokens\": [");
}

TEST(a_sentence_is_cut_as_its_training_text_was)
{
    const char *folder = run_path("run");
    EXPECT_RUN(0, config(), "--out", folder, "--quiet");
    const char *sentence = "the mouseowl [MASK], quietly";
    ck_assert_str_eq(shown(folder, sentence, "--words"), "\"the\", \"mouseowl\", \"[MASK]\", \",\", \"quietly\"");
    const char *pieces = shown(folder, sentence, "-");
    ck_assert(strncmp(pieces, "\"[CLS]\", \"the\", \"m", 17) == 0 && strstr(pieces, "\"##") != NULL);
    run_result result = SAYS(HEADS("map", folder, "--input", sentence), "  [MASK] ");
    ck_assert_ptr_null(strstr(result.out, "  [SEP]  ")); /* only the mask is answered */
    REFUSED(HEADS("map", folder, "--input", "  "), 2, "runs.input_no_tokens_in_it");
}

/* A class is answered once, a tag at each word. */
TEST(answers_stand_where_the_task_has_them)
{
    const char *folder = run_path("classes"), *config = text_config(3);
    EXPECT_RUN(0, config, "--out", folder, "--quiet");
    run_result result = OK(HEADS("map", folder, "--input", "a1 b3\tc1"));
    const char *at = strstr(result.out, "\n       0  <cls> ");
    ck_assert_msg(at != NULL && strncmp(strchr(at + 1, '\n'), "\n\n", 2) == 0, "%s", result.out);
    ck_assert_ptr_nonnull(strstr(result.out, " tokens: <cls> a 1   b 3 <sep> c 1 <sep>\n"));
    char label[8], same[8];
    double p, told;
    ck_assert_int_eq(sscanf(at, "\n 0 <cls> %7s", label), 1);
    result = HEADS("map", folder, "--input", "a1 b3\tc1", "--json");
    at = strstr(result.out, "\"probability\": ");
    ck_assert(at != NULL && sscanf(at, "\"probability\": %lf", &told) == 1);
    const char *predicted = answers(PREDICT(folder, scratch_file("pair.txt", "a1 b3\tc1\n")), "");
    ck_assert(sscanf(predicted, "%7s %lf", same, &p) == 2 && strcmp(label, same) == 0 && fabs(p - told) < 0.0001);
    REFUSED(HEADS("map", folder, "--input", "a1 b3 c1"), 2, "runs.input_the_model_reads_pairs_give");

    folder = run_path("tags");
    EXPECT_RUN(0, text_config(TEXT_TAGS), "--out", folder, "--quiet", "tokens.kind=chars");
    result = OK(HEADS("map", folder, "--input", "w1 w12"));
    at = strstr(result.out, "\n       0  w ");
    ck_assert_msg(at != NULL && strncmp(strchr(at + 1, '\n'), "\n       2  w ", 12) == 0, "%s", result.out);
    ck_assert_ptr_null(strstr(result.out, "\n       3  "));
}

TEST(toy_tasks_have_no_words)
{
    const char *folder = TINY_RUN("run");
    REFUSED(HEADS("map", folder, "L0H0", "--words"), 2, "heads.words_the_tokens_of_run_are");
    run_result result = HEADS(folder, "--words");
    ck_assert_int_eq(result.code, 2);
    ck_assert_ptr_null(strstr(run_read(run_file(folder, "heads.csv")), "_word,"));
}

SUITE("runs on texts", .seconds = 60)
