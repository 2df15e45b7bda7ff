/* Classifiers of open models: several labels at once, a number, GPT-2's. They answer what transformers computes,
 * and their scores are counted here once more. */
#include "core/base/memory.h"
#include "tests/pretrained/tiny.h"
#include "tests/runs/predict_runs.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdlib.h>

/* The texts of make_tiny.py, of which the second is a pair. */
static const char texts[] = "the cat sat on the mat.\nWho barked?\tthe dog, who saw it!\nit\nresting dogs bark\n";
enum { TEXTS = 4 };

static const char *folder(const char *name)
{
    return run_kept(tiny_folder(name));
}

/* Line `number` of what --json printed for the texts. */
static json_t *line_of(const char *out, int number)
{
    for (; number > 0; number--) {
        out = strchr(out, '\n') + 1;
    }
    return json_in(out, JSON_DISABLE_EOF_CHECK);
}

static double real_of(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

static void assert_close(double found, double expected)
{
    ck_assert_msg(fabs(found - expected) <= 5e-5, "%.9g, not %.9g", found, expected);
}

static double sigmoid(double logit)
{
    return 1 / (1 + exp(-logit));
}

TEST(every_label_has_its_own_probability)
{
    const char *model = folder("bert_labels"), *in = scratch_file("in.txt", texts);
    const char *json = answers(PREDICT(model, in, "--json"), ""), *plain = answers(PREDICT(model, in), "");
    tiny_numbers logits = tiny_expected("bert_labels", "logits");
    int64_t C = hl_shape_last(logits.shape), shown = 0, expected_shown = 0;
    for (int i = 0; i < TEXTS; i++) {
        json_t *line = line_of(json, i), *all = json_object_get(line, "answers");
        ck_assert_int_eq(json_array_size(all), C);
        size_t likely = 0;
        for (int64_t k = 0; k < C; k++) {
            const json_t *one = json_array_get(all, (size_t)k);
            double p = sigmoid((double)logits.at[i * C + (int64_t)real_of(one, "id")]);
            assert_close(real_of(one, "probability"), p);
            likely += p >= 0.5;
            ck_assert(k == 0 || real_of(json_array_get(all, (size_t)k - 1), "probability") >= p - 1e-6);
        }
        ck_assert_int_eq(json_array_size(json_object_get(line, "labels")), likely);
        expected_shown += (int64_t)likely;
    }
    for (const char *at = plain; (at = strchr(at, '\t')) != NULL; at++) {
        shown += at[1] == '0' || at[1] == '1'; /* a probability, and no label */
    }
    ck_assert(expected_shown > 0 && expected_shown < TEXTS * C);
    ck_assert_int_eq(shown, expected_shown);
    hl_free(logits.at);
    plain = answers(PREDICT(model, in, "--top", "1"), ""); /* the best, however probable */
    for (int i = 0; i < TEXTS; i++, plain = strchr(plain, '\n') + 1) {
        ck_assert_uint_gt(strcspn(plain, "\n"), 0);
    }
}

TEST(a_regression_answers_with_its_number)
{
    const char *model = folder("distilbert_number"), *in = scratch_file("in.txt", texts);
    const char *json = answers(PREDICT(model, in, "--json"), ""), *plain = answers(PREDICT(model, in), "");
    tiny_numbers logits = tiny_expected("distilbert_number", "logits");
    for (int i = 0; i < TEXTS; i++, plain = strchr(plain, '\n') + 1) {
        json_t *line = line_of(json, i), *numbers = json_object_get(line, "numbers");
        ck_assert_int_eq(json_array_size(numbers), 1);
        assert_close(json_number_value(json_array_get(numbers, 0)), (double)logits.at[i]);
        assert_close(strtod(plain, NULL), (double)logits.at[i]);
    }
    hl_free(logits.at);
    REFUSED(PREDICT(model, in, "--top", "2"), 2, "predict.top_answers_with_numbers_none_of");
}

TEST(gpt2_reads_a_class_from_the_last_token)
{
    const char *json =
        answers(PREDICT(folder("gpt2_classes"), scratch_file("in.txt", texts), "--json", "--top", "3"), "");
    tiny_numbers logits = tiny_expected("gpt2_classes", "logits");
    for (int i = 0; i < TEXTS; i++) {
        json_t *line = line_of(json, i), *all = json_object_get(line, "answers");
        const hl_real *l = logits.at + (size_t)i * 3;
        double sum = exp((double)l[0]) + exp((double)l[1]) + exp((double)l[2]);
        ck_assert_int_eq(json_array_size(all), 3);
        for (size_t k = 0; k < 3; k++) {
            const json_t *one = json_array_get(all, k);
            assert_close(real_of(one, "probability"), exp((double)l[(int)real_of(one, "id")]) / sum);
        }
    }
    hl_free(logits.at);
}

/* ---- scores ---- */

static const int single[3] = { 0, 2, 3 }; /* those of the texts that are no pair */

TEST(several_labels_are_scored_each_by_itself)
{
    const char *table = "text\tlabel\nthe cat sat on the mat.\tso so,good\nit\t_\nresting dogs bark\tso so,good,odd\n";
    static const bool wanted[3][3] = { { false, true, true }, { false, false, false }, { false, true, true } };
    tiny_numbers logits = tiny_expected("bert_labels", "logits");
    double loss = 0, right = 0, all_found = 0, all_right = 0, macro = 0;
    for (int c = 0; c < 3; c++) { /* no text is "bad" */
        double cases = 0, found = 0, both = 0;
        for (int i = 0; i < 3; i++) {
            double p = sigmoid((double)logits.at[single[i] * 3 + c]);
            loss -= log(wanted[i][c] ? p : 1 - p) / 9;
            cases += wanted[i][c];
            found += p >= 0.5;
            both += wanted[i][c] && p >= 0.5;
        }
        all_found += found;
        all_right += both;
        macro += cases > 0 ? 2 * both / (cases + found) / 2 : 0;
    }
    for (int i = 0; i < 2; i++) { /* the third text has a label that the model has not */
        bool same = true;
        for (int c = 0; c < 3; c++) {
            same = same && wanted[i][c] == (logits.at[single[i] * 3 + c] >= 0);
        }
        right += same;
    }
    json_t *scores = json_answer(PREDICT(folder("bert_labels"), "--score", scratch_file("dev.tsv", table), "--json"));
    assert_close(real_of(scores, "loss"), loss);
    assert_close(real_of(scores, "accuracy"), right / 3);
    assert_close(real_of(scores, "macro_f1"), macro);
    assert_close(real_of(scores, "micro_f1"), 2 * all_right / (5 + all_found));
    ck_assert_int_eq((int)real_of(scores, "unseen"), 1);
    ck_assert_ptr_null(json_object_get(scores, "perplexity"));
    hl_free(logits.at);
    table = scratch_file("other.tsv", "text\tlabel\nit\todd,queer\n");
    REFUSED(PREDICT(folder("bert_labels"), "--score", table), 3, "predict.none_of_its_2_labels_is");
}

TEST(numbers_are_scored_by_error_and_correlation)
{
    const char *model = folder("distilbert_number"), *table = "text\tlabel\nthe cat sat on the mat.\t1\nit\t-2.5\n"
                                                              "resting dogs bark\t3e-1\n";
    static const double wanted[3] = { 1, -2.5, 0.3 };
    tiny_numbers logits = tiny_expected("distilbert_number", "logits");
    double error = 0;
    for (int i = 0; i < 3; i++) {
        error += pow((double)logits.at[single[i]] - wanted[i], 2) / 3;
    }
    json_t *scores = json_answer(PREDICT(model, "--score", scratch_file("dev.tsv", table), "--json"));
    assert_close(real_of(scores, "mean_squared_error"), error);
    ck_assert(fabs(real_of(scores, "pearson")) <= 1 && fabs(real_of(scores, "spearman")) <= 1);
    ck_assert_ptr_null(json_object_get(scores, "accuracy"));
    hl_free(logits.at);
    const char *out = answers(PREDICT(model, "--score", run_path("dev.tsv")), "");
    ck_assert_ptr_nonnull(strstr(out, "Spearman"));
    table = scratch_file("words.tsv", "text\tlabel\nit\tgood\n");
    REFUSED(PREDICT(model, "--score", table), 3, "predict.good_is_no_number_and_the");
}

/* ---- elsewhere ---- */

TEST(a_loss_is_refused_by_what_the_classifier_answers)
{
    const char *table = scratch_file("dev.tsv", "text\tlabel\nit\tgood\n");
    REFUSED(HEADS("importance", folder("bert_labels"), "--task", "classes", "--file", table), 2,
            "predict.its_classifier_answers_with_several_labels");
    REFUSED(HEADS("importance", folder("distilbert_number"), "--task", "classes", "--file", table), 2,
            "predict.its_classifier_answers_with_numbers_problem");
}

TEST(gpt2_is_trained_on_to_classify_by_its_last_token)
{
    char rows[1024] = "text\tlabel\n"; /* the last word is the label: the first token does not know it */
    for (int i = 0; i < 24; i++) {
        strcat(rows, i % 2 == 0 ? "the cat sat\tsat\n" : "the cat on\ton\n");
    }
    const char *config = scratch_format(
        "[task]\nname = classes\nfile = %s\nvalidation_file = %s\n[optimizer]\nlearning_rate = 0.01\n"
        "warmup_steps = 1\n[train]\nsteps = 20\nbatch_size = 4\neval_every = 20\n[patterns]\nexamples = 0\n",
        scratch_file("rows.tsv", rows), scratch_file("rows.tsv", rows));
    const char *run = run_path("run");
    EXPECT_RUN(0, run_config("classes.ini", config), "--from", folder("gpt2_next"), "--quiet", "--out", run);
    ck_assert_ptr_nonnull(strstr(run_read(run_file(run, "config.ini")), "\npooling = last\n"));
    json_t *scores = json_answer(PREDICT(run, "--score", run_path("rows.tsv"), "--json"));
    ck_assert(real_of(scores, "accuracy") == 1);
    REFUSED(HEADS("export", run, run_path("model")), 2, "predict.cannot_be_exported_the_output_layer");
}

SUITE("open classifiers")
