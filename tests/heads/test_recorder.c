#include "core/base/memory.h"
#include "core/files/npz.h"
#include "tests/check_suite.h"
#include "tests/heads/gathered_example.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static example f;

static void forget(void)
{
    example_tear_down(&f);
}

static hl_npz read_snapshot(const char *name)
{
    hl_npz npz;
    expect_ok(hl_npz_read(scratch_path(name), 1 << 30, &npz));
    return npz;
}

static void expect_array(const hl_npz *npz, const char *name, hl_npy_type type, hl_shape shape, const void *data)
{
    const hl_npz_array *array = hl_npz_find(npz, name);
    ck_assert_msg(array != NULL, "%s is missing", name);
    ck_assert_msg(array->type == type && hl_shape_equal(array->shape, shape), "%s has another type or shape", name);
    ck_assert_msg(memcmp(array->data, data, (size_t)hl_shape_count(shape) * hl_npy_size(type)) == 0,
                  "%s has other numbers", name);
}

TEST(the_file_holds_what_the_buffers_hold)
{
    enum { E = 5, T = 9, V = EXAMPLE_VOCABULARY };
    example_set_up(&f, example_config(8), E, T, 2);
    expect_ok(hl_recorder_record(&f.recorder, 500, NULL, &f.arena));
    hl_npz npz = read_snapshot("run/patterns/step_000500.npz");
    ck_assert_int_eq(npz.n, 9);
    expect_array(&npz, "format", HL_NPY_INT64, (hl_shape){ .n_dims = 0 }, &(int64_t){ 1 });
    expect_array(&npz, "layer_0", HL_NPY_FLOAT32, HL_SHAPE(E, 4, T, T), f.recorder.weights[0]);
    expect_array(&npz, "layer_1", HL_NPY_FLOAT32, HL_SHAPE(E, 2, T, T), f.recorder.weights[1]);
    expect_array(&npz, "logits", HL_NPY_FLOAT32, HL_SHAPE(E, T, V), f.recorder.logits);
    expect_array(&npz, "step", HL_NPY_INT64, (hl_shape){ .n_dims = 0 }, &(int64_t){ 500 });
    expect_array(&npz, "lengths", HL_NPY_INT32, HL_SHAPE(E), f.batch.lengths);
    int32_t cut[3][E * T];
    const int32_t *whole[3] = { f.batch.tokens, f.batch.targets, f.batch.sources };
    static const char *const names[3] = { "tokens", "targets", "source" };
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < E * T; i++) { /* the batch has three columns more than its longest example */
            cut[a][i] = whole[a][i / T * (T + 3) + i % T];
        }
        expect_array(&npz, names[a], HL_NPY_INT32, HL_SHAPE(E, T), cut[a]);
    }
    hl_npz_free(&npz);
}

TEST(sums_are_written_where_they_are_given)
{
    enum { E = 5, T = 9, OFFSETS = 2 * (T + 3) - 1 }; /* of the batch as it is padded */
    static hl_validation_sums_pass pass;
    example_set_up(&f, example_config(8), E, T, 2);
    gathered_set_up(&f, 2, &pass);
    const hl_validation_sums *s = gathered_run(&f, 2, 1, &pass);
    expect_ok(hl_recorder_record(&f.recorder, 500, s, &f.arena));
    hl_npz npz = read_snapshot("run/patterns/step_000500.npz");
    ck_assert_int_eq(npz.n, 9 + 3 + 2 * 5);
    expect_array(&npz, "all_queries", HL_NPY_INT64, HL_SHAPE(OFFSETS), s->queries);
    expect_array(&npz, "all_uniform", HL_NPY_FLOAT64, HL_SHAPE(OFFSETS), s->uniform);
    expect_array(&npz, "all_entropy_uniform", HL_NPY_FLOAT64, (hl_shape){ .n_dims = 0 }, s->entropy_uniform);
    expect_array(&npz, "all_offset_0", HL_NPY_FLOAT64, HL_SHAPE(4, OFFSETS), s->layers[0].offset);
    expect_array(&npz, "all_offset_1", HL_NPY_FLOAT64, HL_SHAPE(2, OFFSETS), s->layers[1].offset);
    expect_array(&npz, "all_entropy_1", HL_NPY_FLOAT64, HL_SHAPE(2), s->layers[1].entropy);
    expect_array(&npz, "all_entropy_normalised_1", HL_NPY_FLOAT64, HL_SHAPE(2), s->layers[1].normalised);
    expect_array(&npz, "all_confidence_1", HL_NPY_FLOAT64, HL_SHAPE(2), s->layers[1].confidence);
    expect_array(&npz, "all_entropy_histogram_1", HL_NPY_INT64, HL_SHAPE(2, 20), s->layers[1].histogram);
    hl_npz_free(&npz);
    struct stat info;
    ck_assert_int_eq(stat(scratch_path("run/patterns/step_000500.npz"), &info), 0);
    size_t bytes = hl_recorder_file_bytes(&f.model.config, E, T + 3, 0);
    ck_assert_uint_ge(bytes, (size_t)info.st_size);
    ck_assert_uint_eq(hl_recorder_file_bytes(&f.model.config, 1, (int64_t)1 << 62, 0), SIZE_MAX);
    hl_validation_sums_pass_free(&pass);
}

TEST(relations_are_written_and_handed_on)
{
    enum { E = 5, R = 3, T = 9 };
    example_set_up_with(&f, example_config(8), example_related_batch(E, T, R), 2);
    expect_ok(hl_recorder_record(&f.recorder, 3, NULL, &f.arena));
    int32_t cut[E * R * T];
    for (int i = 0; i < E * R * T; i++) { /* the batch has three columns more than its longest example */
        cut[i] = f.batch.relations[i / T * (T + 3) + i % T];
    }
    hl_patterns patterns = hl_recorder_patterns(&f.recorder, 1, 0);
    ck_assert_int_eq(patterns.n_relations, R);
    ck_assert_mem_eq(patterns.relations, cut, sizeof cut);
    hl_npz npz = read_snapshot("run/patterns/step_000003.npz");
    ck_assert_int_eq(npz.n, 10);
    expect_array(&npz, "relations", HL_NPY_INT32, HL_SHAPE(E, R, T), cut);
    hl_npz_free(&npz);
    struct stat info;
    ck_assert_int_eq(stat(scratch_path("run/patterns/step_000003.npz"), &info), 0);
    size_t bytes = hl_recorder_bytes(&f.model.config, E, T, R);
    ck_assert_uint_ge(bytes, (size_t)info.st_size);
    ck_assert_uint_lt(bytes, (size_t)info.st_size + 10 * 512);
}

/* Every row sums to 1 over the keys its query may attend to; all else is zero. */
static void expect_weights(const hl_patterns *patterns)
{
    int64_t T = patterns->n_tokens;
    for (int64_t e = 0; e < patterns->n_examples; e++) {
        hl_pattern pattern = hl_patterns_at(patterns, e);
        for (int64_t i = 0; i < T; i++) {
            int64_t n_keys = i < pattern.n ? hl_pattern_keys(&pattern, i) : 0;
            double sum = 0;
            for (int64_t j = 0; j < T; j++) {
                hl_real a = hl_pattern_row(&pattern, i)[j];
                ck_assert(j < n_keys ? a > 0 : a == 0);
                sum += (double)a;
            }
            ck_assert_double_eq_tol(sum, n_keys > 0, 1e-5);
        }
    }
}

LOOP_TEST(weights_and_logits_are_zero_past_the_lengths, 0, 2)
{
    hl_model_config config = example_config(8);
    config.causal = _i;
    example_set_up(&f, config, 5, 9, 2);
    memset(f.recorder.weights[0], 0x7f, (size_t)(f.recorder.logits - f.recorder.weights[0]) * sizeof(hl_real));
    expect_ok(hl_recorder_record(&f.recorder, 0, NULL, &f.arena));
    for (int layer = 0; layer < 2; layer++) {
        for (int64_t head = 0; head < config.heads[layer]; head++) {
            hl_patterns patterns = hl_recorder_patterns(&f.recorder, layer, head);
            ck_assert_int_eq(patterns.causal, _i);
            expect_weights(&patterns);
        }
    }
    int64_t row = 9 * EXAMPLE_VOCABULARY;
    for (int64_t i = 0; i < 5 * row; i++) {
        bool real = i % row / EXAMPLE_VOCABULARY < f.batch.lengths[i / row];
        ck_assert((f.recorder.logits[i] != 0) == real);
    }
}

/* The numbers of one pass over the undivided batch, found without a recorder. */
TEST(what_is_recorded_is_what_the_model_computes)
{
    enum { E = 5, T = 9, PADDED = 12 };
    example_set_up(&f, example_config(8), E, T, 2);
    expect_ok(hl_recorder_record(&f.recorder, 0, NULL, &f.arena));
    static hl_real weights[2][E * 4 * PADDED * PADDED];
    hl_head_weights copies[2];
    hl_head_probe probes[2] = { { 0 } };
    for (int l = 0; l < 2; l++) {
        copies[l] = (hl_head_weights){ .at = weights[l], .n_heads = f.model.config.heads[l], .n_tokens = PADDED };
        probes[l] = (hl_head_probe){ .observe = hl_head_weights_observe, .observe_context = &copies[l] };
    }
    hl_batch_storage storage = example_rows(&f.batch);
    hl_sequences examples = hl_batch_sequences(&storage.batch);
    hl_arena arena;
    expect_ok(hl_arena_init(&arena, 1 << 22));
    hl_tape tape;
    hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = 1 });
    const hl_tensor *logits = hl_model_logits(&tape, &f.model, &storage.batch, probes);
    expect_ok(hl_tape_status(&tape));
    for (int layer = 0; layer < 2; layer++) {
        int64_t H = f.model.config.heads[layer];
        for (int64_t i = 0; i < E * H * T * T; i++) {
            int64_t at = i / (T * T) * PADDED * PADDED + i / T % T * PADDED + i % T;
            ck_assert_double_eq_tol((double)f.recorder.weights[layer][i], (double)weights[layer][at], 1e-5);
        }
        for (int64_t head = 0; head < H; head++) {
            hl_patterns patterns = hl_recorder_patterns(&f.recorder, layer, head);
            ck_assert_ptr_eq(hl_patterns_at(&patterns, 3).weights, f.recorder.weights[layer] + (3 * H + head) * T * T);
            ck_assert_ptr_eq(hl_patterns_at(&patterns, 3).sources, f.recorder.examples.sources + 3 * T);
            ck_assert_ptr_eq(hl_patterns_at(&patterns, 3).tokens, f.recorder.examples.tokens + 3 * T);
        }
    }
    for (int64_t e = 0; e < E; e++) {
        for (int64_t i = 0; i < f.batch.lengths[e] * EXAMPLE_VOCABULARY; i++) {
            ck_assert_double_eq_tol((double)f.recorder.logits[e * T * EXAMPLE_VOCABULARY + i],
                                    (double)logits->data[hl_sequences_first(&examples, e) * EXAMPLE_VOCABULARY + i],
                                    1e-5);
        }
    }
    hl_batch_storage_free(&storage);
    hl_arena_free(&arena);
}

TEST(the_file_has_the_same_bytes_at_any_thread_count)
{
    example_set_up(&f, example_config(64), 32, 40, 16); /* 640 rows at once: products that are cut */
    char *first = NULL;
    size_t size = 0;
    for (int threads = 1; threads <= 4; threads++) {
        hl_recorder recorder;
        expect_ok(hl_recorder_init(&recorder, &f.model, &f.batch, 640, threads, scratch_path("run/patterns")));
        hl_arena arena = example_arena(&recorder);
        expect_ok(hl_recorder_record(&recorder, 7, NULL, &arena));
        hl_arena_free(&arena);
        hl_recorder_free(&recorder);
        if (threads == 1) {
            first = scratch_read(scratch_path("run/patterns/step_000007.npz"), &size);
        }
        ck_assert(scratch_holds(scratch_path("run/patterns/step_000007.npz"), first, size));
    }
    free(first);
}

LOOP_TEST(parts_of_any_size_record_the_same, 1, 10)
{
    enum { E = 7, T = 12 };
    example parts;
    example_set_up(&f, example_config(16), E, T, E);
    expect_ok(hl_recorder_record(&f.recorder, 1, NULL, &f.arena));
    example_set_up(&parts, example_config(16), E, T, _i);
    expect_ok(hl_recorder_record(&parts.recorder, 1, NULL, &parts.arena));
    int64_t n_weights = f.recorder.logits - f.recorder.weights[0], n = n_weights + E * T * EXAMPLE_VOCABULARY;
    double largest = 1; /* of the logits, sums of terms of that size, a small one too */
    for (int64_t i = n_weights; i < n; i++) {
        largest = fmax(largest, fabs((double)f.recorder.weights[0][i]));
    }
    for (int64_t i = 0; i < n; i++) {
        ck_assert_double_eq_tol((double)parts.recorder.weights[0][i], (double)f.recorder.weights[0][i],
                                1e-6 * (i < n_weights ? 1 : largest));
    }
    example_tear_down(&parts);
}

/* Where nothing is asked, the output layer does not run, and the weights are what they were. */
TEST(rows_without_a_target_need_no_answer)
{
    enum { E = 7, T = 12 };
    example_set_up(&f, example_config(16), E, T, E);
    hl_recorder *r = &f.recorder;
    expect_ok(hl_recorder_run(r, &f.arena));
    int64_t n = r->logits - r->weights[0], answered = 0;
    hl_real *weights = hl_malloc((size_t)n * sizeof *weights);
    memcpy(weights, r->weights[0], (size_t)n * sizeof *weights);
    for (int i = 0; i < E * T; i++) {
        r->examples.targets[i] = i == 2 ? 1 : HL_IGNORE;
    }
    memset(r->logits, 0, sizeof *r->logits * E * T * EXAMPLE_VOCABULARY);
    expect_ok(hl_recorder_answer_targets_alone(r));
    expect_ok(hl_recorder_run(r, &f.arena));
    ck_assert_mem_eq(weights, r->weights[0], (size_t)n * sizeof *weights);
    for (int i = 0; i < E * T; i++) {
        bool answers = false;
        for (int c = 0; c < EXAMPLE_VOCABULARY; c++) {
            answers = answers || r->logits[i * EXAMPLE_VOCABULARY + c] != 0;
        }
        ck_assert_int_eq(answers, i == 2);
        answered += answers;
    }
    ck_assert_int_eq(answered, 1);
    r->examples.targets[2] = HL_IGNORE;
    memset(r->logits, 0, sizeof *r->logits * E * T * EXAMPLE_VOCABULARY);
    expect_ok(hl_recorder_answer_targets_alone(r));
    expect_ok(hl_recorder_run(r, &f.arena));
    ck_assert(r->logits[2 * EXAMPLE_VOCABULARY] == 0);
    ck_assert_mem_eq(weights, r->weights[0], (size_t)n * sizeof *weights);
    hl_free(weights);
}

/* How often it was told, and at which example it fails. */
typedef struct watcher {
    int64_t told, last, fails_at;
} watcher;

static hl_status watch(void *context, int64_t done, int64_t total)
{
    watcher *w = context;
    ck_assert_int_eq(total, 7);
    ck_assert_int_gt(done, w->last);
    w->told++;
    w->last = done;
    return done == w->fails_at ? hl_error(HL_FAILED, "interrupted") : hl_ok();
}

TEST(whoever_waits_is_told_and_may_end_it)
{
    enum { E = 7, T = 12 };
    example_set_up(&f, example_config(16), E, T, 2);
    watcher w = { .last = -1, .fails_at = -1 };
    f.recorder.progress = watch;
    f.recorder.context = &w;
    expect_ok(hl_recorder_run(&f.recorder, &f.arena));
    ck_assert_int_gt(w.told, 1);
    watcher ends = { .last = -1, .fails_at = w.last };
    f.recorder.context = &ends;
    ck_assert_int_eq(hl_recorder_run(&f.recorder, &f.arena).code, HL_FAILED);
    ck_assert_int_eq(ends.told, w.told);
    f.recorder.progress = NULL;
    expect_ok(hl_recorder_run(&f.recorder, &f.arena));
}

/* The parameters after two steps of gradient descent with dropout, `recorder` looking on before each or NULL. To be
 * freed by hl_free. */
static hl_real *train(bool recording)
{
    hl_arena arena;
    expect_ok(hl_arena_init(&arena, 1 << 24));
    hl_parameters *parameters = &f.model.parameters;
    hl_batch_storage storage = example_rows(&f.batch);
    hl_parameters_initialise(parameters, 11);
    for (uint32_t step = 0; step < 2; step++) {
        if (recording) {
            expect_ok(hl_recorder_record(&f.recorder, step, NULL, &arena));
            ck_assert_uint_eq(arena.used, 0);
        }
        hl_tape tape;
        hl_tape_begin(&tape, &arena, (hl_tape_options){ .training = true, .gradients = true, .seed = 4, .step = step });
        hl_parameters_zero_grad(parameters);
        hl_tensor *loss = hl_model_loss(&tape, &f.model, &storage.batch, (hl_cross_entropy_args){ 0 }, NULL);
        if (recording && step == 1) { /* even between forward and backward */
            size_t used = arena.used;
            expect_ok(hl_recorder_record(&f.recorder, 9, NULL, &arena));
            ck_assert_uint_eq(arena.used, used);
        }
        expect_ok(hl_tape_backward(&tape, loss));
        for (int64_t i = 0; i < parameters->count; i++) {
            parameters->values[i] -= (hl_real)0.1 * parameters->grads[i];
        }
        hl_arena_rewind(&arena, 0);
    }
    hl_arena_free(&arena);
    hl_batch_storage_free(&storage);
    hl_real *trained = hl_malloc((size_t)parameters->count * sizeof *trained);
    memcpy(trained, parameters->values, (size_t)parameters->count * sizeof *trained);
    return trained;
}

TEST(recording_changes_no_bit_of_training)
{
    example_set_up(&f, example_config(16), 6, 10, 4);
    hl_real *without = train(false), *with = train(true);
    size_t bytes = (size_t)f.model.parameters.count * sizeof *with;
    ck_assert_mem_eq(with, without, bytes);
    hl_parameters_initialise(&f.model.parameters, 11);
    ck_assert_mem_ne(with, f.model.parameters.values, bytes); /* it did train */
    hl_npz at_0 = read_snapshot("run/patterns/step_000000.npz"), at_1 = read_snapshot("run/patterns/step_000001.npz");
    ck_assert_mem_ne(hl_npz_find(&at_0, "layer_1")->data, hl_npz_find(&at_1, "layer_1")->data, 1000);
    hl_npz_free(&at_0);
    hl_npz_free(&at_1);
    hl_free(without);
    hl_free(with);
}

TEST(the_bytes_known_up_front_hold_the_file)
{
    example_set_up(&f, example_config(8), 5, 9, 2);
    expect_ok(hl_recorder_record(&f.recorder, 1000000, NULL, &f.arena));
    struct stat info;
    ck_assert_int_eq(stat(scratch_path("run/patterns/step_1000000.npz"), &info), 0);
    size_t bytes = hl_recorder_bytes(&f.model.config, 5, 9, 0);
    ck_assert_uint_ge(bytes, (size_t)info.st_size);
    ck_assert_uint_lt(bytes, (size_t)info.st_size + 9 * 512);
    ck_assert_uint_eq(hl_recorder_bytes(&f.model.config, 5, (int64_t)1 << 31, 0), SIZE_MAX);
    ck_assert_uint_eq(hl_recorder_bytes(&f.model.config, INT64_MAX, 1, 0), SIZE_MAX);
    ck_assert_uint_lt(hl_recorder_bytes(&f.model.config, 1, (int64_t)1 << 28, 0), SIZE_MAX);
}

SUITE("recorder", .after = forget)
