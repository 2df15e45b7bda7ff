/* The program heads, on runs of the tiny config: two layers of two heads, snapshots of 4 examples of 7 tokens. */
#include "study/model.h"
#include "tests/check_suite.h"
#include "tests/faults.h"
#include "tests/runs/answers.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LAYERS = 2, LAYER_HEADS = 2, LAST_STEP = 24, TOKENS = 7 };

/* The value and baseline of heads.csv's row; false where there is none. */
static bool csv_value(const char *csv, int step, int layer, int head, const char *metric, double *value)
{
    const char *begin = scratch_format("\n%d,%d,%d,%s,", step, layer, head, metric);
    const char *row = strstr(csv, begin);
    return row != NULL && sscanf(row + strlen(begin), "%lf", value) == 1;
}

/* ---- the whole validation set ---- */

/* Whether the snapshot holds statistics; how many examples they are of must be right. */
static bool has_statistics(const char *folder, int64_t step, int64_t examples)
{
    const char *name = scratch_format("patterns/step_%06" PRId64 ".npz", step);
    const hl_npz_array *queries = hl_npz_find(answer_arrays(run_file(folder, name)), "all_queries");
    if (queries != NULL) { /* every example has one query with the first key before it that far away */
        ck_assert_int_eq(((const int64_t *)queries->data)[0], examples);
    }
    return queries != NULL;
}

TEST(snapshots_of_validated_steps_hold_sums_of_all_examples)
{
    static const int64_t steps[] = { 0, 1, 2, 5, 10, 20, 24 };
    const char *folder = run_path("run");
    EXPECT_RUN(0, run_tiny_config(), "train.eval_examples=21", "--quiet", "--out",
               folder); /* validated every 4 steps */
    const char *csv = run_read(run_file(folder, "heads.csv"));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        bool validated = steps[i] % 4 == 0;
        double value;
        ck_assert_int_eq(has_statistics(folder, steps[i], 21), validated);
        ck_assert_int_eq(csv_value(csv, (int)steps[i], 1, 1, "all.offset(-1)", &value), validated);
        ck_assert_int_eq(csv_value(csv, (int)steps[i], 1, 1, "all.distance", &value), validated);
    }
}

/* The last snapshot is that of the validation with which patience was lost, at a step that is else none's. */
TEST(a_run_that_ends_early_has_sums_of_its_last_step)
{
    const char *folder =
        TINY_RUN("run", "train.patience=2", "optimizer.learning_rate=1", "patterns.every=0", "train.eval_examples=9");
    int step;
    ck_assert_int_eq(sscanf(run_list(run_file(folder, "patterns")), "step_000000.npz step_%d.npz", &step), 1);
    ck_assert_int_lt(step, LAST_STEP);
    ck_assert(has_statistics(folder, step, 9));
}

/* ---- the table, JSON, heads.csv ---- */

TEST(the_table_has_a_row_a_head_and_fits_80_columns)
{
    const char *folder = TINY_RUN("run");
    run_result run = SAYS(HEADS(folder), "step 24: 4 heads, measured on 4 examples.",
                          "\nhead  label                   score  base          without  faithful\n");
    ck_assert_str_eq(run.err, "");
    static const char *const names[] = { "\nL0H0 ", "\nL0H1 ", "\nL1H0 ", "\nL1H1 " };
    const char *at = run.out;
    for (int i = 0; i < 4; i++) {
        at = strstr(at, names[i]);
        ck_assert_msg(at != NULL, "%s is missing or out of place", names[i]);
    }
    answer_fits_below(run.out);
}

/* A run that is named as users do. */
TEST(long_labels_and_names_fit_80_columns)
{
    const char *folder = run_path("run");
    EXPECT_RUN(0, run_shipped_config("agreement.ini"), "train.steps=1", "model.heads=12", "model.d_model=48",
               "train.eval_examples=32", "patterns.examples=8", "--quiet", "--out", folder);
    run_result run = SAYS(HEADS(folder), "\nL0H11 ");
    answer_fits_below(run.out);
}

TEST(json_agrees_with_heads_csv)
{
    const char *folder = TINY_RUN("run");
    json_t *root = ANSWER(folder, "--json");
    json_t *heads = json_object_get(root, "heads");
    ck_assert_uint_eq(json_array_size(heads), LAYERS * LAYER_HEADS);
    const char *csv = run_read(run_file(folder, "heads.csv"));
    for (size_t i = 0; i < LAYERS * LAYER_HEADS; i++) {
        json_t *head = json_array_get(heads, i);
        ck_assert_int_eq(json_integer_value(json_object_get(head, "layer")), (int)i / LAYER_HEADS);
        ck_assert_int_eq(json_integer_value(json_object_get(head, "head")), (int)i % LAYER_HEADS);
        ck_assert(json_is_string(json_object_get(head, "label")));
        static const char *const same[][2] = { { "entropy", "entropy" },
                                               { "entropy_normalised", "entropy.normalised" },
                                               { "confidence", "confidence" },
                                               { "distance", "distance" },
                                               { "distance_signed", "distance.signed" },
                                               { "best_offset", "best.offset" },
                                               { "importance", "importance" },
                                               { "loss_without", "loss_without" },
                                               { "importance_normalised", "importance.normalised" } };
        for (size_t m = 0; m < sizeof same / sizeof *same; m++) {
            double value = NAN, found = json_number_value(json_object_get(head, same[m][0]));
            ck_assert(csv_value(csv, LAST_STEP, (int)i / LAYER_HEADS, (int)i % LAYER_HEADS, same[m][1], &value));
            ck_assert_msg(fabs(found - value) <= 1e-8 * fmax(1, fabs(value)), "%s: %.12g, %.12g in heads.csv",
                          same[m][0], found, value);
        }
        json_t *faithful = json_object_get(head, "faithful");
        ck_assert(json_is_boolean(faithful) || json_is_null(faithful));
    }
}

/* Of the last step: its weights are at hand. Of no step where there are none. */
TEST(heads_csv_tells_what_heads_are_worth_where_there_are_weights)
{
    const char *folder = TINY_RUN("run"), *file = run_file(folder, "heads.csv"), *csv = run_read(file);
    double value;
    ck_assert(csv_value(csv, LAST_STEP, 1, 1, "importance.normalised", &value));
    ck_assert(value > 0 && value <= 1);
    ck_assert(!csv_value(csv, 20, 1, 1, "loss_without", &value));
    OK(HEADS(folder, "--step", "24", "--csv"));
    ck_assert_int_eq(HEADS(folder, "--step", "20").code, 0); /* the table is of 20, the file of all */
    ck_assert_str_eq(run_read(file), csv);
    unlink(run_file(folder, "checkpoint.safetensors"));
    unlink(run_file(folder, "model.safetensors"));
    OK(HEADS(folder));
    ck_assert(csv_value(run_read(file), LAST_STEP, 1, 1, "entropy", &value));
    ck_assert_ptr_null(strstr(run_read(file), "importance"));
    ck_assert_ptr_null(strstr(run_read(file), "loss_without"));
}

TEST(train_and_heads_write_the_same_heads_csv)
{
    const char *folder = TINY_RUN("run"), *csv = run_file(folder, "heads.csv"), *copy = run_path("copy.csv");
    const char *by_train = run_read(csv);
    ck_assert_ptr_nonnull(strstr(by_train, "step,layer,head,metric,value,baseline\n0,0,0,"));
    ck_assert_ptr_nonnull(strstr(by_train, "\n24,1,1,entropy,"));
    unlink(csv);
    OK(HEADS(folder, "--csv", copy));
    ck_assert_str_eq(run_read(csv), by_train);
    ck_assert_str_eq(run_read(copy), by_train);
    ck_assert_str_eq(HEADS(folder, "--csv").out, by_train);
}

TEST(a_step_without_its_weights_has_no_effects)
{
    const char *folder = TINY_RUN("run", "patterns.every=5");
    SAYS(HEADS(folder, "--step", "5"), "step 5: 4 heads", "are not known: the weights of step 5 were");
    run_result json = HEADS(folder, "--step", "5", "--json");
    ck_assert_ptr_nonnull(strstr(json.out, "\"importance\": null"));
    REFUSED(HEADS(folder, "--step", "7"), 2, "runs.no_snapshot_of_step_7_the");
    REFUSED(HEADS(folder, "--step", "99"), 2, "runs.no_snapshot_of_step_99_they");
}

TEST(without_a_checkpoint_the_weights_are_the_models)
{
    const char *folder = TINY_RUN("run");
    unlink(run_file(folder, "checkpoint.safetensors"));
    SAYS(HEADS(folder), "\nL1H1 ");
    unlink(run_file(folder, "model.safetensors"));
    SAYS(HEADS(folder), "Importance, without and faithful are not known");
    REFUSED(HEADS("map", folder, "--input", "a"), 3, "runs.no_weights_in_it_yet_the");
}

/* ---- maps ---- */

TEST(one_head_is_drawn_with_its_tokens)
{
    const char *folder = TINY_RUN("run");
    run_result mean = SAYS(HEADS("map", folder, "L1H0"), "L1H0", "<sep>", "\nrun, step 24, mean of 2 examples\n");
    ck_assert_ptr_null(strchr(mean.out, '\033'));
    run_result one = HEADS("map", folder, "L1H0", "--example", "3", "--step", "0");
    ck_assert_ptr_nonnull(strstr(one.out, "step 0, example 3"));
    run_result all = HEADS("map", folder, "--example", "0");
    ck_assert_int_eq(strncmp(all.out, "L0H0", 4), 0);
    ck_assert_ptr_nonnull(strstr(all.out, "\nL1H0")); /* each layer begins a row */
    ck_assert_ptr_nonnull(strstr(all.out, "L1H1"));
    ck_assert_ptr_nonnull(
        strstr(all.out, "\ndown: queries, across: keys; one head with its tokens: add its name, as in L0H0\n"));
    ck_assert_ptr_nonnull(strstr(HEADS("map", run_file(folder, "."), "L1H1").out, "\nrun, step 24, mean of"));
    REFUSED(HEADS("map", folder, "--example", "4"), 2, "runs.example_4_the_examples_are_0");
}

/* What a terminal would take for a command is not handed to it, and no line is wider than it. */
TEST(a_folder_of_any_name_is_shown_in_the_caption)
{
    const char *folder =
        run_path("a\033[2J of a name that is too long to stand in a line of any terminal, in full or cut");
    ck_assert_int_eq(rename(TINY_RUN("run"), folder), 0);
    run_result run = OK(HEADS("map", folder, "L0H0"));
    ck_assert_ptr_null(strchr(run.out, '\033'));
    const char *caption = strstr(run.out, " of a name");
    ck_assert_ptr_nonnull(caption);
    ck_assert_ptr_null(strstr(caption, "in full or cut"));
}

TEST(heads_that_are_none_are_refused)
{
    const char *folder = TINY_RUN("run");
    REFUSED(HEADS("map", folder, "L2H0"), 2, "runs.head_l2h0_no_layer_2_the");
    REFUSED(HEADS("map", folder, "L0H2"), 2, "runs.head_l0h2_no_head_2_in");
    static const char *const names[] = { "x", "L", "L0", "L0H", "0H1", "L0H1x", "L-1H0", "L99999999999999999999H0" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char told[64];
        snprintf(told, sizeof told, "\"%s\" is not a head", names[i]);
        REFUSED_SAYING(HEADS("map", folder, names[i]), 2, told, "L0H0 .. L1H1");
    }
}

/* The model on an example of the snapshot, given as an input, has the weights of the snapshot. */
TEST(an_input_gives_the_weights_of_the_same_example)
{
    const char *folder = TINY_RUN("run"), *recorded = run_path("recorded.json"), *run_again = run_path("again.json");
    OK(HEADS("map", folder, "--bertviz", recorded, "--example", "2"));
    json_t *first = answer_json(run_read(recorded)), *tokens = json_object_get(first, "tokens");
    ck_assert_uint_eq(json_array_size(tokens), TOKENS);
    char input[256] = "";
    for (size_t i = 0; i < TOKENS; i++) {
        strcat(strcat(input, i > 0 ? " " : ""), json_string_value(json_array_get(tokens, i)));
    }
    OK(HEADS("map", folder, "--bertviz", run_again, "--input", input));
    json_t *second = answer_json(run_read(run_again));
    ck_assert(json_equal(tokens, json_object_get(second, "tokens")));
    ck_assert_uint_eq(json_array_size(json_object_get(second, "attention")), LAYERS);
    for (size_t l = 0; l < LAYERS; l++) {
        for (size_t i = 0; i < LAYER_HEADS * TOKENS * TOKENS; i++) {
            double values[2];
            for (int f = 0; f < 2; f++) {
                json_t *layer = json_array_get(json_object_get(f == 0 ? first : second, "attention"), l);
                ck_assert_uint_eq(json_array_size(layer), 1);
                json_t *head = json_array_get(json_array_get(layer, 0), i / (TOKENS * TOKENS));
                values[f] = json_number_value(json_array_get(json_array_get(head, i / TOKENS % TOKENS), i % TOKENS));
            }
            ck_assert_msg(fabs(values[0] - values[1]) < 1e-5, "layer %zu, weight %zu: %g, %g", l, i, values[0],
                          values[1]);
        }
    }
    SAYS(HEADS("map", folder, "L0H1", "--input", input), "<mask>");
}

TEST(inputs_that_are_none_are_refused)
{
    const char *folder = TINY_RUN("run");
    REFUSED(HEADS("map", folder, "--input", "a B"), 2, "runs.input_unknown_token_b_did_you");
    REFUSED(HEADS("map", folder, "--input", "a zebra"), 2, "runs.input_unknown_token_zebra_there_are");
    REFUSED(HEADS("map", folder, "--input", "a <pad>"), 2, "runs.input_pad_is_padding_no_input");
    REFUSED(HEADS("map", folder, "--input", " \t"), 2, "runs.input_no_tokens_in_it");
    REFUSED(HEADS("map", folder, "--input", "a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a"), 2,
            "runs.input_33_tokens_and_the_model");
}

/* ---- files ---- */

static void expect_beginning(const char *path, const char *beginning)
{
    ck_assert_msg(strncmp(run_read(path), beginning, strlen(beginning)) == 0, "%s does not begin as it should", path);
}

TEST(figures_are_written_whole)
{
    const char *folder = TINY_RUN("run"), *out = run_path("figures");
    mkdir(out, 0777);
    const char *png = run_file(out, "a.png"), *svg = run_file(out, "a.svg"), *pdf = run_file(out, "a.pdf");
    run_result run = OK(HEADS("map", folder, "--png", png, "--svg", svg, "--pdf", pdf));
    ck_assert_str_eq(run.out, "");
    expect_beginning(png, "\211PNG");
    expect_beginning(svg, "<?xml");
    expect_beginning(pdf, "%PDF-");
    ck_assert_str_eq(run_list(out), "a.pdf a.png a.svg ");
    OK(HEADS("map", folder, "L1H1", "--png", png, "--example", "0"));
    expect_beginning(png, "\211PNG");
    REFUSED(HEADS("map", folder, "--png", "/nowhere/a.png"), 3, "runs.its_folder_cannot_be_written_to");
}

/* Standard output holds what the file holds, and no file is named "-". */
TEST(figures_go_to_standard_output_alone)
{
    const char *folder = TINY_RUN("run"), *bertviz = run_path("a.json"), *svg = run_path("a.svg");
    OK(HEADS("map", folder, "--svg", svg, "--bertviz", bertviz));
    run_result run = OK(HEADS("map", folder, "--svg", "-"));
    ck_assert_str_eq(run.out, run_read(svg));
    ck_assert_str_eq(HEADS("map", folder, "--bertviz", "-").out, run_read(bertviz));
    ck_assert_int_eq(strncmp(HEADS("map", folder, "--pdf", "-", "--csv", run_path("a.csv")).out, "%PDF-", 5), 0);
    ck_assert_int_eq(strncmp(HEADS("map", folder, "L0H0", "--png", "-").out, "\211PNG", 4), 0);
    ck_assert_int_eq(strncmp(HEADS("prune", folder, "--svg", "-").out, "<?xml", 5), 0);
    ck_assert_int_ne(access("-", F_OK), 0);
    REFUSED(HEADS("map", folder, "--npz", "-"), 2, "runs.npz_standard_output_cannot_take_this");
    REFUSED(HEADS("prune", folder, "--to", "2", "--out", "-"), 2, "runs.out_standard_output_cannot_take_this");
    REFUSED(HEADS("map", folder, "--png", "-", "--json"), 2, "runs.json_and_png_cannot_both_go");
}

TEST(arrays_hold_weights_and_metrics)
{
    const char *folder = TINY_RUN("run"), *path = run_path("a.npz");
    OK(HEADS("map", folder, "--npz", path));
    const hl_npz *exported = answer_arrays(path),
                 *recorded = answer_arrays(run_file(folder, "patterns/step_000024.npz"));
    static const char *const same[] = { "layer_0", "layer_1", "tokens", "lengths", "step" };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const hl_npz_array *a = hl_npz_find(exported, same[i]), *b = hl_npz_find(recorded, same[i]);
        ck_assert(a != NULL && b != NULL && hl_shape_equal(a->shape, b->shape));
        ck_assert_mem_eq(a->data, b->data, (size_t)hl_shape_count(a->shape) * hl_npy_size(a->type));
    }
    const hl_npz_array *entropy = hl_npz_find(exported, "entropy"), *js = hl_npz_find(exported, "js");
    ck_assert(entropy != NULL && hl_shape_equal(entropy->shape, HL_SHAPE(LAYERS * LAYER_HEADS, 2)));
    ck_assert(js != NULL && hl_shape_equal(js->shape, HL_SHAPE(LAYERS * LAYER_HEADS, LAYERS * LAYER_HEADS)));
    const char *csv = run_read(run_file(folder, "heads.csv"));
    for (int i = 0; i < LAYERS * LAYER_HEADS; i++) {
        double value;
        ck_assert(csv_value(csv, LAST_STEP, i / LAYER_HEADS, i % LAYER_HEADS, "entropy", &value));
        ck_assert_double_eq_tol(((const double *)entropy->data)[2 * i], value, 1e-8);
    }
    double value;
    ck_assert(csv_value(csv, LAST_STEP, 0, 1, "js(L1H0)", &value));
    ck_assert_double_eq_tol(((const double *)js->data)[1 * 4 + 2], value, 1e-8);
    ck_assert_double_eq_tol(((const double *)js->data)[2 * 4 + 1], value, 1e-8);
}

/* ---- what is no run ---- */

TEST(what_is_no_run_is_refused)
{
    const char *foreign = run_path("foreign"), *file = run_config("a.ini", "[task]\n");
    mkdir(foreign, 0777);
    REFUSED(HEADS(run_path("nowhere")), 3, "runs.no_such_folder_give_a_run");
    REFUSED(HEADS(foreign), 3, "runs.this_folder_holds_no_run_no");
    REFUSED(HEADS(file), 3, "runs.a_file_give_the_folder_that");
    scratch_write(run_file(foreign, "config.ini"), "[task]\nnmae = copy\n", 19);
    REFUSED(HEADS(foreign), 3, "runs.task_nmae_unknown_key_did_you");
    ck_assert_str_eq(run_list(foreign), "config.ini ");
}

/* Whatever it looks for when it opens a run: where that cannot be known, it does not go on as if nothing were there. */
TEST(a_look_for_a_file_that_fails_is_told)
{
    const char *folder = TINY_RUN("run");
    int n = 0;
    bool reached;
    faults_begin();
    faults_of_call(FAULTS_ACCESS);
    do {
        faults_in_files(++n, FAULTS_ONCE, EIO);
        hl_opened_model run;
        hl_status status = hl_opened_model_open(&run, folder);
        hl_opened_model_close(&run);
        reached = faults_file_calls() >= n;
        ck_assert_msg(status.code == (reached ? HL_BAD_FILE : HL_OK), "look %d: code %d", n, status.code);
    } while (reached);
    faults_end();
    ck_assert_int_gt(n, 1);
}

TEST(a_run_without_patterns_says_what_to_set)
{
    const char *folder = TINY_RUN("run", "patterns.examples=0");
    REFUSED(HEADS(folder), 3, "study.no_patterns_were_recorded_patterns_examples");
    REFUSED(HEADS("map", folder, "L0H0"), 3, "study.no_patterns_were_recorded_patterns_examples");
}

TEST(a_damaged_snapshot_is_named)
{
    const char *folder = TINY_RUN("run"), *csv = run_file(folder, "heads.csv"), *before = run_read(csv);
    const char *first = run_file(folder, "patterns/step_000005.npz"),
               *last = run_file(folder, "patterns/step_000024.npz");
    ck_assert_int_eq(truncate(first, 1000), 0);
    FAILS(HEADS(folder), 3, "runs.is_no_zip_archive_or_is");
    ck_assert_str_eq(run_read(csv), before);
    OK(HEADS("map", folder, "L0H0"));
    ck_assert_int_eq(truncate(last, 1000), 0);
    REFUSED(HEADS("map", folder, "L0H0"), 3, "runs.is_no_zip_archive_or_is_2");
    scratch_write(last, "", 0);
    REFUSED(HEADS(folder), 3, "runs.is_no_zip_archive_or_is_2");
}

TEST(a_damaged_checkpoint_is_named)
{
    const char *folder = TINY_RUN("run"), *checkpoint = run_file(folder, "checkpoint.safetensors");
    ck_assert_int_eq(truncate(checkpoint, 2000), 0);
    run_result run = HEADS("map", folder, "--input", "a");
    REFUSED(run, 3, "runs.ends_within_its_header");
}

TEST(without_memory_it_says_so)
{
    enum { CLOSELY = 100, STRIDE = 11 };
    const char *folder = run_path("run"), *other = run_path("other");
    static const char *const seldom = "patterns.every=12"; /* the time grows with the square of the snapshots */
    EXPECT_RUN(0, run_tiny_config(), seldom, "--quiet", "--out", folder);
    EXPECT_RUN(0, run_tiny_config(), seldom, "train.seed=2", "--quiet", "--out", other);
    WITHOUT_MEMORY(CLOSELY, STRIDE, folder);
    WITHOUT_MEMORY(CLOSELY, STRIDE, "map", folder, "--input", "a b <mask>");
    WITHOUT_MEMORY(CLOSELY, STRIDE, "map", folder, "--npz", run_path("a.npz"));
    WITHOUT_MEMORY(CLOSELY, STRIDE, "compare", folder, other, "--report", run_path("a.html"));
}

TEST(wrong_command_lines_are_refused)
{
    static const char *const none[] = { NULL };
    REFUSED(run_heads(none), 2, "runs.no_model_given_as_in_heads");
    REFUSED(HEADS("run", "--exmaple", "1"), 2, "runs.exmaple_unknown_option_did_you_mean");
    REFUSED(HEADS("run", "--step"), 2, "runs.step_needs_a_value_see_help");
    REFUSED(HEADS("run", "--help=x"), 2, "runs.help_x_takes_no_value_see");
    REFUSED(HEADS("run", "--step", "-1"), 2, "runs.step_1_is_no_whole_number");
    REFUSED(HEADS("map", "run", "--example", "two"), 2, "runs.example_two_is_no_whole_number");
    REFUSED(HEADS("run", "--report", "--csv"), 2, "runs.csv_and_report_cannot_both_go");
    REFUSED(HEADS("run", "-x"), 2, "runs.x_unknown_option_see_help");
    run_result help = OK(HEADS("--help"));
    answer_fits(help.out);
    ck_assert_int_eq(strncmp(HEADS("--version").out, "headlight ", 10), 0);
}

SUITE("heads", .seconds = 60)
