/* report.html, as train and heads write it, and the names of relations. */
#include "tests/check_suite.h"
#include "tests/runs/answers.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* With all options that say where it goes, and at any number of threads, of which config.ini tells. */
TEST(train_and_heads_write_the_same_report)
{
    const char *folder = TINY_RUN("run"), *report = run_file(folder, "report.html"), *copy = run_path("copy.html");
    const char *by_train = run_read(report), *config = run_file(folder, "config.ini");
    ck_assert_int_eq(strncmp(by_train, "<!doctype html>\n", 16), 0);
    ck_assert_ptr_nonnull(strstr(by_train, "\"name\":\"run\""));
    static const char *const parts[] = { "\"metrics\":\"", "\"readings\":\"", "\"pass\":{", "\"label\":\"",
                                         "\"importance\":" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        ck_assert_msg(strstr(by_train, parts[i]) != NULL, "no %s", parts[i]);
    }
    unlink(report);
    OK(HEADS(folder, "--report", copy));
    ck_assert_str_eq(run_read(report), by_train);
    ck_assert_str_eq(run_read(copy), by_train);
    ck_assert_str_eq(HEADS(folder, "--report", "-").out, by_train);
    unlink(report);
    OK(HEADS(folder, "--step", "5"));
    ck_assert_str_eq(run_read(report), by_train);
    char *text = (char *)(size_t)run_read(config);
    *strchr(strstr(text, "threads = 1"), '1') = '2';
    scratch_write(config, text, strlen(text));
    char *by_two = (char *)(size_t)HEADS(folder, "--report").out;
    *strchr(strstr(by_two, "threads = 2"), '2') = '1';
    ck_assert_str_eq(by_two, by_train);
}

TEST(without_its_weights_a_report_has_no_effects)
{
    const char *folder = TINY_RUN("run");
    unlink(run_file(folder, "checkpoint.safetensors"));
    unlink(run_file(folder, "model.safetensors"));
    const char *page = HEADS(folder, "--report").out;
    ck_assert_ptr_nonnull(strstr(page, "\"label\":\""));
    ck_assert_ptr_null(strstr(page, "\"pass\":{"));
    ck_assert_ptr_null(strstr(page, "\"importance\":"));
    unlink(run_file(folder, "metrics.csv"));
    page = HEADS(folder, "--report").out;
    ck_assert_ptr_nonnull(strstr(page, "\"readings\":\""));
    ck_assert_ptr_null(strstr(page, "\"metrics\":\""));
}

/* Writes a snapshot anew without its relations. */
static void drop_relations(const char *path)
{
    const hl_npz *npz = answer_arrays(path);
    hl_npz_writer *writer = hl_npz_create(path);
    for (int i = 0; i < npz->n; i++) {
        const hl_npz_array *array = &npz->arrays[i];
        if (strcmp(array->name, "relations") != 0) {
            hl_npz_add(writer, array->name, array->type, array->shape, array->data);
        }
    }
    CHECK_OK(hl_npz_close(writer, HL_VOLATILE));
}

/* The table may speak of older weights, and says so; the page shows no figures of other weights than its maps'. */
TEST(a_report_has_no_effects_of_older_weights)
{
    const char *folder = run_path("run"), *checkpoint = run_file(folder, "checkpoint.safetensors");
    EXPECT_RUN(0, run_tiny_config(), "train.keep_checkpoints=3", "--quiet", "--out", folder);
    ck_assert_int_eq(rename(run_file(folder, "checkpoint-12.safetensors"), checkpoint), 0);
    unlink(run_file(folder, "model.safetensors"));
    ck_assert_ptr_nonnull(strstr(HEADS(folder).out, "weights of step 12"));
    const char *page = run_read(run_file(folder, "report.html"));
    ck_assert_ptr_nonnull(strstr(page, "\"label\":\""));
    ck_assert_ptr_null(strstr(page, "\"pass\":{"));
    ck_assert_ptr_null(strstr(page, "\"importance\":"));
}

TEST(relations_are_named)
{
    const char *folder = run_path("run"), *last = run_file(folder, "patterns/step_000002.npz");
    EXPECT_RUN(0, run_shipped_config("agreement.ini"), "train.steps=2", "train.batch_size=8", "train.eval_examples=24",
               "patterns.examples=8", "--quiet", "--out", folder);
    ck_assert_ptr_nonnull(strstr(run_read(run_file(folder, "heads.csv")), "\n2,1,0,relation(det_noun),"));
    const char *page = run_read(run_file(folder, "report.html"));
    ck_assert_ptr_nonnull(strstr(page, "\"name\":\"det_noun\""));
    ck_assert_ptr_nonnull(strstr(page, "\"name\":\"subject_verb\""));
    ck_assert_ptr_null(strstr(page, "\"name\":\"relation 0\""));
    drop_relations(last);
    REFUSED(HEADS(folder), 3, "runs.has_pairs_of_0_relations_and");
}

/* A run that goes on twice, each time for six steps and with so many examples; among more examples are longer ones: T is
 * another. All of it is shown that has snapshots, and the maps of what has all examples of the last snapshot. */
LOOP_TEST(a_run_that_goes_on_with_more_or_fewer_examples_is_shown_whole, 0, 3)
{
    static const struct {
        int examples[3];
        const char *told;
        int last, without_maps; /* steps: of the last row of heads.csv; -1: all have maps */
    } cases[] = { { { 5, 24, 3 }, "measured on 3 examples", 18, -1 },
                  { { 24, 2, 24 }, "measured on 24 examples", 18, 12 },
                  { { 24, 0, 0 }, "measured on 24 examples", 6, 12 } };
    const char *folder = run_path("run");
    for (int part = 0; part < 3; part++) {
        run_result run = OK(RUN(run_tiny_config(), "task.min_length=1", "task.length=12", "train.eval_examples=24",
                                scratch_format("patterns.examples=%d", cases[_i].examples[part]),
                                scratch_format("train.steps=%d", 6 * (part + 1)), "--quiet", "--out", folder,
                                part > 0 ? "--resume" : NULL));
        ck_assert_str_eq(run.err, "");
    }
    SAYS(HEADS(folder), cases[_i].told);
    const char *csv = run_read(run_file(folder, "heads.csv")), *page = run_read(run_file(folder, "report.html"));
    ck_assert_ptr_nonnull(strstr(csv, "\n0,0,0,entropy,"));
    for (int step = 0; step <= 18; step += 6) {
        bool mapped = strstr(page, scratch_format("{\"step\":%d,\"levels\":", step)) != NULL;
        ck_assert_int_eq(strstr(csv, scratch_format("\n%d,1,1,entropy,", step)) != NULL, step <= cases[_i].last);
        ck_assert_int_eq(mapped, step <= cases[_i].last && step != cases[_i].without_maps);
    }
}

SUITE("reports of runs", .seconds = 60)
