#include "tests/check_suite.h"
#include "tests/heads/gathered_example.h"
#include "tests/heads/snapshot_example.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { E = 5, T = 9 };

/* A snapshot of the example's model, recorded and read back. */
static void record(void)
{
    record_batch(example_config(12), example_batch(E, T), 2 * T);
}

TEST(what_was_recorded_is_read)
{
    record();
    read_back(E);
    ck_assert_int_eq(snapshot.step, 500);
    ck_assert_int_eq(snapshot.examples.n_examples, E);
    ck_assert_int_eq(snapshot.examples.n_tokens, T);
    for (int layer = 0; layer < f.model.config.n_layers; layer++) {
        for (int64_t head = 0; head < f.model.config.heads[layer]; head++) {
            hl_patterns read = hl_snapshot_patterns(&snapshot, layer, head);
            hl_patterns recorded = hl_recorder_patterns(&f.recorder, layer, head);
            ck_assert_int_eq(read.n_examples, recorded.n_examples);
            ck_assert_mem_eq(read.lengths, recorded.lengths, E * sizeof *read.lengths);
            ck_assert_mem_eq(read.tokens, recorded.tokens, (size_t)(E * T) * sizeof *read.tokens);
            ck_assert_mem_eq(read.sources, recorded.sources, (size_t)(E * T) * sizeof *read.sources);
            for (int64_t e = 0; e < E; e++) {
                ck_assert_mem_eq(hl_patterns_at(&read, e).weights, hl_patterns_at(&recorded, e).weights,
                                 (size_t)(T * T) * sizeof(hl_real));
            }
        }
    }
    hl_snapshot_free(&snapshot);
}

/* As `record`, with three relations. */
static void record_related(void)
{
    record_batch(example_config(12), example_related_batch(E, T, 3), 2);
}

TEST(relations_are_read_where_there_are_any)
{
    record();
    read_back(E);
    ck_assert_int_eq(snapshot.examples.n_relations, 0);
    ck_assert_ptr_null(snapshot.examples.relations);
    hl_snapshot_free(&snapshot);

    record_related();
    read_back(E);
    ck_assert_int_eq(snapshot.examples.n_relations, 3);
    ck_assert_mem_eq(snapshot.examples.relations, f.recorder.examples.relations, E * 3 * T * sizeof(int32_t));
    hl_patterns patterns = hl_snapshot_patterns(&snapshot, 1, 0);
    ck_assert_int_eq(patterns.n_relations, 3);
    ck_assert_ptr_eq(patterns.relations, snapshot.examples.relations);
}

/* Writes the archive anew with one array changed, by name, or left out (`data` NULL). */
static void rewrite(const char *name, hl_npy_type type, hl_shape shape, const void *data)
{
    hl_npz old;
    expect_ok(hl_npz_read(path(), 1 << 30, &old));
    hl_npz_writer *npz = hl_npz_create(path());
    for (int i = 0; i < old.n; i++) {
        const hl_npz_array *array = &old.arrays[i];
        if (strcmp(array->name, name) != 0) {
            hl_npz_add(npz, array->name, array->type, array->shape, array->data);
        } else if (data != NULL) {
            hl_npz_add(npz, name, type, shape, data);
        }
    }
    expect_ok(hl_npz_close(npz, HL_VOLATILE));
    hl_npz_free(&old);
}

TEST(another_models_or_damaged_snapshots_are_refused)
{
    static hl_real many[E * 4 * T * T];
    static int32_t ids[E * T];
    record();
    rewrite("layer_1", HL_NPY_FLOAT32, HL_SHAPE(0), NULL);
    expect_refused(E, "layer_1: is missing");

    record();
    rewrite("layer_0", HL_NPY_FLOAT64, HL_SHAPE(1), &(double){ 0 });
    expect_refused(E, "layer_0: is of another type");
    rewrite("layer_0", HL_NPY_FLOAT32, HL_SHAPE(E, 3, T, T), many);
    expect_refused(E, "layer_0: is (5, 3, 9, 9), not (5, 4, 9, 9)");
    many[7] = NAN;
    rewrite("layer_0", HL_NPY_FLOAT32, HL_SHAPE(E, 4, T, T), many);
    expect_refused(E, "layer_0: nan at place 7 is no weight");
    many[7] = 1.5f;
    rewrite("layer_0", HL_NPY_FLOAT32, HL_SHAPE(E, 4, T, T), many);
    expect_refused(E, "layer_0: 1.5 at place 7 is no weight");

    record();
    rewrite("lengths", HL_NPY_INT32, HL_SHAPE(E), (const int32_t[E]){ 1, 2, 3, 0, 5 });
    expect_refused(E, "lengths: 0 at place 3 is not in 1 .. 9");
    rewrite("tokens", HL_NPY_INT32, HL_SHAPE(E), ids);
    expect_refused(E, "tokens: are missing, or no (examples, T)");
    ids[E * T - 1] = EXAMPLE_VOCABULARY;
    rewrite("tokens", HL_NPY_INT32, HL_SHAPE(E, T), ids);
    char text[64];
    snprintf(text, sizeof text, "tokens: %d at place %d is not in 0 .. %d", EXAMPLE_VOCABULARY, E * T - 1,
             EXAMPLE_VOCABULARY - 1);
    expect_refused(E, text);

    record();
    rewrite("step", HL_NPY_INT64, (hl_shape){ .n_dims = 0 }, &(int64_t){ -1 });
    expect_refused(E, "step: is negative");
}

TEST(a_newer_format_is_refused_and_a_file_that_says_none_is_read)
{
    const hl_shape scalar = { .n_dims = 0 };
    record();
    rewrite("format", HL_NPY_INT64, scalar, &(int64_t){ 7 });
    expect_refused(E, "format 7, this Headlight reads up to 2; use a newer one");
    rewrite("format", HL_NPY_INT32, scalar, &(int32_t){ 1 });
    expect_refused(E, "format: is of another type");
    rewrite("format", HL_NPY_INT64, scalar, NULL);
    read_back(E);
    ck_assert_ptr_null(hl_npz_find(&snapshot.npz, "format"));
}

TEST(relations_that_cannot_be_are_refused)
{
    static int32_t partners[E * 9 * T];
    record_related();
    rewrite("relations", HL_NPY_INT32, HL_SHAPE(E, T), partners);
    expect_refused(E, "relations: are not (examples, 1 .. 8, T)");
    rewrite("relations", HL_NPY_INT32, HL_SHAPE(E, 9, T), partners);
    expect_refused(E, "relations: are not (examples, 1 .. 8, T)");
    rewrite("relations", HL_NPY_INT32, HL_SHAPE(E, 2, T - 1), partners);
    expect_refused(E, "relations: is (5, 2, 8), not (5, 2, 9)");
    partners[4] = T;
    rewrite("relations", HL_NPY_INT32, HL_SHAPE(E, 2, T), partners);
    expect_refused(E, "relations: 9 at place 4 is not in -1 .. 8");
}

/* As `record`, with validation sums; of the pass that must be freed. */
static const hl_validation_sums *record_all(hl_validation_sums_pass *pass)
{
    record();
    gathered_set_up(&f, 2, pass);
    const hl_validation_sums *all = gathered_run(&f, 2, 1, pass);
    expect_ok(hl_recorder_record(&f.recorder, 500, all, &f.arena));
    return all;
}

TEST(sums_are_read_where_there_are_any)
{
    static hl_validation_sums_pass pass;
    record();
    read_back(E);
    ck_assert_ptr_null(snapshot.sums);
    hl_snapshot_free(&snapshot);

    const hl_validation_sums *all = record_all(&pass);
    read_back(E);
    const hl_validation_sums *read = snapshot.sums;
    ck_assert_ptr_nonnull(read);
    ck_assert_int_eq(read->n_tokens, T + 3);
    for (int layer = 0; layer < EXAMPLE_LAYERS; layer++) {
        for (int64_t head = 0; head < f.model.config.heads[layer]; head++) {
            for (int64_t k = -T; k <= T; k++) {
                hl_score found = hl_validation_sums_offset(read, layer, head, k);
                hl_score written = hl_validation_sums_offset(all, layer, head, k);
                ck_assert_mem_eq(&found, &written, sizeof found);
            }
            hl_validation_scores found = hl_validation_sums_scores(read, layer, head);
            hl_validation_scores written = hl_validation_sums_scores(all, layer, head);
            ck_assert_mem_eq(&found, &written, sizeof found);
        }
    }
    hl_snapshot_free(&snapshot);
    hl_validation_sums_pass_free(&pass);
}

TEST(sums_that_cannot_be_are_refused)
{
    enum { OFFSETS = 2 * (T + 3) - 1 };
    static hl_validation_sums_pass pass;
    static double means[4 * OFFSETS];
    static int64_t counts[4 * HL_ENTROPY_BINS];
    record_all(&pass);
    counts[3] = -1;
    rewrite("all_queries", HL_NPY_INT64, HL_SHAPE(OFFSETS), counts);
    expect_refused(E, "all_queries: -1 at place 3 counts nothing");
    rewrite("all_queries", HL_NPY_INT64, HL_SHAPE(OFFSETS - 1), counts);
    expect_refused(E, "all_queries: are not (2 T - 1) with T in 9 .. 64");
    rewrite("all_queries", HL_NPY_INT64, HL_SHAPE(2 * T - 3), counts);
    expect_refused(E, "all_queries: are not (2 T - 1) with T in 9 .. 64");
    rewrite("all_queries", HL_NPY_INT64, HL_SHAPE(2 * 65 - 1), (int64_t[2 * 65 - 1]){ 0 });
    expect_refused(E, "all_queries: are not (2 T - 1) with T in 9 .. 64");
    hl_validation_sums_pass_free(&pass);

    record_all(&pass);
    rewrite("all_entropy_histogram_0", HL_NPY_INT64, HL_SHAPE(4, HL_ENTROPY_BINS), counts);
    expect_refused(E, "all_entropy_histogram_0: -1 at place 3 counts nothing");
    counts[3] = INT64_MAX;
    rewrite("all_entropy_histogram_0", HL_NPY_INT64, HL_SHAPE(4, HL_ENTROPY_BINS), counts);
    expect_refused(E, "all_entropy_histogram_0: 9223372036854775807 at place 3 counts nothing");
    means[5] = NAN;
    rewrite("all_offset_0", HL_NPY_FLOAT64, HL_SHAPE(4, OFFSETS), means);
    expect_refused(E, "all_offset_0: nan at place 5 is not in 0 .. 1");
    rewrite("all_offset_0", HL_NPY_FLOAT64, HL_SHAPE(4, OFFSETS - 2), means);
    expect_refused(E, "all_offset_0: is (4, 21), not (4, 23)");
    rewrite("all_offset_0", HL_NPY_FLOAT64, HL_SHAPE(0), NULL);
    expect_refused(E, "all_offset_0: is missing");
    hl_validation_sums_pass_free(&pass);

    record_all(&pass);
    rewrite("all_entropy_1", HL_NPY_FLOAT64, HL_SHAPE(2), (const double[]){ 2.4, 2.5 });
    expect_refused(E, "all_entropy_1: 2.5 at place 1 is not in 0 .. 2.48491");
    rewrite("all_confidence_1", HL_NPY_FLOAT64, HL_SHAPE(2), (const double[]){ -0.5, 1 });
    rewrite("all_entropy_1", HL_NPY_FLOAT64, HL_SHAPE(2), (const double[]){ 2.4, 2.4 });
    expect_refused(E, "all_confidence_1: -0.5 at place 0 is not in 0 .. 1");
    hl_validation_sums_pass_free(&pass);
}

/* More examples than the run recorded are larger than any snapshot of it. */
TEST(a_file_that_is_too_large_is_not_read)
{
    record();
    hl_model_config config = f.model.config;
    config.max_length = T;
    expect_ok(hl_snapshot_read(path(), &config, E, &snapshot));
    hl_snapshot_free(&snapshot);
    ck_assert_int_eq(hl_snapshot_read(path(), &config, 1, &snapshot).code, HL_BAD_FILE);
}

SUITE("snapshots", .after = forget)
