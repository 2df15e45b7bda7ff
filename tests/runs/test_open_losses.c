/* What the loss of an open model depends on: its stored head asked on a file. What a head is worth is compared with the
 * loss of the same folder whose columns for that head are zero. */
#include "core/base/text.h"
#include "tests/pretrained/tiny.h"
#include "tests/runs/predict_runs.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { D = 12, WIDTH = 4, EXAMPLES = 40 };

static const struct model {
    const char *name, *matrix; /* (D, D), of layer 1; its columns belong to heads */
    const char *file;
} models[] = {
    { "bert_classes", "bert.encoder.layer.1.attention.output.dense.weight", "table.tsv" },
    { "distilbert_classes", "distilbert.transformer.layer.1.attention.out_lin.weight", "table.tsv" },
    { "roberta_classes", "roberta.encoder.layer.1.attention.output.dense.weight", "table.tsv" },
    { "electra_tags", "electra.encoder.layer.1.attention.output.dense.weight", "tags.conllu" },
};

static const char *tiny(const char *name)
{
    return run_kept(tiny_folder(name));
}

/* ---- files: of EXAMPLES examples, or of every second one alone, those that score ---- */

static const char *const words[] = { "the", "cat", "sat", "dog", "barked", "it", "who", "mat" };
static const char *const labels[] = { "bad", "good", "so so" };

static const char *word(int i, int j)
{
    return words[(unsigned)(i * 7 + j * 3 + i * j) % 8];
}

static void print_example(hl_text *text, bool tags, int i)
{
    if (!tags) {
        hl_text_print(text, "%s %s %s %s\t%s\n", word(i, 0), word(i, 1), word(i, 2), word(i, 3),
                      labels[(unsigned)(i * i + i) % 3]);
        return;
    }
    for (int j = 0; j < 3; j++) {
        hl_text_print(text, "%d\t%s\t_\t%s\t_\t_\t_\t_\t_\t_\n", j + 1, word(i, j), labels[(unsigned)(i + j * i) % 3]);
    }
    hl_text_print(text, "\n");
}

static const char *examples(const char *name, bool scoring_alone)
{
    bool tags = strcmp(name, "tags.conllu") == 0;
    hl_text text = { 0 };
    hl_text_print(&text, "%s", tags ? "" : "text\tlabel\n");
    for (int i = scoring_alone ? 1 : 0; i < EXAMPLES; i += scoring_alone ? 2 : 1) {
        print_example(&text, tags, i);
    }
    const char *path = scratch_format("%s%s", scoring_alone ? "scoring_" : "", name);
    const char *found = scratch_file(path, text.bytes);
    hl_text_free(&text);
    return found;
}

static const char *lines(void)
{
    hl_text text = { 0 };
    for (int i = 0; i < EXAMPLES; i++) {
        hl_text_print(&text, "%s %s %s %s %s\n", word(i, 0), word(i, 1), word(i, 2), word(i, 3), word(i, 4));
    }
    const char *found = scratch_file("lines.txt", text.bytes);
    hl_text_free(&text);
    return found;
}

/* ---- numbers ---- */

/* The number after `"<member>": ` that comes first behind `from`. */
static double number_after(const char *json, const char *from, const char *member)
{
    const char *key = scratch_format("\"%s\": ", member);
    const char *at = strstr(json, from);
    at = at != NULL ? strstr(at, key) : NULL;
    ck_assert_msg(at != NULL, "no %s behind %s in: %s", key, from, json);
    return strtod(at + strlen(key), NULL);
}

static double score_of(const char *folder, const char *path)
{
    run_result run = OK(PREDICT(folder, "--score", path, "--json"));
    const char *at = strstr(run.out, "\"loss\":");
    ck_assert_ptr_nonnull(at);
    return strtod(at + strlen("\"loss\":"), NULL);
}

/* A copy of the folder in which the columns of that head of the matrix are zero. */
static const char *without_columns(const char *name, const char *matrix, int head)
{
    const char *copy = run_kept(tiny_changed(name, NULL, NULL, NULL));
    const char *path = run_file(copy, "model.safetensors");
    size_t size;
    char *bytes = scratch_read(path, &size);
    uint64_t header;
    memcpy(&header, bytes, sizeof header);
    const char *at = strstr(bytes + 8, matrix);
    at = at != NULL ? strstr(at, "\"data_offsets\":[") : NULL;
    ck_assert_msg(at != NULL, "%s", matrix);
    float *numbers = (float *)(void *)(bytes + 8 + header + strtoull(at + strlen("\"data_offsets\":["), NULL, 10));
    for (int row = 0; row < D; row++) {
        memset(numbers + (size_t)(row * D + head * WIDTH), 0, WIDTH * sizeof *numbers);
    }
    scratch_write(path, bytes, size);
    free(bytes);
    return copy;
}

/* ---- what a head is worth ---- */

LOOP_TEST(a_head_is_worth_what_the_loss_grows_without_its_columns, 0, 4)
{
    const struct model *model = &models[_i];
    const char *folder = tiny(model->name), *scoring = examples(model->file, true);
    run_result run =
        OK(HEADS("importance", folder, "patterns.examples=40", "--file", examples(model->file, false), "--json"));
    const char *json = run_kept(run.out);
    ck_assert_ptr_nonnull(strstr(json, "\"step\": null"));
    ck_assert_int_eq((int)number_after(json, "{", "examples"), EXAMPLES / 2);
    double whole = score_of(folder, scoring);
    ck_assert_double_le(fabs(number_after(json, "{", "loss") - whole), 1e-5);
    for (int head = 0; head < 3; head++) {
        const char *place = scratch_format("\"layer\": 1,\n      \"head\": %d", head);
        double without = score_of(without_columns(model->name, model->matrix, head), scoring);
        double zero = number_after(json, place, "zero");
        ck_assert_msg(fabs(zero - (without - whole)) < 2e-5, "L1H%d: %g, not %g", head, zero, without - whole);
        ck_assert_double_gt(fabs(zero), 1e-4); /* else this would show nothing */
    }
}

/* Masks are drawn alike for both folders. */
TEST(dropping_a_head_is_zeroing_its_columns_with_masks_too)
{
    const char *path = lines(), *folder = tiny("bert_masked");
    const char *copy = without_columns("bert_masked", "bert.encoder.layer.1.attention.output.dense.weight", 2);
    const char *dropped = run_kept(HEADS("importance", folder, "--drop", "L1H2", "--file", path, "--json").out);
    const char *zeroed =
        run_kept(HEADS("importance", copy, "--drop", "L0H0", "--file", path, "--task", "masked", "--json").out);
    ck_assert_ptr_nonnull(strstr(dropped, "\"examples\": 40"));
    double ours = number_after(dropped, "\"heads\": 5", "loss"), theirs = number_after(zeroed, "\"heads\": 6", "loss");
    ck_assert_msg(fabs(ours - theirs) < 1e-5, "%g, not %g", ours, theirs);
    ck_assert_double_gt(fabs(ours - number_after(dropped, "\"heads\": 6", "loss")), 1e-3);
    const char *other = HEADS("importance", folder, "train.seed=2", "--drop", "L1H2", "--file", path, "--json").out;
    ck_assert_double_gt(fabs(ours - number_after(other, "\"heads\": 5", "loss")), 1e-3);
}

/* A run that begins with the folder validates the folder's model at step 0, with the same masks. */
LOOP_TEST(the_loss_is_that_of_a_run_before_its_first_step, 0, 2)
{
    const char *path = lines(), *folder = tiny(_i == 0 ? "bert_masked" : "gpt2_next"), *out = run_path("run");
    const char *config = scratch_format(
        "[task]\nname = %s\nfile = %s\nvalidation_file = %s\n%s\n[train]\nsteps = 1\nbatch_size = 4\nthreads = 1\n"
        "seed = 3\neval_examples = 0\n[patterns]\nexamples = 0\n",
        _i == 0 ? "masked" : "next", path, path, _i == 0 ? "" : "length = 16");
    EXPECT_RUN(0, run_config("x.ini", config), "--from", folder, "--out", out, "--quiet");
    const char *row = strstr(run_read(run_file(out, "metrics.csv")), "\n0,validation,");
    ck_assert_ptr_nonnull(row);
    const char *more = _i == 0 ? "task.mask=pieces" : "task.length=16";
    const char *json =
        HEADS("importance", folder, more, "train.seed=3", "--drop", "L0H0", "--file", path, "--json").out;
    double loss = number_after(json, "\"rows\"", "loss"), expected = strtod(row + strlen("\n0,validation,"), NULL);
    ck_assert_msg(fabs(loss - expected) < 1e-6, "%.9g, not %.9g", loss, expected);
}

/* Where lines end depends on how long the path is that they begin with. */
static bool says(const char *text, const char *part)
{
    char line[1 << 12];
    ck_assert_uint_lt(strlen(text), sizeof line);
    strcpy(line, text);
    for (char *c = line; *c != '\0'; c++) {
        *c = *c == '\n' ? ' ' : *c;
    }
    return strstr(line, part) != NULL;
}

TEST(heads_are_pruned_and_shared_out)
{
    const char *path = examples("table.tsv", false), *folder = tiny("bert_classes");
    run_result run = OK(HEADS("prune", folder, "--file", path, "--json"));
    ck_assert_double_le(fabs(number_after(run.out, "\"heads\": 6", "loss") - score_of(folder, path)), 1e-5);
    SAYS(HEADS("importance", folder, "--shapley", "--file", path, "--json"), "\"shapley\": ");
    SAYS(HEADS("map", folder, "L0H1", "--file", path, "--example", "3"), "bert_classes, example 3");
    const char *one = scratch_file("one.tsv", "text\tlabel\nthe cat\tgood\n");
    run = HEADS("importance", folder, "--drop", "L0H1", "--file", one);
    ck_assert_msg(run.code == 0 && says(run.out, "on the 1 example of"), "%s%s", run.out, run.err);
    run = HEADS("importance", folder, "--file", one);
    ck_assert_msg(run.code == 0 && says(run.out, "on the 1 example that scores"), "%s%s", run.out, run.err);
    SAYS(HEADS("importance", folder, "--keep", "L0H1", "--file", path), "table.tsv.\nHeads kept: L0H1.");
}

/* A smaller model is worth what the curve ends with, and the heads that were removed, in whose places nothing is, stay
 * out when it is trained on. */
TEST(a_pruned_model_is_exported_and_trained_on)
{
    const char *path = lines(), *folder = tiny("bert_masked"), *out = run_path("out"), *run = run_path("run");
    run_result result = OK(HEADS("prune", folder, "--to", "4", "--file", path, "--export", out, "--json"));
    double loss = number_after(result.out, "\"heads\": 4,", "loss");
    const char *curve = run_kept(result.out);
    ck_assert_ptr_nonnull(strstr(result.err, "/out\nwritten: BertForMaskedLM"));
    ck_assert_ptr_nonnull(strstr(result.err, "heads that were pruned: 2, written with zeros"));
    for (int trained = 0; trained < 2; trained++) {
        for (int i = 0; i < 6; i++) {
            char head[8], removed[32];
            snprintf(head, sizeof head, "L%dH%d", i / 3, i % 3);
            snprintf(removed, sizeof removed, "\"removed\": \"%s\"", head);
            const char *dropped = HEADS("importance", out, "--drop", head, "--file", path, "--json").out;
            double whole = number_after(dropped, "\"heads\": 6", "loss");
            ck_assert(trained == 1 || fabs(whole - loss) < 1e-5);
            bool empty = number_after(dropped, "\"heads\": 5", "loss") == whole;
            ck_assert_msg(empty == (strstr(curve, removed) != NULL), "%s: %s", head, curve);
        }
        const char *config = scratch_format(
            "[task]\nname = masked\nfile = %s\nvalidation_file = %s\n[train]\nsteps = 3\nbatch_size = 4\n"
            "threads = 1\n[patterns]\nexamples = 0\n",
            path, path);
        if (trained == 0) {
            EXPECT_RUN(0, run_config("my.ini", config), "--from", out, "--out", run, "--quiet");
            out = run_path("again");
            OK(HEADS("export", run, out));
        }
    }
    result = REFUSED(HEADS("prune", folder, "--to", "4", "--file", path, "--export", out), 3,
                     "runs.its_truncation_and_padding_are_not");
    ck_assert_str_eq(result.out, "");
    REFUSED(HEADS("prune", tiny("bert_untied"), "--to", "4", "--file", path, "--out", run_path("a")), 2,
            "runs.out_is_an_open_model_and");
}

/* ---- labels that are stored ---- */

TEST(stored_labels_are_scored)
{
    const char *path = examples("table.tsv", false), *folder = tiny("bert_classes");
    const char *found = answers(PREDICT(folder, "--score", path, "--json"), "");
    const char *text = run_kept(run_read(path));
    int right = 0;
    for (const char *row = strchr(text, '\n') + 1; *row != '\0'; row = strchr(row, '\n') + 1) {
        char line[128];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(row, "\n"), row);
        char *label = strchr(line, '\t') + 1;
        label[-1] = '\0';
        const char *said = answers(PREDICT(folder, scratch_file("one.txt", line)), "");
        right += strncmp(said, label, strlen(label)) == 0 && said[strlen(label)] == '\t';
    }
    const char *expected = scratch_format("\"right\":%d,", right);
    ck_assert_msg(right > 0 && right < EXAMPLES && strstr(found, expected) != NULL, "no %s in %s", expected, found);
}

TEST(columns_of_a_file_are_named)
{
    const char *table = scratch_file("a.tsv", "said\tis\nthe cat sat\tgood\nit barked\tnone of them\n");
    const char *folder = tiny("bert_classes");
    REFUSED(PREDICT(folder, "--score", table), 2, "runs.has_no_column_text_its_columns");
    const char *out = answers(PREDICT(folder, "--score", table, "task.text_column=said", "task.label_column=is"), "");
    ck_assert_msg(strstr(out, "none of its labels  1, and so answered wrong") != NULL, "%s", out);
    REFUSED(PREDICT(folder, table, "task.text_column=said"), 2, "runs.task_text_column_said_says_what");
    run_result run = OK(HEADS("importance", folder, "task.text_column=said", "task.label_column=is", "--drop", "L0H0",
                              "--file", table));
    ck_assert_ptr_nonnull(strstr(run.err, "a.tsv: 1 of its labels is none of the model's: bad, so so, good"));
    const char *words_of = examples("tags.conllu", false);
    out = answers(PREDICT(tiny("electra_tags"), "--score", words_of), "");
    ck_assert_ptr_nonnull(strstr(out, "words               120\n"));
}

/* There is no loss to be told. */
TEST(a_file_of_other_labels_alone_is_refused_with_them)
{
    const char *folder = tiny("bert_classes"), *words_of = examples("tags.conllu", false);
    const char *table = scratch_file("a.tsv", "text\tlabel\nthe cat\tfine\na dog\tgreat\n");
    REFUSED(PREDICT(folder, "--score", table), 3, "runs.none_of_its_2_labels_is");
    REFUSED(PREDICT(folder, "--score", table, "--json"), 3, "runs.none_of_its_2_labels_is");
    REFUSED(PREDICT(tiny("electra_tags"), "--score", words_of, "task.column=XPOS"), 3,
            "runs.none_of_its_120_labels_is");
    table = scratch_file("a.tsv", "text\tlabel\nthe cat\tfine\na dog\tgood\n");
    answers(PREDICT(folder, "--score", table), "");
}

/* ---- what is refused ---- */

TEST(a_loss_needs_a_stored_head_and_examples)
{
    const char *path = lines(), *masked = tiny("bert_untied"), *bare = tiny("bert_bare");
    REFUSED(HEADS("importance", masked), 2, "runs.is_an_open_model_and_this");
    REFUSED(HEADS("prune", tiny("gpt2_next")), 2, "runs.is_an_open_model_and_this_2");
    REFUSED(HEADS("importance", tiny("electra_tags"), "--shapley"), 2, "runs.is_an_open_model_and_this_3");
    REFUSED(HEADS("importance", tiny("bert_classes"), "--drop", "L0H0"), 2, "runs.is_an_open_model_and_this_4");
    REFUSED(HEADS("importance", bare), 2, "runs.is_an_open_model_without_an");
    REFUSED(HEADS("importance", bare, "--file", path), 2, "runs.stores_no_head_for_the_task");
    REFUSED(HEADS("importance", masked, "--task", "tags", "--file", path), 2, "runs.stores_no_head_for_the_task_2");
    static const char *const other_kinds[] = { "next", "file", "copy" };
    for (int i = 0; i < 3; i++) {
        const char *told = scratch_format("stores no output layer for the task %s, so it has no loss", other_kinds[i]);
        run_result run = HEADS("importance", masked, "--task", other_kinds[i], "--file", path);
        REFUSED_SAYING(run, 2, told);
        REFUSED_SAYING(run, 2, "(but one for masked): ask it on that, by --task masked");
        run = HEADS("importance", bare, "--task", other_kinds[i], "--file", path);
        REFUSED_SAYING(run, 2, told);
        REFUSED_SAYING(run, 2,
                       ": train one for masked, tags or classes on your own examples with train my.ini --from ");
    }
    REFUSED(HEADS("importance", tiny("gpt2_next"), "--task", "masked", "--file", path), 2,
            "runs.stores_no_head_for_the_task_3");
    REFUSED(HEADS("importance", masked, "--task", "tgas", "--file", path), 2, "runs.task_name_tgas_is_not_one");
    REFUSED(HEADS("importance", masked, "model.layers=1", "--file", path), 2, "runs.model_layers_1_is_an_open");
    REFUSED(HEADS("importance", masked, "task.colum=a", "--file", path), 2, "runs.task_colum_unknown_key_did_you");
    REFUSED(HEADS("importance", masked, "--file", path, "--step", "0"), 2, "runs.is_an_open_model_which_has");
    REFUSED(HEADS("importance", masked, "--file", run_path("none.txt")), 3, "heads.cannot_open_no_such_file_or");
    REFUSED(HEADS("importance", tiny("gpt2_next"), "--file", scratch_file("s.txt", "the cat\n")), 3,
            "runs.has_2_pieces_too_few_for");
    const char *run = TINY_RUN("run");
    REFUSED(HEADS("importance", run, "--file", path), 2, "runs.file_is_a_run_which_has");
    REFUSED(HEADS("importance", run, "task.length=3"), 2, "runs.task_length_3_is_a_run");
}

SUITE("open losses", .seconds = 60)
