/* Snapshots of a model with so many targets that not all logits are kept. */
#include "core/files/npz.h"
#include "tests/check_suite.h"
#include "tests/heads/snapshot_example.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { E = 60, T = 12, V = 20000, K = HL_ANSWERS_TOP };

static hl_model_config many_targets(void)
{
    hl_model_config config = example_config(8);
    config.vocabulary = V;
    return config;
}

static void record(void)
{
    record_batch(many_targets(), example_batch(E, T), E * T);
}

/* All logits of example e by one pass, (n, V); to be freed. */
static hl_real *logits_of(int64_t e)
{
    hl_examples one = hl_examples_slice(&f.batch, e, 1);
    hl_batch_storage storage = example_rows(&one);
    hl_arena arena;
    expect_ok(hl_arena_init(&arena, 1 << 24));
    hl_tape tape;
    hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = 1 });
    const hl_tensor *logits = hl_model_logits(&tape, &f.model, &storage.batch, NULL);
    expect_ok(hl_tape_status(&tape));
    size_t bytes = (size_t)hl_shape_count(logits->shape) * sizeof(hl_real);
    hl_real *copy = malloc(bytes);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, logits->data, bytes);
    hl_arena_free(&arena);
    hl_batch_storage_free(&storage);
    return copy;
}

static void expect_answer(const hl_answers *answers, int64_t place, const hl_real *logits)
{
    const int32_t *ids = answers->top_ids + place * K;
    hl_real least = answers->top_logits[place * K + K - 1];
    double sum = 0;
    int above = 0;
    for (int64_t v = 0; v < V; v++) {
        sum += exp((double)logits[v]);
        above += logits[v] > least + (hl_real)1e-5;
    }
    ck_assert_int_le(above, K - 1);
    for (int i = 0; i < K; i++) {
        ck_assert_double_eq_tol((double)answers->top_logits[place * K + i], (double)logits[ids[i]], 1e-5);
    }
    ck_assert_double_eq_tol((double)answers->target_logits[place], (double)logits[answers->targets[place]], 1e-5);
    ck_assert_double_eq_tol((double)answers->log_sums[place], log(sum), 1e-5);
}

TEST(what_is_kept_are_the_largest_logits_of_rows_with_a_target)
{
    record();
    read_back(E);
    ck_assert_int_eq(*(const int64_t *)hl_npz_find(&snapshot.npz, "format")->data, 2);
    ck_assert_ptr_null(hl_npz_find(&snapshot.npz, "logits"));
    for (int64_t e = 0; e < E; e += 19) {
        hl_real *logits = logits_of(e);
        for (int64_t t = 0; t < T; t++) {
            if (snapshot.examples.targets[e * T + t] != HL_IGNORE) {
                expect_answer(&snapshot.answers, e * T + t, logits + t * V);
            } else {
                ck_assert_int_eq(snapshot.answers.top_ids[(e * T + t) * K], HL_IGNORE);
            }
        }
        free(logits);
    }
}

TEST(memory_never_holds_all_logits)
{
    record();
    size_t all = (size_t)E * T * V * sizeof(hl_real);
    size_t held = f.recorder.plan.bytes + hl_recorder_bytes(&f.model.config, E, T, 0);
    ck_assert_uint_lt(held, all / 2);
    ck_assert_uint_ge(HL_ANSWERS_LOGITS / V, (size_t)f.recorder.rows);
    struct stat info;
    ck_assert_int_eq(stat(path(), &info), 0);
    size_t told = hl_recorder_bytes(&f.model.config, E, T, 0);
    ck_assert_uint_ge(told, (size_t)info.st_size);
    ck_assert_uint_lt(told, (size_t)info.st_size + 12 * 512);
}

TEST(without_any_target_every_row_is_answered)
{
    hl_examples batch = example_batch(E, T);
    for (int64_t i = 0; i < E * batch.n_tokens; i++) {
        batch.targets[i] = HL_IGNORE;
    }
    example_set_up_with(&f, many_targets(), batch, E * T);
    expect_ok(hl_recorder_run(&f.recorder, &f.arena));
    hl_answers answers = hl_recorder_answers(&f.recorder);
    hl_answer best;
    for (int64_t e = 0; e < E; e++) {
        for (int64_t t = 0; t < T; t++) {
            ck_assert_int_eq(hl_answers_best(&answers, e, t, 1, &best), t < f.batch.lengths[e]);
        }
    }
}

TEST(the_same_bytes_at_any_number_of_threads)
{
    record();
    size_t size;
    char *first = scratch_read(path(), &size);
    for (int threads = 1; threads <= 4; threads += 3) {
        hl_recorder recorder;
        expect_ok(hl_recorder_init(&recorder, &f.model, &f.batch, E * T, threads, scratch_path("run/patterns")));
        hl_arena arena = example_arena(&recorder);
        expect_ok(hl_recorder_record(&recorder, 500, NULL, &arena));
        hl_arena_free(&arena);
        ck_assert(scratch_holds(path(), first, size));
        hl_recorder_free(&recorder);
    }
    free(first);
}

/* The recorded file with one array changed at one place, or without it. */
static void damage(const char *name, int64_t place, double number)
{
    hl_npz npz;
    expect_ok(hl_npz_read(path(), 1 << 30, &npz));
    hl_npz_writer *writer = hl_npz_create(path());
    for (int i = 0; i < npz.n; i++) {
        hl_npz_array *array = &npz.arrays[i];
        bool named = strcmp(array->name, name) == 0;
        if (named && place >= 0 && array->type == HL_NPY_INT32) {
            ((int32_t *)array->data)[place] = (int32_t)number;
        } else if (named && place >= 0) {
            ((float *)array->data)[place] = (float)number;
        }
        if (!named || place >= 0) {
            hl_npz_add(writer, array->name, array->type, array->shape, array->data);
        }
    }
    expect_ok(hl_npz_close(writer, HL_VOLATILE));
    hl_npz_free(&npz);
}

TEST(answers_that_cannot_be_are_refused)
{
    /* Place 1 is the first that has a target. */
    static const struct {
        const char *name;
        int64_t place;
        double number;
        const char *what;
    } cases[] = {
        { "top_logits", -1, 0, "top_logits: is missing" },
        { "target_logits", -1, 0, "target_logits: is missing" },
        { "log_sums", -1, 0, "log_sums: is missing" },
        { "top_ids", -1, 0, "logits: is missing" },
        { "top_ids", K, V, "top_ids: 20000 at place 8 is not in -1 .. 19999" },
        { "top_ids", K, -1, "top_ids: place 1 has a target and no answer" },
        { "top_ids", K + 3, -1, "top_logits: those at place 1 are not the largest in order" },
        { "top_logits", K + 1, 1e6, "top_logits: those at place 1 are not the largest in order" },
        { "top_logits", K + 7, NAN, "top_logits: those at place 1 are not the largest in order" },
        { "target_logits", 1, 1e6, "target_logits: 1e+06 at place 1 is above the largest" },
        { "target_logits", 1, NAN, "target_logits: nan at place 1 is above the largest" },
        { "log_sums", 1, 0, "log_sums: 0 at place 1 is not that of its logits" },
        { "log_sums", 1, 1e6, "log_sums: 1e+06 at place 1 is not that of its logits" },
        { "log_sums", 1, NAN, "log_sums: nan at place 1 is not that of its logits" },
    };
    record();
    size_t size;
    char *good = scratch_read(path(), &size);
    for (int c = 0; c < ROWS(cases); c++) {
        scratch_write(path(), good, size);
        damage(cases[c].name, cases[c].place, cases[c].number);
        expect_refused(E, cases[c].what);
    }
    free(good);
}

/* An id that stands twice is no order either. */
TEST(an_id_that_stands_twice_is_refused)
{
    record();
    read_back(E);
    int32_t first = snapshot.answers.top_ids[K];
    hl_snapshot_free(&snapshot);
    damage("top_ids", K + 5, first);
    ck_assert_int_eq(hl_snapshot_read(path(), &f.model.config, E, &snapshot).code, HL_BAD_FILE);
}

/* Examples of text, each word of two tokens, in pairs. */
static void record_text(void)
{
    hl_examples batch;
    expect_ok(hl_examples_allocate_text(3, 8, true, &batch));
    for (int64_t i = 0; i < 3 * 8; i++) {
        bool real = i % 8 < 6;
        batch.lengths[i / 8] = 6;
        batch.tokens[i] = real ? (int32_t)(3 + i) : HL_PAD;
        batch.targets[i] = i % 8 == 5 ? HL_UNSEEN : i % 8 == 2 ? 7 : HL_IGNORE;
        batch.sources[i] = HL_IGNORE;
        batch.words[i] = real && i % 8 > 0 ? (int32_t)(i % 8 - 1) / 2 : HL_IGNORE;
        batch.types[i] = real && i % 8 > 3;
    }
    record_batch(many_targets(), batch, 100);
}

TEST(words_and_types_are_kept)
{
    record_text();
    read_back(3);
    ck_assert_int_eq(*(const int64_t *)hl_npz_find(&snapshot.npz, "format")->data, 2);
    ck_assert_ptr_nonnull(snapshot.answers.logits);
    for (int64_t e = 0; e < 3; e++) {
        static const int32_t words[] = { -1, 0, 0, 1, 1, 2 }, types[] = { 0, 0, 0, 0, 1, 1 };
        for (int64_t t = 0; t < 6; t++) {
            ck_assert_int_eq(snapshot.examples.words[6 * e + t], words[t]);
            ck_assert_int_eq(snapshot.examples.types[6 * e + t], types[t]);
        }
    }
    ck_assert_int_eq(snapshot.examples.targets[5], HL_UNSEEN);
    hl_snapshot_free(&snapshot);
    struct stat info;
    ck_assert_int_eq(stat(path(), &info), 0);
    size_t told = hl_recorder_bytes(&f.model.config, 3, 6, 2);
    ck_assert_uint_ge(told, (size_t)info.st_size);
    ck_assert_uint_lt(told, (size_t)info.st_size + 11 * 512);
}

TEST(words_that_are_out_of_order_are_refused)
{
    static const struct {
        const char *name;
        int64_t place;
        double number;
        const char *what;
    } cases[] = {
        { "words", 3, 2, "words: 2 at place 3 does not follow word 0" },
        { "words", 7, 1, "words: 1 at place 7 does not follow word -1" },
        { "words", 5, 0, "words: 0 at place 5 does not follow word 1" },
        { "words", 2, 6, "words: 6 at place 2 is not in -1 .. 5" },
        { "types", 2, 2, "types: 2 at place 2 is not in 0 .. 1" },
        { "targets", 2, -3, "targets: -3 at place 2 is not in -2 .. 19999" },
    };
    for (int c = 0; c < ROWS(cases); c++) {
        record_text();
        damage(cases[c].name, cases[c].place, cases[c].number);
        expect_refused(3, cases[c].what);
    }
}

/* A model with three classes that takes the mean of each example: one answer, in the first row. */
TEST(a_pooled_model_answers_once_an_example)
{
    hl_model_config config = example_config(8);
    config.targets = 3;
    config.pooling = HL_POOLING_MEAN;
    hl_examples batch = example_batch(5, T);
    for (int64_t i = 0; i < 5 * batch.n_tokens; i++) {
        batch.targets[i] = i % batch.n_tokens == 0 ? (int32_t)(i % 3) : HL_IGNORE;
    }
    record_batch(config, batch, 2 * T);
    read_back(5);
    ck_assert_int_eq(snapshot.answers.n_targets, 3);
    for (int64_t e = 0; e < 5; e++) {
        const hl_real *mine = snapshot.answers.logits + e * T * 3;
        hl_real *logits = logits_of(e);
        int32_t predictions[T];
        hl_answers_predict(&snapshot.answers, e, f.batch.lengths[e], T, predictions);
        ck_assert_int_eq(predictions[0], hl_answer_of(logits, 3));
        ck_assert_int_eq(predictions[1], HL_IGNORE);
        for (int i = 0; i < 3 * T; i++) {
            ck_assert_double_eq_tol((double)mine[i], i < 3 ? (double)logits[i] : 0, 1e-5);
        }
        free(logits);
    }
}

SUITE("sparse snapshots", .after = forget)
