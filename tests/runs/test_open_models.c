/* The programs on folders of open models: what they compute is what transformers computes, and what a folder alone has
 * not is refused. */
#include "core/base/memory.h"
#include "tests/check_suite.h"
#include "tests/pretrained/tiny.h"
#include "tests/pretrained/tiny_models.h"
#include "tests/runs/predict_runs.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 4 };

/* The texts of expected.safetensors; the second is a pair. */
static const char *const texts[TEXTS] = { "the cat sat on the mat.", "Who barked?\tthe dog, who saw it!", "it",
                                          "resting dogs bark" };

/* A copy of the folder's path that stands to the end of the test. */
static const char *tiny(const char *name)
{
    return run_kept(tiny_folder(name));
}

/* What is told of the models whose tokens are in a tokenizer.json that says to cut texts, or are too few. */
static const char *told(const char *model)
{
    const char *path = scratch_format("%s/tokenizer.json", tiny_folder(model));
    return scratch_exists(path) ? "tokenizer.json: its truncation and padding are not used\n"
           : strcmp(model, "bert_bare") == 0
               ? "vocab_size is 56, and the folder's tokens are 52: 4 vectors are no token's\n"
               : "";
}

/* A tagger whose tokens are byte-level pieces first tells how it reads a sentence's first word. */
static bool tells_only(const char *err, const char *notice)
{
    bool first_word = strstr(err, "a sentence's first word is read without a space") != NULL;
    err = first_word ? strchr(err, '\n') + 1 : err;
    size_t size = strlen(err), end = strlen(notice);
    return end == 0 ? size == 0
                    : size >= end && strchr(err, '\n') == err + size - 1 && strcmp(err + size - end, notice) == 0;
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
    int n_layers = 0;
    for (tiny_numbers there; (there = tiny_expected(model, scratch_format("attention_%d", n_layers))).at != NULL;) {
        hl_free(there.at);
        n_layers++;
    }
    const hl_npz_array *tokens = array_of(npz, "tokens", HL_NPY_INT32);
    tiny_numbers expected = tiny_expected(model, "tokens");
    ck_assert_int_eq(tokens->shape.size[1], T);
    for (int64_t i = 0; i < T; i++) {
        ck_assert_int_eq(((const int32_t *)tokens->data)[i], (int)expected.at[first + i]);
    }
    hl_free(expected.at);
    for (int l = 0; l <= n_layers; l++) {
        snprintf(name, sizeof name, "hidden_%d", l);
        const hl_npz_array *hidden = array_of(npz, name, HL_NPY_FLOAT32);
        expected = tiny_expected(model, name);
        int64_t D = hl_shape_last(expected.shape);
        ck_assert(hl_shape_equal(hidden->shape, HL_SHAPE(1, T, D)));
        assert_near(name, hidden->data, expected.at + first * D, T * D, 2e-5);
        hl_free(expected.at);
    }
    ck_assert_ptr_null(hl_npz_find(npz, scratch_format("hidden_%d", n_layers + 1)));
    for (int l = 0; l < n_layers; l++) {
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

LOOP_TEST(heads_of_a_text_are_those_of_transformers, 0, TINY_MODELS)
{
    const char *model = tiny_models[_i].name, *path = run_path("a.npz");
    tiny_numbers lengths = tiny_expected(model, "lengths");
    int64_t first = 0, at = 0;
    for (int t = 0; t < TEXTS; t++) {
        int64_t T = (int64_t)lengths.at[t];
        if (t != 1 || tiny_models[_i].head != HL_PRETRAINED_TAGS) { /* words of one sentence */
            run_result run = HEADS("map", tiny(model), "--input", texts[t], "--npz", path);
            ck_assert_msg(run.code == 0 && tells_only(run.err, told(model)), "%s", run.err);
            assert_text(model, answer_arrays(path), first, T, at);
        }
        first += T;
        at += T * T;
    }
    hl_free(lengths.at);
}

/* Drawn, as JSON and CSV, joined to words; answers stand there where the model has an output layer. */
LOOP_TEST(heads_of_a_text_are_shown, 0, TINY_MODELS)
{
    const char *model = tiny_models[_i].name, *folder = tiny(model);
    hl_pretrained *opened = tiny_open(model);
    hl_pretrained_head head = hl_pretrained_stored_head(opened);
    hl_pretrained_close(opened);
    run_result run = SAYS(HEADS("map", folder, "--input", "the cat sat"), "L1H1");
    ck_assert_int_eq(strstr(run.out, "answer") != NULL, head != HL_PRETRAINED_NONE);
    ck_assert_int_eq(strstr(run.out, "\n       1  ") != NULL,
                     head != HL_PRETRAINED_NONE && head != HL_PRETRAINED_CLASSES);
    SAYS(HEADS("map", folder, "L1H0", "--input", "the cat sat", "--words"), "sat");
    run = OK(HEADS("map", folder, "--input", "the cat sat", "--json"));
    ck_assert_int_eq(strstr(run.out, "\"answers\": []") != NULL, head == HL_PRETRAINED_NONE);
    SAYS(HEADS("map", folder, "L0H1", "--input", "the cat sat", "--csv"), "\n0,1,0,1,");
}

TEST(a_text_that_is_too_long_is_refused)
{
    char text[256] = "";
    for (int i = 0; i < 62; i++) {
        strcat(text, "a ");
    }
    run_result run = HEADS("map", tiny("bert_untied"), "--input", text);
    REFUSED(run, 2, "runs.input_64_tokens_and_the_model");
}

/* ---- what a folder alone has not ---- */

TEST(what_needs_examples_or_a_loss_is_refused_with_the_command_that_helps)
{
    const char *folder = tiny("bert_masked");
    REFUSED(HEADS(folder), 2, "study.is_an_open_model_without_examples");
    REFUSED(HEADS("map", folder, "--example", "1"), 2, "study.is_an_open_model_without_examples");
    REFUSED(HEADS(folder, "--json"), 2, "study.is_an_open_model_without_examples");
    REFUSED(HEADS("compare", folder, folder), 2, "heads.is_an_open_model_without_examples");
    REFUSED(HEADS(folder, "the cat sat"), 2, "runs.the_cat_sat_one_word_too_many");
    static const char *const asked_on[][2] = { { "--file", "runs.file_has_verbs_now" },
                                               { "--task", "runs.task_has_verbs_now" } };
    for (int i = 0; i < 2; i++) {
        REFUSED(HEADS(folder, asked_on[i][0], "tags"), 2, asked_on[i][1]);
    }
    REFUSED(HEADS(run_path(".")), 3, "runs.this_folder_holds_no_run_no_2");
    REFUSED(HEADS("map", "bert-base-uncased", "--input", "it"), 3, "runs.bert_base_uncased_no_such_folder");
    REFUSED(PREDICT("bert-base-uncased"), 3, "runs.bert_base_uncased_no_such_folder");
    REFUSED(HEADS(run_file(folder, "config.json")), 3, "runs.a_file_give_the_folder_that_2");
}

TEST(a_folder_without_the_matrix_of_its_head_is_refused)
{
    const char *folder =
        run_kept(tiny_changed("electra_discriminator", "config.json", "ElectraForPreTraining", "ElectraForMaskedLM"));
    REFUSED(HEADS("map", folder, "--input", "it"), 3, "runs.its_weights_lack_head_dense_weight");
}

/* ---- predict ---- */

static const char *const classifiers[] = { "bert_classes", "distilbert_classes", "roberta_classes" };
static const char *const labels[] = { "bad", "so so", "good" };

/* The place of the largest of row `row` of the expected logits, and its probability. */
static int expected_answer(const char *model, int64_t row, double *probability)
{
    tiny_numbers logits = tiny_expected(model, "logits");
    int64_t C = hl_shape_last(logits.shape);
    const hl_real *at = logits.at + row * C;
    int best = 0;
    double sum = 0;
    for (int c = 0; c < C; c++) {
        best = at[c] > at[best] ? c : best;
    }
    for (int c = 0; c < C; c++) {
        sum += exp((double)(at[c] - at[best]));
    }
    *probability = 1 / sum;
    hl_free(logits.at);
    return best;
}

LOOP_TEST(a_stored_classifier_labels_lines, 0, 3)
{
    const char *model = classifiers[_i];
    const char *line = scratch_format("%s\n%s\n%s\n%s\n", texts[0], texts[1], texts[2], texts[3]);
    const char *out = answers(PREDICT(tiny(model), scratch_file("in.txt", line)), told(model));
    for (int t = 0; t < TEXTS; t++) {
        double probability, expected;
        int label = expected_answer(model, t, &expected);
        size_t size = strlen(labels[label]);
        ck_assert_msg(strncmp(out, labels[label], size) == 0 && out[size] == '\t', "%s: %s", texts[t], out);
        ck_assert_int_eq(sscanf(out + size, "%lf", &probability), 1);
        ck_assert_double_le(fabs(probability - expected), 1e-4);
        out = strchr(out, '\n') + 1;
    }
    FAILS_SAYING(PREDICT(tiny(model), scratch_file("in.txt", "a\tb\tc\n")), 3,
                 "in.txt:1: has 2 tabs; one separates the two ");
}

TEST(a_stored_tagger_labels_words)
{
    static const char *const words[] = { "the", "cat", "sat", "on", "the", "mat" };
    const char *out = answers(PREDICT(tiny("electra_tags"), scratch_file("in.txt", "the cat sat on the mat .\n")), "");
    for (int w = 0; w < 6; w++) {
        double probability;
        const char *row = scratch_format("%d\t%s\t_\t%s\t", w + 1, words[w],
                                         labels[expected_answer("electra_tags", w + 1, &probability)]);
        ck_assert_msg(strstr(out, row) != NULL, "no %s in %s", row, out);
    }
}

TEST(stored_heads_fill_masks_and_continue)
{
    const char *out = answers(PREDICT(tiny("bert_masked"), scratch_file("in.txt", "the [MASK] sat\n"), "--top", "2"),
                              told("bert_masked"));
    ck_assert_msg(strstr(out, "[MASK]") == NULL && strstr(out, "\n  1.  ") != NULL, "%s", out);
    double probability;
    tiny_numbers lengths = tiny_expected("gpt2_next", "lengths");
    int64_t last = (int64_t)(lengths.at[0] + lengths.at[1] + lengths.at[2]) - 1;
    hl_free(lengths.at);
    hl_pretrained *folder = tiny_open("gpt2_next");
    int32_t id = expected_answer("gpt2_next", last, &probability);
    hl_text expected = { 0 };
    hl_text_print(&expected, "it");
    CHECK_OK(hl_tokens_decode(hl_pretrained_tokens(folder), &id, 1, true, &expected));
    hl_pretrained_close(folder);
    out =
        answers(PREDICT(tiny("gpt2_next"), scratch_file("in.txt", "it\n"), "--length", "1", "--temperature", "0"), "");
    ck_assert_msg(strncmp(out, expected.bytes, expected.size) == 0, "%s, not %s", out, expected.bytes);
    hl_text_free(&expected);
}

/* The mean of the rows that transformers computes, of length 1, as modules.json says; and no more pieces than
 * sentence_bert_config.json allows, unless they are read in windows. */
TEST(vectors_are_what_the_folder_says)
{
    static const char told[] =
        "a.npy: a line's vector is the mean of the rows of the last layer, divided by its length";
    const char *folder = tiny("bert_bare"), *path = run_path("a.npy");
    tiny_numbers lengths = tiny_expected("bert_bare", "lengths"), hidden = tiny_expected("bert_bare", "hidden_2");
    int64_t first = (int64_t)(lengths.at[0] + lengths.at[1]), T = (int64_t)lengths.at[2], D = 12;
    ck_assert_int_le(T, 8);
    answers(PREDICT(folder, scratch_file("in.txt", "it\n"), "--embed", path), told);
    size_t size;
    char *content = scratch_read(path, &size);
    float vector[12], cut[12];
    memcpy(vector, content + size - sizeof vector, sizeof vector);
    free(content);
    double mean[12] = { 0 }, squares = 0;
    for (int64_t d = 0; d < D; d++) {
        for (int64_t t = 0; t < T; t++) {
            mean[d] += (double)hidden.at[(first + t) * D + d];
        }
        squares += mean[d] * mean[d];
    }
    for (int64_t d = 0; d < D; d++) {
        ck_assert_double_eq_tol(vector[d], mean[d] / sqrt(squares), 1e-5);
    }
    hl_free(lengths.at);
    hl_free(hidden.at);
    answers(PREDICT(folder, scratch_file("in.txt", "the cat sat on the mat.\n"), "--embed", path),
            "in.txt:1: has 7 pieces, and the model takes 6: cut");
    content = scratch_read(path, &size);
    memcpy(cut, content + size - sizeof cut, sizeof cut);
    free(content);
    answers(PREDICT(folder, scratch_file("in.txt", "the cat sat on the mat\n"), "--embed", path), told);
    content = scratch_read(path, &size);
    ck_assert_mem_eq(cut, content + size - sizeof cut, sizeof cut);
    free(content);
    answers(PREDICT(folder, scratch_file("in.txt", "the cat sat on the mat.\n"), "--embed", path, "--stride", "3"),
            told);
    content = scratch_read(path, &size);
    ck_assert_mem_ne(cut, content + size - sizeof cut, sizeof cut);
    free(content);
}

TEST(a_folder_without_a_head_gives_pieces_alone)
{
    const char *folder = tiny("bert_bare"), *in = scratch_file("in.txt", "resting dogs\n");
    ck_assert_str_eq(answers(PREDICT(folder, in, "--tokens"), told("bert_bare")), "re ##s ##t ##ing dog ##s\n");
    REFUSED(PREDICT(folder, in), 2, "runs.its_model_has_no_output_layer");
    REFUSED(PREDICT(folder, "--score", in), 2, "runs.its_model_has_no_output_layer");
}

/* ---- train --from ---- */

static const char *trained_config(void)
{
    hl_text table = { 0 };
    hl_text_print(&table, "text\tlabel\n");
    for (int i = 0; i < 30; i++) {
        hl_text_print(&table, "the cat sat on mat a%d\tup\nthe dog barked b%d\tdown\nit saw c%d\tno\n", i, i, i);
    }
    const char *path = scratch_file("table.tsv", table.bytes);
    hl_text_free(&table);
    const char *config = scratch_format(
        "[task]\nname = classes\nfile = %s\nvalidation_share = 0.3\ntext_column = text\nlabel_column = label\n"
        "[optimizer]\nlearning_rate = 0.01\nwarmup_steps = 1\nschedule = constant\n"
        "[train]\nsteps = 4\nbatch_size = 4\nlog_every = 2\neval_every = 2\ncheckpoint_every = 2\nthreads = 1\n"
        "[patterns]\nexamples = 2\n",
        path);
    return run_config("classes.ini", config);
}

LOOP_TEST(a_run_begins_with_an_open_model_and_goes_on, 0, 2)
{
    const char *config = trained_config(), *folder = tiny(tiny_models[_i].name), *whole = run_path("whole"),
               *parted = run_path("parted");
    run_result run = SAYS(RUN(config, "--from", folder, "--out", whole), "\nloaded: ");
    ck_assert_ptr_nonnull(strstr(run.out, "output.weight, output.bias\n")); /* as many others */
    ck_assert_ptr_nonnull(strstr(run_read(run_file(whole, "config.ini")), "\nd_model = 12\n"));
    EXPECT_RUN(0, config, "--from", folder, "--out", parted, "train.steps=2");
    EXPECT_RUN(0, config, "--from", folder, "--out", parted, "--resume");
    run_assert_same_file(whole, parted, "checkpoint.safetensors");
    const char *in = scratch_file("in.txt", "resting dogs bark\n"),
               *pieces = answers(PREDICT(folder, in, "--tokens"), told(tiny_models[_i].name));
    ck_assert_str_eq(answers(PREDICT(whole, in, "--tokens"), ""), pieces);
    OK(HEADS(whole));
}

/* At a rate at which nothing moves, the run's model is the folder's. */
TEST(a_run_has_the_folders_weights)
{
    const char *folder = tiny("bert_masked"), *run = run_path("run"), *path = run_path("a.npz");
    const char *config = scratch_format(
        "[task]\nname = masked\nfile = %s\nvalidation_share = 0.3\n[optimizer]\nname = sgd\nlearning_rate = 1e-12\n"
        "[train]\nsteps = 1\nbatch_size = 4\nthreads = 1\n[patterns]\nexamples = 1\n",
        scratch_file("lines.txt",
                     "the cat sat\na dog barked\nit sat on a mat\nwho saw it\nthe dog sat\na cat saw it\n"));
    SAYS(RUN(run_config("masked.ini", config), "--from", folder, "--out", run), "\ndrawn anew: nothing\n");
    OK(HEADS("map", run, "--input", texts[0], "--npz", path));
    tiny_numbers lengths = tiny_expected("bert_masked", "lengths");
    assert_text("bert_masked", answer_arrays(path), 0, (int64_t)lengths.at[0], 0);
    hl_free(lengths.at);
}

TEST(a_config_that_contradicts_the_folder_is_told_by_key)
{
    static const struct {
        const char *model, *override, *told;
    } wrong[] = {
        { "bert_masked", "model.d_model=24", "runs.model_d_model_24_and_the" },
        { "bert_masked", "model.heads=2", "runs.model_heads_2_and_the_model" },
        { "bert_masked", "model.max_length=61", "runs.model_max_length_61_and_the" },
        { "bert_masked", "tokens.size=100", "runs.tokens_size_the_tokens_are_those" },
        { "bert_masked", "tokens.kind=chars", "runs.tokens_kind_chars_and_the_model" },
        { "gpt2_next", "model.causal=false", "runs.model_causal_false_and_the_model" },
        { "bert_bare", "model.vocabulary=60", "runs.model_vocabulary_60_and_the_model" },
    };
    const char *config = trained_config();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        REFUSED(RUN(config, wrong[i].override, "--from", tiny(wrong[i].model), "--out", run_path("none")), 2,
                wrong[i].told);
    }
    REFUSED(RUN(run_tiny_config(), "--from", tiny("bert_masked"), "--out", run_path("none")), 2,
            "runs.task_name_the_model_of_reads");
    OK(RUN(config, "--from", tiny("bert_masked"), "model.dropout=0.2", "--check"));
    REFUSED(RUN(config, "--from", tiny("bert_classes"), "model.head=none", "--summary"), 2,
            "runs.model_head_none_leaves_nothing_to");
    SAYS(RUN(config, "--from", tiny("bert_classes"), "--summary"), "d_model D=12");
}

/* ---- heads export ---- */

LOOP_TEST(a_model_is_exported_and_read_again, 0, TINY_MODELS)
{
    const char *folder = tiny(tiny_models[_i].name), *out = run_path("out");
    run_result run = SAYS(HEADS("export", folder, out), "/out\nwritten: ");
    ck_assert_str_eq(run.err, "");
    run_result again = OK(HEADS("map", out, "--input", "the cat sat", "--json"));
    ck_assert_str_eq(again.out, HEADS("map", folder, "--input", "the cat sat", "--json").out);
}

/* What would be read beside it goes; what no model reads stays. */
TEST(nothing_of_an_earlier_model_stays)
{
    static const char *const gone[] = { "model-00001-of-00002.safetensors",
                                        "model.safetensors.index.json",
                                        "modules.json",
                                        "sentence_bert_config.json",
                                        "config_sentence_transformers.json",
                                        "1_Pooling/config.json",
                                        "adapter_config.json",
                                        "adapter_model.safetensors",
                                        "added_tokens.json",
                                        "vocab.txt" };
    static const char *const stay[] = { "README.md", "1_Pooling/notes", "model-card.md" };
    const char *out = run_path("out");
    enum { GONE = sizeof gone / sizeof *gone, STAY = sizeof stay / sizeof *stay };
    ck_assert_int_eq(HEADS("export", tiny("bert_bare"), out).code, 0); /* makes 1_Pooling */
    for (int i = 0; i < GONE; i++) {
        scratch_write(run_file(out, gone[i]), "{}", 2);
    }
    for (int i = 0; i < STAY; i++) {
        scratch_write(run_file(out, stay[i]), "{}", 2);
    }
    OK(HEADS("export", tiny("bert_masked"), out, "--overwrite"));
    for (int i = 0; i < GONE; i++) {
        ck_assert_msg(!scratch_exists(run_file(out, gone[i])), "%s", gone[i]);
    }
    for (int i = 0; i < STAY; i++) {
        ck_assert_msg(scratch_exists(run_file(out, stay[i])), "%s", stay[i]);
    }
}

TEST(a_folder_that_holds_something_is_not_replaced_unasked)
{
    const char *folder = tiny("bert_masked"), *out = run_path("out"), *file = run_path("file");
    scratch_write(file, "", 0);
    OK(HEADS("export", folder, out));
    REFUSED(HEADS("export", folder, out), 3, "runs.holds_files_already_name_another_folder");
    SAYS(HEADS("export", tiny("gpt2_next"), out, "--overwrite"), "of the kind gpt2");
    REFUSED(HEADS("export", out, out, "--overwrite"), 3, "runs.is_in_the_folder_of_the");
    const char *in = run_path("out/new/on/the/way");
    REFUSED(HEADS("export", out, in), 3, "runs.is_in_the_folder_of_the_2");
    ck_assert(!scratch_exists(run_path("out/new")));
    ck_assert_int_eq(HEADS("export", out, run_path("out-2")).code, 0); /* beside it */
    REFUSED(HEADS("export", folder, file), 3, "runs.a_file_name_a_folder_for");
    scratch_write(run_path("out/config.ini"), "", 0);
    REFUSED(HEADS("export", folder, out, "--overwrite"), 3, "runs.holds_a_run_name_another_folder");
    REFUSED(HEADS("prune", folder, "--export", out), 2, "runs.export_needs_to_n");
    REFUSED(HEADS(folder, "--overwrite"), 2, "runs.overwrite_needs_examples_file");
}

TEST(a_run_that_no_open_model_is_like_is_not_exported)
{
    const char *folder = TINY_RUN("run"), *out = run_path("out");
    REFUSED(HEADS("export", folder, out), 2, "runs.a_model_of_its_task_has");
}

SUITE("open_models", .seconds = 60)
