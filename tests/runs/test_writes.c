/* heads writes, patch, rollout and wires, and maps by norms, on runs of the tiny config and on tiny open models. */
#include "tests/check_suite.h"
#include "tests/pretrained/tiny.h"
#include "tests/runs/answers.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char clean[] = "a b c <sep> <mask> <mask> <mask>", corrupt[] = "a d c <sep> <mask> <mask> <mask>";

/* Patches these texts, at a position and with answers where that is said. */
#define PATCH(folder, ...) HEADS("patch", folder, "--clean", clean, "--corrupt", corrupt, __VA_ARGS__)
#define PATCH_AT_5(folder, ...) PATCH(folder, "--position", "5", "--answer", "b", "--wrong", "d", __VA_ARGS__)

/* ---- writes ---- */

TEST(the_column_sums_to_the_logit)
{
    const char *folder = TINY_RUN("run"), *csv = run_path("writes.csv");
    json_t *root = ANSWER("writes", folder, "--json", "--csv", csv), *writers = json_object_get(root, "writers");
    double sum = 0, before = INFINITY;
    size_t n = json_array_size(writers);
    ck_assert_uint_eq(n, 1 + 2 * (2 + 2) + 2); /* embedding; heads, a bias and a feed-forward layer; two biases */
    for (size_t i = 0; i < n; i++) {
        double direct = number_at(json_array_get(writers, i), "direct");
        ck_assert_double_le(fabs(direct), before + 1e-9);
        before = fabs(direct);
        sum += direct;
    }
    ck_assert_double_eq_tol(sum, number_at(root, "logit"), 1e-5);
    ck_assert_double_lt(number_at(root, "largest_gap"), 1e-5);
    ck_assert(json_is_true(json_object_get(root, "exact")));
    ck_assert_int_eq(answer_lines(run_read(csv)), (int64_t)n + 1);
    run_result run = OK(HEADS("writes", folder));
    answer_fits(run.out);
    char line[64];
    snprintf(line, sizeof line, "The direct column sums to %.2f.", number_at(root, "logit"));
    ck_assert_msg(strstr(run.out, line) != NULL, "no \"%s\" in %s", line, run.out);
    answer_fits(OK(HEADS("writes", folder, "--wide")).out);
    SAYS(HEADS("writes", folder, "--md", "-"), "| writer ", "|---");
}

TEST(a_step_is_looked_at_where_its_weights_were_kept)
{
    const char *folder = TINY_RUN("run", "train.keep_checkpoints=9", "patterns.every=2");
    SAYS(HEADS("writes", folder, "--step", "12"), ", weights of step 12\n");
    REFUSED(HEADS("writes", folder, "--step", "2"), 2, "runs.the_weights_of_step_2_were");
    REFUSED(HEADS("profile", folder, "--norms", "--step", "2"), 2, "runs.the_weights_of_step_2_were");
}

/* The null has the weights that the run began with, and a run that hardly learns has these still. */
TEST(a_run_that_does_not_learn_is_its_own_null)
{
    json_t *root = ANSWER("writes", TINY_RUN("run", "train.steps=1", "optimizer.learning_rate=1e-12"), "--json");
    json_t *writer;
    size_t i;
    json_array_foreach(json_object_get(root, "writers"), i, writer)
    {
        ck_assert_double_eq_tol(number_at(writer, "direct"), number_at(writer, "direct_null"), 1e-6);
    }
}

TEST(the_terms_of_one_example_sum_to_its_logits)
{
    const char *folder = TINY_RUN("run"), *csv = run_path("example.csv"), *svg = run_path("writes.svg");
    json_t *root = ANSWER("writes", folder, "--example", "1", "--json", "--csv", csv);
    json_t *answers = json_object_get(root, "answers"), *answer, *term;
    size_t n = json_array_size(json_object_get(root, "writers")), i, k;
    double before = INFINITY;
    ck_assert_uint_eq(n, 1 + 2 * (2 + 2) + 2);
    ck_assert_uint_eq(json_array_size(answers), 3); /* of the tiny task's 7 tokens, 3 are masks */
    ck_assert_uint_eq(json_array_size(json_object_get(root, "tokens")), 7);
    json_array_foreach(answers, i, answer)
    {
        double sum = 0;
        json_t *terms = json_object_get(answer, "terms"), *tokens = json_object_get(root, "tokens");
        ck_assert_uint_eq(json_array_size(terms), n);
        json_array_foreach(terms, k, term)
        {
            sum += json_number_value(term);
        }
        ck_assert_double_eq_tol(sum, number_at(answer, "logit"), 1e-5);
        ck_assert_int_eq((int)number_at(answer, "position"), 4 + (int)i);
        ck_assert_str_eq(text_at(answer, "token"), "<mask>");
        /* the task copies */
        ck_assert_str_eq(text_at(answer, "answer"), json_string_value(json_array_get(tokens, i)));
    }
    for (k = 0; k < n; k++) { /* the largest on average first */
        double mean = 0;
        json_array_foreach(answers, i, answer)
        {
            mean += json_number_value(item_at(answer, "terms", k)) / 3;
        }
        ck_assert_double_le(fabs(mean), before + 1e-6);
        before = fabs(mean);
    }
    ck_assert_int_eq(answer_lines(run_read(csv)), (int64_t)(3 * n) + 1);
    answer_fits(SAYS(HEADS("writes", folder, "--example", "1"), "4 <mask> -> ", "others").out);
    answer_fits(OK(HEADS("writes", folder, "--example", "1", "--wide")).out);
    REFUSED_SAYING(HEADS("writes", folder, "--example", "999"), 2, "--example: 999: the examples are 0 .. ");
    OK(HEADS("writes", folder, "--example", "1", "--svg", svg));
    ck_assert_ptr_nonnull(strstr(run_read(svg), "<svg"));
    OK(HEADS("writes", folder, "--svg", svg));
}

TEST(sentences_have_no_answers)
{
    const char *path = run_path("a.txt");
    scratch_write(path, "the cat sat\nthe dog sat\n", 24);
    run_result run = SAYS(HEADS("writes", run_kept(tiny_folder("bert_bare")), "--examples", path),
                          "These examples have no right answers");
    ck_assert_ptr_null(strstr(run.out, "copies"));
    ck_assert_ptr_null(strstr(run.out, "direct"));
    SAYS(HEADS("writes", run_kept(tiny_folder("gpt2_next")), "--examples", path), "copies");
    REFUSED_SAYING(HEADS("writes", run_kept(tiny_folder("gpt2_next"))), 2, "has no examples of its own");
    FAILS_SAYING(HEADS("writes", run_kept(tiny_folder("bert_bare")), "--examples", path, "--example", "0"), 2,
                 "without right answers");
    FAILS_SAYING(HEADS("writes", run_kept(tiny_folder("bert_bare")), "--examples", path, "--png", "-"), 2,
                 "without right answers");
}

/* ---- norms ---- */

TEST(maps_by_norms_are_shares)
{
    const char *folder = TINY_RUN("run"), *weights = run_path("a.npz"), *norms = run_path("b.npz");
    OK(HEADS("map", folder, "--npz", weights));
    OK(HEADS("map", folder, "--npz", norms, "--norms"));
    const hl_npz *a = answer_arrays(weights), *b = answer_arrays(norms);
    const hl_npz_array *one = hl_npz_find(a, "layer_1"), *other = hl_npz_find(b, "layer_1");
    ck_assert_ptr_nonnull(one);
    ck_assert_ptr_nonnull(other);
    ck_assert_ptr_nonnull(hl_npz_find(b, "special.norm"));
    ck_assert_ptr_null(hl_npz_find(b, "special"));
    int64_t T = one->shape.size[3], rows = hl_shape_count(one->shape) / T;
    double differ = 0;
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0;
        for (int64_t j = 0; j < T; j++) {
            sum += (double)((const float *)other->data)[i * T + j];
            differ +=
                fabs((double)((const float *)one->data)[i * T + j] - (double)((const float *)other->data)[i * T + j]);
        }
        ck_assert_double_eq_tol(sum, 1, 1e-5);
    }
    ck_assert_double_gt(differ, 0.01);
    SAYS(HEADS("map", folder, "L1H0", "--norms"), ", by norms\n");
}

TEST(a_profile_has_both)
{
    const char *folder = TINY_RUN("run");
    json_t *plain = ANSWER("profile", folder, "--json");
    json_t *both = ANSWER("profile", folder, "--json", "--norms");
    json_t *layer = item_at(plain, "layers", 1);
    json_t *with = item_at(both, "layers", 1);
    ck_assert_ptr_null(json_object_get(layer, "special.norm"));
    ck_assert_double_eq(number_at(layer, "special"), number_at(with, "special"));
    ck_assert_double_ne(number_at(with, "special"), number_at(with, "special.norm"));
    ck_assert_double_ne(number_at(with, "first"), number_at(with, "first.norm"));
}

TEST(arrays_hold_what_heads_write)
{
    const char *folder = TINY_RUN("run"), *path = run_path("a.npz");
    OK(HEADS("map", folder, "--input", clean, "--npz", path, "--writes"));
    const hl_npz *npz = answer_arrays(path);
    ck_assert_ptr_nonnull(hl_npz_find(npz, "z_1"));
    ck_assert_int_eq(hl_npz_find(npz, "write_0")->shape.size[3], 16);
    REFUSED(HEADS("map", folder, "--npz", path, "--writes"), 2, "runs.writes_adds_what_heads_write");
    REFUSED(HEADS("map", folder, "--input", "a", "--writes"), 2, "runs.writes_adds_what_heads_write");
}

/* ---- patch ---- */

TEST(the_whole_stream_recovers_everything)
{
    const char *folder = TINY_RUN("run");
    run_result run = OK(PATCH_AT_5(folder, "--json"));
    json_t *root = answer_json(run.out), *last = item_at(root, "residual", 1);
    ck_assert_double_eq_tol(json_number_value(json_array_get(last, 5)), 1, 1e-5); /* the answer's own position */
    ck_assert_double_eq_tol(json_number_value(json_array_get(last, 2)), 0, 1e-5);
    ck_assert_uint_eq(json_array_size(json_object_get(root, "rows")), 2 * (2 + 2));
    ck_assert_str_eq(text_at(root, "answer"), "b");
    const char *figure = run_path("a.png");
    OK(PATCH_AT_5(folder, "--png", figure));
    ck_assert_mem_eq(run_read(figure) + 1, "PNG", 3);
    SAYS(PATCH_AT_5(folder, "--reverse"), "lost by each part", "lost: the share");
}

TEST(heads_are_patched_together)
{
    const char *folder = TINY_RUN("run");
    static const char *const sets[] = { "L1H*", "L1H0,L1H1" };
    double effects[2];
    for (int i = 0; i < 2; i++) {
        run_result run = OK(PATCH_AT_5(folder, "--heads", sets[i], "--json"));
        json_t *root = answer_json(run.out), *rows = json_object_get(root, "rows");
        ck_assert_uint_eq(json_array_size(rows), 1);
        effects[i] = number_at(json_array_get(rows, 0), "effect");
    }
    ck_assert_double_eq(effects[0], effects[1]);
}

TEST(pairs_are_averaged)
{
    const char *folder = TINY_RUN("run"), *path = run_path("pairs.tsv");
    char text[512];
    snprintf(text, sizeof text, "%s\t%s\tb\td\n\n%s\t%s\td\tb\r\n%s\t%s\tb\td\n", clean, corrupt, corrupt, clean, clean,
             clean);
    scratch_write(path, text, strlen(text));
    json_t *root = ANSWER("patch", folder, "--pairs", path, "--position", "5", "--json");
    ck_assert_double_eq(number_at(root, "pairs"), 3);
    ck_assert_double_eq(number_at(root, "used"), 2); /* the third pair has equal texts */
    ck_assert(json_is_null(json_object_get(root, "residual")));
    SAYS(HEADS("patch", folder, "--pairs", path, "--position", "5"), "3 pairs", "95% interval");
    scratch_write(path, "a b c\n", 6);
    REFUSED(HEADS("patch", folder, "--pairs", path, "--position", "5"), 2, "runs.pairs_stand_in_a_line");
    scratch_write(path, "\n", 1);
    REFUSED(HEADS("patch", folder, "--pairs", path), 2, "runs.pairs_none_in_it");
}

TEST(texts_that_do_not_fit_are_refused)
{
    const char *folder = TINY_RUN("run");
    run_result run = HEADS("patch", folder, "--clean", clean, "--corrupt", "a d <sep> <mask> <mask>");
    ck_assert_int_eq(run.code, 2);
    ck_assert_ptr_nonnull(strstr(run.err, "position  clean"));
    ck_assert_ptr_nonnull(strstr(run.err, "       2  c                       <sep>"));
    ck_assert_ptr_nonnull(strstr(run.err, "the clean text has 7 tokens, and the corrupt text 5"));
    REFUSED(HEADS("patch", folder, "--clean", clean, "--corrupt", corrupt), 2, "runs.patch_three_masks");
    REFUSED(PATCH(folder, "--position", "7"), 2, "runs.patch_position_outside");
    REFUSED(PATCH(folder, "--position", "5", "--at", "7"), 2, "runs.patch_at_outside");
    REFUSED(PATCH(folder, "--position", "5", "--answer", "z"), 2, "runs.patch_no_answer");
    REFUSED(HEADS("patch", folder, "--clean", clean, "--corrupt", clean, "--position", "5", "--answer", "b", "--wrong",
                  "b"),
            2, "runs.patch_one_answer");
    REFUSED(HEADS("patch", folder, "--clean", "zebra", "--corrupt", corrupt), 2, "runs.patch_clean_unknown_token");
    REFUSED(HEADS("patch", folder, "--clean", clean), 2, "runs.patch_needs_two_texts");
    REFUSED(HEADS("patch", folder, "--pairs", "a", "--clean", clean), 2, "runs.patch_pairs_bring_texts");
    REFUSED(PATCH(folder, "--heads", "L0H0", "--png", "a.png"), 2, "runs.patch_nothing_to_draw");
    REFUSED(PATCH_AT_5(folder, "--heads", "L9H9"), 2, "runs.patch_no_such_head");
}

/* A causal model answers after its last token. */
TEST(a_causal_model_needs_no_position)
{
    const char *folder = run_kept(tiny_folder("gpt2_next"));
    json_t *root = ANSWER("patch", folder, "--clean", "the cat sat on the mat", "--corrupt", "the mat sat on the cat",
                          "--answer", " the", "--wrong", ".", "--json");
    ck_assert_double_eq(number_at(root, "position"), (double)json_array_size(json_object_get(root, "clean")) - 1);
}

/* ---- rollout and wires ---- */

TEST(rollouts_are_maps)
{
    const char *folder = TINY_RUN("run"), *path = run_path("a.npz");
    run_result run = SAYS(HEADS("rollout", folder, "--input", clean), "L1 rollout", "L1 by norms", "rollout:");
    answer_fits(run.out);
    OK(HEADS("rollout", folder, "--input", clean, "--npz", path, "--svg", run_path("a.svg"), "--json", run_path("a")));
    const hl_npz_array *rollout = hl_npz_find(answer_arrays(path), "rollout_norms");
    ck_assert_ptr_nonnull(rollout);
    json_t *root = answer_json(run_read(run_path("a")));
    json_t *row = json_array_get(json_array_get(item_at(root, "rollout_norms", 1), 6), 1);
    ck_assert_double_eq_tol(json_number_value(row), (double)((const float *)rollout->data)[49 + 6 * 7 + 1], 1e-6);
    REFUSED(HEADS("rollout", folder), 2, "runs.rollout_needs_a_text");
    REFUSED(HEADS("rollout", folder, "--input", "zebra"), 2, "runs.input_unknown_token_zebra_there_are");
}

TEST(wires_join_heads_of_different_layers)
{
    const char *csv = run_path("a.csv");
    json_t *root = ANSWER("wires", TINY_RUN("run"), "--json", "--csv", csv), *wires = json_object_get(root, "wires");
    ck_assert_uint_eq(json_array_size(wires), 2 * 2 * 3);
    double before = INFINITY;
    for (size_t i = 0; i < json_array_size(wires); i++) {
        double beyond = number_at(json_array_get(wires, i), "beyond");
        ck_assert_double_le(beyond, before);
        before = beyond;
    }
    ck_assert_int_eq(answer_lines(run_read(csv)), 13);
    run_result run = SAYS(HEADS("wires", TINY_RUN("run2", "train.steps=4")), "chance alone would give about 1.");
    answer_fits(run.out);
    SAYS(HEADS("wires", TINY_RUN("flat", "model.layers=1")), "one layer");
}

/* ---- spaces and gradients ---- */

TEST(spaces_are_compared_with_step_0_and_chance)
{
    const char *csv = run_path("a.csv"), *folder = TINY_RUN("run");
    json_t *root = ANSWER("spaces", folder, "--json", "--csv", csv), *rows = json_object_get(root, "rows");
    ck_assert_uint_eq(json_array_size(rows), 2 * 4); /* of two heads in each of two layers, by four matrices */
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        ck_assert(number_at(row, "overlap") >= 0 && number_at(row, "overlap") <= 1);
        ck_assert(number_at(row, "smallest_angle") >= 0 && number_at(row, "smallest_angle") <= 90);
        ck_assert_double_lt(number_at(row, "random_mean"), number_at(row, "random_95"));
        ck_assert_double_ne(number_at(row, "overlap"), number_at(row, "step_0"));
    }
    ck_assert_int_eq(answer_lines(run_read(csv)), 9);
    run_result run = SAYS(HEADS("spaces", folder), "closest pair");
    answer_fits(run.out);
    SAYS(HEADS("spaces", TINY_RUN("single", "model.heads=1")), "one head in each layer");
    root = ANSWER("spaces", HL_TINY "/bert_masked", "--json");
    ck_assert(json_is_null(json_object_get(item_at(root, "rows", 0), "step_0")));
}

TEST(gradients_of_relations_need_relations)
{
    const char *folder = run_path("run");
    const char *config = run_config("agreement.ini", "[task]\nname = agreement\nlength = 12\nmin_length = 8\n[model]\n"
                                                     "layers = 2\nd_model = 16\nheads = 2\n[train]\nsteps = 4\n"
                                                     "batch_size = 8\neval_examples = 64\n[patterns]\nexamples = 48\n");
    OK(RUN(config, "--quiet", "--out", folder));
    json_t *root = ANSWER("gradients", folder, "--json"), *rows = json_object_get(root, "rows");
    ck_assert_int_eq((int)number_at(root, "examples"), 48);
    size_t n = json_array_size(rows);
    ck_assert(n >= 4 && n % 4 == 0); /* the same pairs of relations for each of four heads */
    for (size_t i = 0; i < n; i++) {
        json_t *row = json_array_get(rows, i);
        ck_assert(fabs(number_at(row, "cosine")) <= 1 && number_at(row, "norm") > 0);
        ck_assert_str_ne(text_at(row, "relation"), text_at(row, "other"));
    }
    answer_fits(SAYS(HEADS("gradients", folder), "The mean over all heads is").out);
    REFUSED(HEADS("gradients", TINY_RUN("copy")), 2, "runs.its_task_states_no_relations");
    REFUSED(HEADS("gradients", HL_TINY "/bert_masked"), 2, "runs.no_task_states_relations");
}

/* ---- memory ---- */

TEST(without_memory_they_say_so)
{
    enum { STRIDE = 11 };
    const char *folder = TINY_RUN("run"), *npz = run_path("a.npz");
    WITHOUT_MEMORY(0, STRIDE, "writes", folder);
    WITHOUT_MEMORY(0, STRIDE, "wires", folder);
    WITHOUT_MEMORY(0, STRIDE, "map", folder, "--input", "a b <mask>", "--npz", npz);
    WITHOUT_MEMORY(0, STRIDE, "rollout", folder, "--input", "a b <mask>");
    WITHOUT_MEMORY(0, STRIDE, "patch", folder, "--clean", "a <mask>", "--corrupt", "b <mask>");
}

SUITE("what heads write, in runs")
