/* A model looked at on the sentences of a file: an open one, or that of a run; beside each score stands its null. */
#include "study/model_examples.h"
#include "tests/check_suite.h"
#include "tests/pretrained/tiny.h"
#include "tests/pretrained/tiny_models.h"
#include "tests/runs/answers.h"
#include "tests/runs/predict_runs.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char text[] = "the cat sat on the mat.\nresting dogs bark\n\nthe dog, who saw it!\nit sat\n";

static const char *tiny(const char *name)
{
    return run_kept(tiny_folder(name));
}

static const char *csv_of(const char *folder)
{
    return run_read(run_file(folder, "heads.csv"));
}

/* The value in the row that begins so. */
static double value_in(const char *csv, const char *row)
{
    const char *line = scratch_format("\n%s,", row);
    const char *at = strstr(csv, line);
    ck_assert_msg(at != NULL, "no row %s", row);
    return strtod(at + strlen(line), NULL);
}

/* ---- an open model ---- */

/* The table and the page have the null, and nothing that needs a loss; the model's folder stays as it is. */
LOOP_TEST(an_open_model_is_looked_at_beside_its_null, 0, TINY_MODELS)
{
    const char *model = tiny(tiny_models[_i].name), *out = run_path("out"), *before = run_kept(run_list(model));
    run_result run = OK(HEADS(model, "--examples", scratch_file("text.txt", text), "--out", out));
    ck_assert(answer_says(run.out, "heads, measured on 4 of 4 examples of "));
    ck_assert_ptr_nonnull(strstr(run.out, "score  base  null\n"));
    ck_assert_ptr_null(strstr(run.out, "importance"));
    ck_assert_ptr_null(strstr(run.out, "nan"));
    ck_assert_ptr_nonnull(strstr(run.out, "/report.html; all metrics: "));
    const char *csv = csv_of(out), *page = run_read(run_file(out, "report.html"));
    ck_assert_ptr_nonnull(strstr(csv, "\n0,0,0,entropy,"));
    ck_assert_ptr_nonnull(strstr(csv, "\n1,1,1,entropy,"));
    ck_assert_double_ne(value_in(csv, "0,0,0,entropy"), value_in(csv, "1,0,0,entropy"));
    ck_assert_ptr_nonnull(strstr(page, "\"stages\":{\"0\":\"random weights\",\"1\":\"the model\"}"));
    ck_assert_ptr_nonnull(strstr(page, "on 4 of 4 examples of text.txt, beside the same model with random weights"));
    ck_assert_ptr_null(strstr(page, "\"metrics\":"));
    ck_assert_ptr_null(strstr(page, "\"importance\":"));
    ck_assert_ptr_null(strstr(page, "[optimizer]"));
    ck_assert_str_eq(run_list(model), before);
}

/* The weights are those that --input gives, the null the same at any call. */
TEST(maps_of_the_sentences_are_those_of_the_model)
{
    const char *model = tiny("bert_bare"), *lines = scratch_file("text.txt", text);
    static const char *const kinds[] = { "1", "0", "0" };
    float first[3] = { 0 };
    for (int i = 0; i < 4; i++) {
        const char *path = run_path("a.npz");
        run_result run = i < 3 ? HEADS("map", model, "--examples", lines, "--npz", path, "--step", kinds[i])
                               : HEADS("map", model, "--input", "the cat sat on the mat.", "--npz", path);
        ck_assert_msg(run.code == 0, "%s", run.err);
        float weight = ((const float *)hl_npz_find(answer_arrays(path), "layer_1")->data)[0];
        if (i == 3) {
            ck_assert_float_le(fabsf(weight - first[0]), 1e-6F);
        } else {
            first[i] = weight;
        }
    }
    REFUSED(HEADS(tiny("bert_untied"), "--examples", lines, "--step", "5"), 2, "heads.step_5_on_sentences_there_are");
    ck_assert_float_ne(first[0], first[1]);
    ck_assert_float_eq(first[1], first[2]);
}

/* Of a mixed head it is the best offset's of step 0, as heads.csv has it. */
TEST(the_null_is_the_labels_score_of_step_0)
{
    const char *model = tiny("bert_masked"), *lines = scratch_file("text.txt", text), *out = run_path("out");
    OK(HEADS(model, "--examples", lines, "--out", out));
    run_result run = OK(HEADS(model, "--examples", lines, "--json"));
    const char *head = strstr(run.out, "\"label\": \"mixed\""),
               *null = head != NULL ? strstr(head, "\"null\": ") : NULL;
    ck_assert_ptr_nonnull(null);
    const char *score = strstr(head, "\"score\": ");
    ck_assert_double_eq_tol(strtod(null + strlen("\"null\": "), NULL), value_in(csv_of(out), "0,0,0,best"), 1e-8);
    ck_assert_double_eq_tol(strtod(score + strlen("\"score\": "), NULL), value_in(csv_of(out), "1,0,0,best"), 1e-8);
    run = HEADS(model, "--examples", lines, "--json", "--step", "0");
    ck_assert_ptr_nonnull(strstr(run.out, "\"null\": null"));
}

/* Another model on the same sentences: of the same weights every head is its own closest. */
TEST(two_models_are_compared_on_the_sentences)
{
    const char *model = tiny("bert_masked"), *lines = scratch_file("text.txt", text);
    run_result run = HEADS("compare", model, model, "--examples", lines);
    ck_assert_msg(run.code == 0 &&
                      answer_says(run.out, "6 heads are left out, whose js is below 0.0005: the same attention"),
                  "%s%s", run.out, run.err);
    ck_assert(answer_says(run.out, "on the 2 scoring examples of the first.") && !answer_says(run.out, " 0.000  "));
    SAYS(HEADS("compare", model, model, "--examples", scratch_file("two.txt", "the cat\nit sat\n"), "--csv"), "\n1,2,");
    run = HEADS("compare", model, model, "--examples", scratch_file("two.txt", "the cat\nit sat\n"));
    ck_assert(answer_says(run.out, "on the 1 scoring example of the first."));
    run = HEADS("compare", model, tiny("bert_classes"), "--examples", lines);
    ck_assert(answer_says(run.out, "dist other's L") && !answer_says(run.out, "left out"));
    REFUSED(HEADS("compare", model, model), 2, "heads.is_an_open_model_without_examples");
}

/* Words are counted in the file. A treebank's words make the same sentences; masks are answered, of a bare encoder
 * nothing is. */
TEST(the_file_may_be_a_treebank_and_hold_masks)
{
    static const char conllu[] =
        "# text = the cat\n1\tthe\t_\tDET\t_\t_\t0\t_\t_\t_\n2\tcat\t_\tNOUN\t_\t_\t1\t_\t_\t_\n\n"
        "1\tit\t_\tPRON\t_\t_\t0\t_\t_\t_\n2\tsat\t_\tVERB\t_\t_\t1\t_\t_\t_\n\n";
    const char *trees = scratch_file("a.conllu", conllu), *lines = scratch_file("a.txt", "the cat\nit sat\n");
    static const char *const all[] = { "bert_bare", "electra_tags", "gpt2_next" };
    for (int i = 0; i < 3; i++) {
        char *found = strdup(HEADS(tiny(all[i]), "--examples", trees, "--csv").out);
        ck_assert_str_eq(HEADS(tiny(all[i]), "--examples", lines, "--csv").out, found);
        ck_assert_ptr_nonnull(strstr(found, ",rare,"));
        free(found);
    }
    const char *masks = scratch_file("masks.txt", "the [MASK] sat\nthe cat\n"), *page = run_path("a.html");
    OK(HEADS(tiny("bert_masked"), "--examples", masks, "--report", page));
    ck_assert_ptr_nonnull(strstr(run_read(page), "\"-2\":\"?\""));
    OK(HEADS(tiny("bert_classes"), "--examples", masks, "--report", page));
    ck_assert_ptr_null(strstr(run_read(page), "\"-2\":"));
    SAYS(HEADS("map", tiny("bert_bare"), "L0H0", "--examples", masks, "--words"), "tiny/bert_bare, example");
}

TEST(long_sentences_are_cut_and_told)
{
    char lines[2048] = "";
    for (int i = 0; i < 100; i++) {
        strcat(lines, "cat ");
    }
    strcat(lines, "\nthe cat sat\n");
    run_result run = OK(HEADS(tiny("bert_bare"), "--examples", scratch_file("a.txt", lines), "--json"));
    ck_assert_ptr_nonnull(
        strstr(run.err, "a.txt: 1 of its sentences is cut to 60 pieces, the most that the model reads\n"));
    run = OK(HEADS(tiny("bert_bare"), "--examples", scratch_file("one.txt", "the cat\n"), "--json"));
    ck_assert_ptr_nonnull(strstr(run.err, "one.txt: holds one sentence alone"));
}

TEST(a_model_is_examined_once)
{
    const char *lines = scratch_file("text.txt", text);
    hl_opened_model model;
    CHECK_OK(hl_opened_model_open(&model, tiny("bert_masked")));
    CHECK_OK(hl_opened_model_examine(&model, lines, &(hl_data_options){ 0 }));
    ck_assert_int_eq(hl_opened_model_examine(&model, lines, &(hl_data_options){ 0 }).code, HL_INVALID);
    hl_opened_model_close(&model);
}

/* ---- where it goes ---- */

static void expect_not_written(const char *model, const char *lines, const char *out, const char *what)
{
    FAILS_SAYING(HEADS(model, "--examples", lines, "--out", out), 3, what);
}

TEST(nothing_of_others_is_replaced)
{
    const char *copy = run_kept(tiny_changed("bert_untied", NULL, NULL, NULL)), *lines = scratch_file("text.txt", text);
    const char *inside = run_file(copy, "inside"), *out = run_path("a/b/out"), *other = run_path("other");
    ck_assert_int_eq(mkdir(inside, 0755), 0);
    const char *before = run_kept(run_list(copy));
    expect_not_written(copy, lines, copy, "is in the folder of the model, where nothing is written");
    expect_not_written(copy, lines, run_file(copy, "new/deep"), "is in the folder of the model");
    expect_not_written(copy, lines, inside, "is in the folder of the model");
    expect_not_written(copy, lines, tiny("bert_masked"), "holds a model");
    expect_not_written(copy, lines, lines, "a file; name a folder by --out DIR");
    expect_not_written(copy, lines, run_file(lines, "out"), "");
    ck_assert_int_eq(mkdir(other, 0755), 0);
    scratch_write(run_file(other, "config.ini"), "", 0);
    expect_not_written(copy, lines, other, "holds a run");
    OK(HEADS(copy, "--examples", lines, "--out", out));
    expect_not_written(copy, lines, out, "holds a heads.csv or report.html already; replace them with --overwrite");
    OK(HEADS(copy, "--examples", lines, "--out", out, "--overwrite"));
    char beside[1024]; /* its path begins with the model's, too */
    snprintf(beside, sizeof beside, "%s-heads", copy);
    ck_assert_int_eq(mkdir(beside, 0755), 0);
    OK(HEADS(copy, "--examples", lines, "--out", beside));
    ck_assert_str_eq(run_list(copy), before);
    ck_assert_str_eq(run_list(inside), "");
}

/* Where no folder is named it is new, beside where one is; where another file is asked for, there is none. */
TEST(a_folder_is_named_after_model_and_file)
{
    const char *here = run_path("here"), *lines = scratch_file("my.text.txt", text);
    ck_assert_int_eq(mkdir(here, 0755), 0);
    const char *const plain[] = { tiny("gpt2_next"), "--examples", lines, NULL };
    const char *const json[] = { tiny("gpt2_next"), "--examples", lines, "--json", "a.json", NULL };
    const char *const *const calls[] = { json, plain };
    for (int i = 0; i < 2; i++) {
        OK(run_with(
            (run_options){ .arguments = calls[i], .built = true, .built_program = HL_HEADS_PROGRAM, .folder = here }));
        bool written = access(run_file(here, "reports/gpt2_next-my/report.html"), F_OK) == 0;
        ck_assert_int_eq(written, i == 1);
    }
}

TEST(bad_files_are_named)
{
    const char *model = tiny("bert_bare");
    static const struct {
        const char *content, *what;
    } files[] = {
        { "", "heads.holds_no_example_no_line_in" },
        { "\n \n", "heads.holds_no_example_no_line_in" },
        { "the cat\nthe \xff\n", "heads.is_not_utf_8_byte_0xff" },
        { "text\tlabel\na\tb\n", "heads.has_2_columns_which_tabs_separate" },
        { "# a\n1\tthe\t_\t_\t_\t_\t_\t_\t_\t_\n1\tthe\t_\t_\t_\t_\t_\t_\t_\t_\n", "heads.id_1_is_out_of_order" },
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        REFUSED(HEADS(model, "--examples", scratch_file("a.txt", files[i].content), "--json"), 3, files[i].what);
    }
    REFUSED(HEADS(model, "--examples", run_path("none.txt"), "--json"), 3, "heads.cannot_open_no_such_file_or");
    EXPECT_RUN(0, run_tiny_config(), "--out", run_path("run"));
    REFUSED(HEADS(run_path("run"), "--examples", scratch_file("a.txt", text), "--json"), 2,
            "heads.reads_no_text_its_examples_are");
}

/* ---- a run ---- */

/* On its own validation set it has the snapshots that it recorded, and its null is what it began with. */
TEST(a_run_is_looked_at_as_when_it_recorded)
{
    char table[4096] = "text\tlabel\n", config[2048];
    for (int i = 0; i < 40; i++) {
        static const char *const words[] = { "dog", "cat", "king", "queen" };
        snprintf(table + strlen(table), sizeof table - strlen(table), "the %s sees the %s\t%s\n", words[i % 4],
                 words[i / 4 % 4], i % 3 == 0 ? "yes" : "no");
    }
    const char *path = scratch_file("table.tsv", table), *run = run_path("run"), *out = run_path("out");
    snprintf(
        config, sizeof config,
        "[task]\nname = classes\nfile = %s\nvalidation_file = %s\ntext_column = text\nlabel_column = label\n"
        "[tokens]\nkind = words\n[model]\nlayers = 1\nheads = 2\nd_model = 8\n[train]\nsteps = 3\nbatch_size = 4\n",
        path, path);
    EXPECT_RUN(0, run_config("classes.ini", config), "--out", run);
    run_result found = OK(HEADS(run, "--examples", path, "--out", out));
    ck_assert(answer_says(found.out, "step 3: 2 heads, measured on 32 of 40 examples of "));
    ck_assert_ptr_nonnull(strstr(found.out, "score  base  null\n"));
    ck_assert(answer_says(found.out, "; null: the score with untrained weights: those of step 0"));
    const char *ours = run_kept(csv_of(out)), *own = run_kept(csv_of(run));
    static const char *const rows[] = { "0,0,0,entropy",   "0,0,1,offset(-1)", "3,0,0,entropy",
                                        "3,0,1,offset(1)", "3,0,1,importance", "3,0,0,rare" };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double a = value_in(ours, rows[i]), b = value_in(own, rows[i]);
        ck_assert_msg(fabs(a - b) <= 1e-6, "%s: %g, not %g", rows[i], a, b);
    }
    /* the same labels have the same nulls */
    char *json = strdup(HEADS(run, "--json").out);
    ck_assert_ptr_nonnull(strstr(json, "\"null\": 0."));
    const char *again = HEADS(run, "--examples", path, "--json").out;
    ck_assert_double_eq_tol(strtod(strstr(again, "\"null\": ") + 8, NULL), strtod(strstr(json, "\"null\": ") + 8, NULL),
                            1e-6);
    free(json);
    EXPECT_RUN(0, run_path("classes.ini"), "--out", run, "--overwrite", "patterns.examples=0");
    found = HEADS(run, "--examples", path, "--out", out, "--overwrite");
    ck_assert_msg(found.code == 0 && answer_says(found.out, "measured on 32 of 40 examples of "), "%s", found.err);
}

SUITE("examples of a file")
