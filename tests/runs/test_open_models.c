/* The programs on folders of open models: what they compute is what transformers computes, and what a folder alone has
 * not is refused. */
#include "core/base/memory.h"
#include "core/files/npz.h"
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
    char path[4096];
    snprintf(path, sizeof path, "%s/tokenizer.json", tiny_folder(model));
    return scratch_exists(path) ? "tokenizer.json: its truncation and padding are not used\n"
           : strcmp(model, "bert_bare") == 0
               ? "vocab_size is 56, and the folder's tokens are 52: 4 vectors are no token's\n"
               : "";
}

static bool tells_only(const char *err, const char *notice)
{
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

LOOP_TEST(heads_of_a_text_are_those_of_transformers, 0, TINY_MODELS)
{
    const char *model = tiny_models[_i].name, *path = run_path("a.npz");
    tiny_numbers lengths = tiny_expected(model, "lengths");
    int64_t first = 0, at = 0;
    for (int t = 0; t < TEXTS; t++) {
        int64_t T = (int64_t)lengths.at[t];
        if (t != 1 || strcmp(model, "electra_tags") != 0) { /* words of one sentence */
            run_result run = HEADS(tiny(model), "--input", texts[t], "--npz", path);
            ck_assert_msg(run.code == 0 && tells_only(run.err, told(model)), "%s", run.err);
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

/* Drawn, as JSON and CSV, joined to words; answers stand there where the model has an output layer. */
LOOP_TEST(heads_of_a_text_are_shown, 0, TINY_MODELS)
{
    const char *model = tiny_models[_i].name, *folder = tiny(model);
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

TEST(a_text_that_is_too_long_is_refused)
{
    char text[256] = "";
    for (int i = 0; i < 62; i++) {
        strcat(text, "a ");
    }
    run_result run = HEADS(tiny("bert_untied"), "--input", text);
    expect_refused(run, 2, "--input: 64 tokens, and the model takes at most 60 (max_length)");
}

/* ---- what a folder alone has not ---- */

TEST(what_needs_examples_or_a_loss_is_refused_with_the_command_that_helps)
{
    const char *folder = tiny("bert_masked");
    expect_refused(
        HEADS(folder), 2,
        "bert_masked: is an open model, without examples of its own: give it sentences, by --examples FILE, ");
    expect_refused(HEADS(folder, "--example", "1"), 2, "--input \"the cat sat on the mat\"");
    expect_refused(HEADS(folder, "--input", "it", "--report", run_path("a.html")), 2,
                   "--input and --report exclude each other: that is of sentences (--examples FILE) or of ");
    expect_refused(HEADS(folder, "--json"), 2, "without examples of its own");
    expect_refused(HEADS(folder, "--against", folder), 2, "name sentences for both by --examples FILE, or a run first");
    expect_refused(HEADS(folder, "the cat sat"), 2,
                   "the cat sat: one model is enough; a text is given by --input, a second model by --against");
    static const char *const asked_on[] = { "--file", "--task" };
    for (int i = 0; i < 2; i++) {
        run_result run = HEADS(folder, asked_on[i], "tags");
        expect_refused(run, 2, asked_on[i]);
        expect_refused(run, 2, ": for what? add --importance, --prune, --drop or --head");
        expect_refused(HEADS(tiny("bert_bare"), asked_on[i], "tags"), 2, ": for what? ");
    }
    expect_refused(HEADS(run_path(".")), 3, "no run (no config.ini in it) and no open model (no config.json)");
    expect_refused(HEADS("bert-base-uncased", "--input", "it"), 3,
                   "bert-base-uncased: no such folder; give a run's, as runs/copy_task, or an open model's, which must "
                   "be on this disk: nothing is downloaded");
    expect_refused(PREDICT("bert-base-uncased"), 3, "bert-base-uncased: no such folder");
    expect_refused(HEADS(run_file(folder, "config.json")), 3, "a file; give the folder that it is in");
}

TEST(a_folder_without_the_matrix_of_its_head_is_refused)
{
    const char *folder =
        run_kept(tiny_changed("electra_discriminator", "config.json", "ElectraForPreTraining", "ElectraForMaskedLM"));
    expect_refused(HEADS(folder, "--input", "it"), 3, "model: its weights lack head.dense.weight");
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
    char line[128];
    snprintf(line, sizeof line, "%s\n%s\n%s\n%s\n", texts[0], texts[1], texts[2], texts[3]);
    const char *out = answers(PREDICT(tiny(model), file("in.txt", line)), told(model));
    for (int t = 0; t < TEXTS; t++) {
        double probability, expected;
        int label = expected_answer(model, t, &expected);
        size_t size = strlen(labels[label]);
        ck_assert_msg(strncmp(out, labels[label], size) == 0 && out[size] == '\t', "%s: %s", texts[t], out);
        ck_assert_int_eq(sscanf(out + size, "%lf", &probability), 1);
        ck_assert_double_le(fabs(probability - expected), 1e-4);
        out = strchr(out, '\n') + 1;
    }
    run_result run = PREDICT(tiny(model), file("in.txt", "a\tb\tc\n"));
    ck_assert_msg(run.code == 3 && strstr(run.err, "in.txt:1: has 2 tabs; one separates the two ") != NULL, "%s",
                  run.err);
}

TEST(a_stored_tagger_labels_words)
{
    static const char *const words[] = { "the", "cat", "sat", "on", "the", "mat" };
    const char *out = answers(PREDICT(tiny("electra_tags"), file("in.txt", "the cat sat on the mat .\n")), "");
    for (int w = 0; w < 6; w++) {
        char row[64];
        double probability;
        snprintf(row, sizeof row, "%d\t%s\t_\t%s\t", w + 1, words[w],
                 labels[expected_answer("electra_tags", w + 1, &probability)]);
        ck_assert_msg(strstr(out, row) != NULL, "no %s in %s", row, out);
    }
}

TEST(stored_heads_fill_masks_and_continue)
{
    const char *out =
        answers(PREDICT(tiny("bert_masked"), file("in.txt", "the [MASK] sat\n"), "--top", "2"), told("bert_masked"));
    ck_assert_msg(strstr(out, "[MASK]") == NULL && strstr(out, "\n  1.  ") != NULL, "%s", out);
    double probability;
    tiny_numbers lengths = tiny_expected("gpt2_next", "lengths");
    int64_t last = (int64_t)(lengths.at[0] + lengths.at[1] + lengths.at[2]) - 1;
    hl_free(lengths.at);
    hl_pretrained *folder = tiny_open("gpt2_next");
    int32_t id = expected_answer("gpt2_next", last, &probability);
    hl_text expected = { 0 };
    hl_text_print(&expected, "it");
    ck_assert_int_eq(hl_tokens_decode(hl_pretrained_tokens(folder), &id, 1, true, &expected).code, HL_OK);
    hl_pretrained_close(folder);
    out = answers(PREDICT(tiny("gpt2_next"), file("in.txt", "it\n"), "--length", "1", "--temperature", "0"), "");
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
    answers(PREDICT(folder, file("in.txt", "it\n"), "--embed", path), told);
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
    answers(PREDICT(folder, file("in.txt", "the cat sat on the mat.\n"), "--embed", path),
            "in.txt:1: has 7 pieces, and the model takes 6: cut");
    content = scratch_read(path, &size);
    memcpy(cut, content + size - sizeof cut, sizeof cut);
    free(content);
    answers(PREDICT(folder, file("in.txt", "the cat sat on the mat\n"), "--embed", path), told);
    content = scratch_read(path, &size);
    ck_assert_mem_eq(cut, content + size - sizeof cut, sizeof cut);
    free(content);
    answers(PREDICT(folder, file("in.txt", "the cat sat on the mat.\n"), "--embed", path, "--stride", "3"), told);
    content = scratch_read(path, &size);
    ck_assert_mem_ne(cut, content + size - sizeof cut, sizeof cut);
    free(content);
}

TEST(a_folder_without_a_head_gives_pieces_alone)
{
    const char *folder = tiny("bert_bare"), *in = file("in.txt", "resting dogs\n");
    ck_assert_str_eq(answers(PREDICT(folder, in, "--tokens"), told("bert_bare")), "re ##s ##t ##ing dog ##s\n");
    expect_refused(PREDICT(folder, in), 2, "bert_bare: its model has no output layer, and so no answers: make one on ");
    expect_refused(PREDICT(folder, "--score", in), 2, " my.ini --from ");
}

/* ---- train --from ---- */

static const char *trained_config(void)
{
    hl_text table = { 0 };
    hl_text_print(&table, "text\tlabel\n");
    for (int i = 0; i < 30; i++) {
        hl_text_print(&table, "the cat sat on mat a%d\tup\nthe dog barked b%d\tdown\nit saw c%d\tno\n", i, i, i);
    }
    const char *path = file("table.tsv", table.bytes);
    hl_text_free(&table);
    char config[4096];
    snprintf(config, sizeof config,
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
    run_result run = RUN(config, "--from", folder, "--out", whole);
    ck_assert_msg(run.code == 0 && strstr(run.out, "\nloaded: ") != NULL, "%s%s", run.out, run.err);
    ck_assert_ptr_nonnull(strstr(run.out, "output.weight, output.bias\n")); /* as many others */
    ck_assert_ptr_nonnull(strstr(run_read(run_file(whole, "config.ini")), "\nd_model = 12\n"));
    EXPECT_RUN(0, config, "--from", folder, "--out", parted, "train.steps=2");
    EXPECT_RUN(0, config, "--from", folder, "--out", parted, "--resume");
    run_assert_same_file(whole, parted, "checkpoint.safetensors");
    const char *in = file("in.txt", "resting dogs bark\n"),
               *pieces = answers(PREDICT(folder, in, "--tokens"), told(tiny_models[_i].name));
    ck_assert_str_eq(answers(PREDICT(whole, in, "--tokens"), ""), pieces);
    ck_assert_int_eq(HEADS(whole).code, 0);
}

/* At a rate at which nothing moves, the run's model is the folder's. */
TEST(a_run_has_the_folders_weights)
{
    const char *folder = tiny("bert_masked"), *run = run_path("run"), *path = run_path("a.npz");
    char config[2048];
    snprintf(
        config, sizeof config,
        "[task]\nname = masked\nfile = %s\nvalidation_share = 0.3\n[optimizer]\nname = sgd\nlearning_rate = 1e-12\n"
        "[train]\nsteps = 1\nbatch_size = 4\nthreads = 1\n[patterns]\nexamples = 1\n",
        file("lines.txt", "the cat sat\na dog barked\nit sat on a mat\nwho saw it\nthe dog sat\na cat saw it\n"));
    run_result result = RUN(run_config("masked.ini", config), "--from", folder, "--out", run);
    ck_assert_msg(result.code == 0 && strstr(result.out, "\ndrawn anew: nothing\n") != NULL, "%s%s", result.out,
                  result.err);
    result = HEADS(run, "--input", texts[0], "--npz", path);
    ck_assert_msg(result.code == 0, "%s", result.err);
    hl_npz npz;
    tiny_numbers lengths = tiny_expected("bert_masked", "lengths");
    ck_assert_int_eq(hl_npz_read(path, 1 << 24, &npz).code, HL_OK);
    assert_text("bert_masked", &npz, 0, (int64_t)lengths.at[0], 0);
    hl_npz_free(&npz);
    hl_free(lengths.at);
}

TEST(a_config_that_contradicts_the_folder_is_told_by_key)
{
    static const struct {
        const char *model, *override, *told;
    } wrong[] = {
        { "bert_masked", "model.d_model=24", "command line: model.d_model: 24, and the model of " },
        { "bert_masked", "model.heads=2", "has 3: leave it out" },
        { "bert_masked", "model.max_length=61", "model.max_length: 61, and the model of " },
        { "bert_masked", "tokens.size=100", "command line: tokens.size: the tokens are those of " },
        { "bert_masked", "tokens.kind=chars", "tokens.kind: chars, and the model of " },
        { "gpt2_next", "model.causal=false", "model.causal: false, and the model of " },
        { "bert_bare", "model.vocabulary=60", "model.vocabulary: 60, and the model of " },
    };
    const char *config = trained_config();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        run_result run = RUN(config, wrong[i].override, "--from", tiny(wrong[i].model), "--out", run_path("none"));
        ck_assert_msg(run.code == 2 && strstr(run.err, wrong[i].told) != NULL, "%d: %s", run.code, run.err);
    }
    run_result run = RUN(run_tiny_config(), "--from", tiny("bert_masked"), "--out", run_path("none"));
    ck_assert_msg(run.code == 2 && strstr(run.err, "set masked, next, tags or classes") != NULL, "%s", run.err);
    ck_assert_int_eq(RUN(config, "--from", tiny("bert_masked"), "model.dropout=0.2", "--check").code, 0);
    run = RUN(config, "--from", tiny("bert_classes"), "model.head=none", "--summary");
    ck_assert_msg(run.code == 2 && strstr(run.err, "model.head: none leaves nothing to train") != NULL, "%s", run.err);
    run = RUN(config, "--from", tiny("bert_classes"), "--summary");
    ck_assert_msg(run.code == 0 && strstr(run.out, "d_model D=12") != NULL, "%s%s", run.out, run.err);
}

/* ---- heads --export ---- */

LOOP_TEST(a_model_is_exported_and_read_again, 0, TINY_MODELS)
{
    const char *folder = tiny(tiny_models[_i].name), *out = run_path("out");
    run_result run = HEADS(folder, "--export", out);
    ck_assert_msg(run.code == 0 && *run.err == '\0', "%s", run.err);
    ck_assert_ptr_nonnull(strstr(run.out, "/out\nwritten: "));
    run_result again = HEADS(out, "--input", "the cat sat", "--json");
    ck_assert_msg(again.code == 0, "%s", again.err);
    ck_assert_str_eq(again.out, HEADS(folder, "--input", "the cat sat", "--json").out);
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
    ck_assert_int_eq(HEADS(tiny("bert_bare"), "--export", out).code, 0); /* makes 1_Pooling */
    for (int i = 0; i < GONE; i++) {
        scratch_write(run_file(out, gone[i]), "{}", 2);
    }
    for (int i = 0; i < STAY; i++) {
        scratch_write(run_file(out, stay[i]), "{}", 2);
    }
    ck_assert_int_eq(HEADS(tiny("bert_masked"), "--export", out, "--overwrite").code, 0);
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
    ck_assert_int_eq(HEADS(folder, "--export", out).code, 0);
    expect_refused(HEADS(folder, "--export", out), 3, "out: holds files already; name another folder, or replace");
    run_result run = HEADS(tiny("gpt2_next"), "--export", out, "--overwrite");
    ck_assert_msg(run.code == 0 && strstr(run.out, "of the kind gpt2") != NULL, "%s", run.err);
    expect_refused(HEADS(out, "--export", out, "--overwrite"), 3,
                   "is in the folder of the model, where nothing is written; name another one by --export");
    const char *in = run_path("out/new/on/the/way");
    expect_refused(HEADS(out, "--export", in), 3,
                   "is in the folder of the model, where nothing is written; name another one by --export");
    ck_assert(!scratch_exists(run_path("out/new")));
    ck_assert_int_eq(HEADS(out, "--export", run_path("out-2")).code, 0); /* beside it */
    expect_refused(HEADS(folder, "--export", file), 3, "a file; name a folder");
    scratch_write(run_path("out/config.ini"), "", 0);
    expect_refused(HEADS(folder, "--export", out, "--overwrite"), 3, "out: holds a run; name another folder");
    expect_refused(HEADS(folder, "--export", out, "--prune"), 2, "--export goes with no other option but --overwrite");
    expect_refused(HEADS(folder, "--overwrite"), 2, "--overwrite goes with --export DIR or --examples FILE alone");
}

TEST(a_run_that_no_open_model_is_like_is_not_exported)
{
    const char *folder = run_path("run"), *out = run_path("out");
    EXPECT_RUN(0, run_tiny_config(), "--quiet", "--out", folder);
    expect_refused(HEADS(folder, "--export", out), 2, "run: a model of its task has no tokens that open models have");
}

SUITE("open_models", .seconds = 60)
