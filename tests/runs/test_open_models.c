/* The programs on folders of open models: what they compute is what transformers computes, and what a folder alone has
 * not is refused. */
#include "core/memory.h"
#include "core/npz.h"
#include "tests/pretrained/tiny.h"
#include "tests/runs/predict_runs.h"

#include <math.h>
#include <string.h>

static const char *const models[] = {
    "bert_masked",       "bert_classes",          "bert_bare",    "distilbert_masked", "distilbert_classes",
    "electra_generator", "electra_discriminator", "electra_tags", "roberta_masked",    "roberta_classes",
    "gpt2_next",         "gpt2_untied",
};
enum { N_MODELS = sizeof models / sizeof models[0], TEXTS = 4 };

/* The texts of expected.safetensors; the second is a pair. */
static const char *const texts[TEXTS] = { "the cat sat on the mat.", "Who barked?\tthe dog, who saw it!", "it",
                                          "resting dogs bark" };

/* A copy of the folder's path that stands to the end of the test. */
static const char *tiny(const char *name)
{
    return run_kept(tiny_folder(name));
}

/* ---- heads --input ---- */

static void assert_near(const char *what, const float *found, const hl_real *expected, int64_t n, double tolerance)
{
    for (int64_t i = 0; i < n; i++) {
        double difference = fabs((double)found[i] - (double)expected[i]);
        ck_assert_msg(difference <= tolerance * fmax(1, fabs((double)expected[i])), "%s: number %lld is %.9g, not %.9g",
                      what, (long long)i, (double)found[i], (double)expected[i]);
    }
}

/* The array of that name and type, of one example of T tokens. */
static const hl_npz_array *array_of(const hl_npz *npz, const char *name, hl_npy_type type)
{
    const hl_npz_array *array = hl_npz_find(npz, name);
    ck_assert_msg(array != NULL && array->type == type && array->shape.size[0] == 1, "%s", name);
    return array;
}

/* Hidden states and weights of text t, which begins at row `first` and at number `at` of the weights of a layer. */
static void assert_text(const char *model, const hl_npz *npz, int64_t first, int64_t T, int64_t at)
{
    char name[32], other[32];
    const hl_npz_array *tokens = array_of(npz, "tokens", HL_NPY_INT32);
    tiny_numbers expected = tiny_expected(model, "tokens");
    ck_assert_int_eq(tokens->shape.size[1], T);
    for (int64_t i = 0; i < T; i++) {
        ck_assert_int_eq(((const int32_t *)tokens->data)[i], (int)expected.at[first + i]);
    }
    hl_free(expected.at);
    for (int l = 0; l <= 2; l++) {
        snprintf(name, sizeof name, "hidden_%d", l);
        const hl_npz_array *hidden = array_of(npz, name, HL_NPY_FLOAT32);
        expected = tiny_expected(model, name);
        int64_t D = hl_shape_last(expected.shape);
        ck_assert(hl_shape_equal(hidden->shape, HL_SHAPE(1, T, D)));
        assert_near(name, hidden->data, expected.at + first * D, T * D, 2e-5);
        hl_free(expected.at);
    }
    ck_assert_ptr_null(hl_npz_find(npz, "hidden_3"));
    for (int l = 0; l < 2; l++) {
        snprintf(name, sizeof name, "layer_%d", l);
        snprintf(other, sizeof other, "attention_%d", l);
        const hl_npz_array *weights = array_of(npz, name, HL_NPY_FLOAT32);
        expected = tiny_expected(model, other);
        int64_t H = weights->shape.size[1];
        ck_assert(hl_shape_equal(weights->shape, HL_SHAPE(1, H, T, T)));
        assert_near(name, weights->data, expected.at + H * at, H * T * T, 5e-6);
        hl_free(expected.at);
    }
}

START_TEST(heads_of_a_text_are_those_of_transformers)
{
    const char *model = models[_i], *path = run_path("a.npz");
    tiny_numbers lengths = tiny_expected(model, "lengths");
    int64_t first = 0, at = 0;
    for (int t = 0; t < TEXTS; t++) {
        int64_t T = (int64_t)lengths.at[t];
        if (t != 1 || strcmp(model, "electra_tags") != 0) { /* words of one sentence */
            run_result run = HEADS(tiny(model), "--input", texts[t], "--npz", path);
            ck_assert_msg(run.code == 0 && *run.err == '\0', "%s", run.err);
            hl_npz npz;
            hl_status status = hl_npz_read(path, 1 << 24, &npz);
            ck_assert_msg(status.code == HL_OK, "%s", status.text);
            assert_text(model, &npz, first, T, at);
            hl_npz_free(&npz);
        }
        first += T;
        at += T * T;
    }
    hl_free(lengths.at);
}
END_TEST

/* Drawn, as JSON and CSV, joined to words; answers stand there where the model has an output layer. */
START_TEST(heads_of_a_text_are_shown)
{
    const char *model = models[_i], *folder = tiny(model);
    hl_pretrained *opened = tiny_open(model);
    hl_pretrained_head head = hl_pretrained_stored_head(opened);
    hl_pretrained_close(opened);
    run_result run = HEADS(folder, "--input", "the cat sat");
    ck_assert_msg(run.code == 0, "%s", run.err);
    ck_assert_ptr_nonnull(strstr(run.out, "L1H1"));
    ck_assert_int_eq(strstr(run.out, "answer") != NULL, head != HL_PRETRAINED_NONE);
    ck_assert_int_eq(strstr(run.out, "\n       1  ") != NULL,
                     head != HL_PRETRAINED_NONE && head != HL_PRETRAINED_CLASSES);
    run = HEADS(folder, "--input", "the cat sat", "--head", "L1H0", "--words");
    ck_assert_msg(run.code == 0 && strstr(run.out, "sat") != NULL, "%s%s", run.out, run.err);
    run = HEADS(folder, "--input", "the cat sat", "--json");
    ck_assert_msg(run.code == 0, "%s", run.err);
    ck_assert_int_eq(strstr(run.out, "\"answers\": []") != NULL, head == HL_PRETRAINED_NONE);
    run = HEADS(folder, "--input", "the cat sat", "--csv", "--head", "L0H1");
    ck_assert_msg(run.code == 0 && strstr(run.out, "\n0,1,0,1,") != NULL, "%s%s", run.out, run.err);
}
END_TEST

START_TEST(a_text_that_is_too_long_is_refused)
{
    char text[256] = "";
    for (int i = 0; i < 62; i++) {
        strcat(text, "a ");
    }
    run_result run = HEADS(tiny("bert_bare"), "--input", text);
    expect_refused(run, 2, "--input: 64 tokens, and the model takes at most 60 (max_length)");
}
END_TEST

/* ---- what a folder alone has not ---- */

START_TEST(what_needs_examples_or_a_loss_is_refused_with_the_command_that_helps)
{
    const char *folder = tiny("bert_masked");
    expect_refused(HEADS(folder), 2,
                   "bert_masked: is an open model, without examples of its own: give it a text, as in: ");
    expect_refused(HEADS(folder, "--example", "1"), 2, "--input \"the cat sat on the mat\"");
    expect_refused(HEADS(folder, "--input", "it", "--report", run_path("a.html")), 2, "without examples of its own");
    expect_refused(HEADS(folder, "--json"), 2, "without examples of its own");
    expect_refused(HEADS(folder, "--against", folder), 2, "--against compares snapshots of two runs");
    static const char *const questions[] = { "--importance", "--shapley", "--prune" };
    for (int i = 0; i < 3; i++) {
        expect_refused(HEADS(folder, questions[i]), 2, "needs a loss on examples of yours: train a head on them with ");
    }
    expect_refused(HEADS(folder, "--drop", "L0H0"), 2, " my.ini --from ");
    expect_refused(HEADS(run_path(".")), 3, "no run (no config.ini in it) and no open model (no config.json)");
}
END_TEST

START_TEST(a_folder_without_the_matrix_of_its_head_is_refused)
{
    const char *folder =
        run_kept(tiny_changed("electra_discriminator", "config.json", "ElectraForPreTraining", "ElectraForMaskedLM"));
    expect_refused(HEADS(folder, "--input", "it"), 3, "model: its weights lack head.dense.weight");
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, heads_of_a_text_are_those_of_transformers, 0, N_MODELS);
    tcase_add_loop_test(tc, heads_of_a_text_are_shown, 0, N_MODELS);
    tcase_add_test(tc, a_text_that_is_too_long_is_refused);
    tcase_add_test(tc, what_needs_examples_or_a_loss_is_refused_with_the_command_that_helps);
    tcase_add_test(tc, a_folder_without_the_matrix_of_its_head_is_refused);
}
SUITE("open_models", add_tests)
