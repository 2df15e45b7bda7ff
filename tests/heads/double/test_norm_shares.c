/* Attention by norms, against |v W_O| computed number by number. */
#include "heads/norm_shares.h"

#include "core/base/memory.h"
#include "heads/head_pass.h"
#include "heads/head_set.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/double/written.h"

#include <string.h>

static hl_recorder recorder;
static hl_arena arena;
static hl_patterns layers[EXAMPLE_LAYERS];
static hl_snapshot snapshot;

static void forget(void)
{
    hl_recorder_free(&recorder);
    hl_arena_free(&arena);
    tear_down();
}

static void record(void (*change)(hl_model_config *config))
{
    forget();
    set_up_shape(change);
    expect_ok(hl_recorder_init(&recorder, &model, &batch, 24, 2, NULL));
    expect_ok(hl_arena_init(&arena, recorder.plan.bytes));
    expect_ok(hl_recorder_run(&recorder, &arena));
    for (int l = 0; l < EXAMPLE_LAYERS; l++) {
        layers[l] = hl_recorder_patterns(&recorder, l, 0);
    }
    snapshot = (hl_snapshot){ .examples = recorder.examples, .layers = layers, .config = &model.config };
}

/* |v_j W_O| of a head. */
static double length_of(const hl_head_pass *pass, int l, int64_t h, int64_t e, int64_t j)
{
    const hl_head_pass_layer *layer = &pass->layers[l];
    int64_t d_v = layer->d_v, group = h / (layer->n_heads / layer->n_kv_heads);
    const float *v = layer->v + ((e * pass->n_tokens + j) * layer->n_kv_heads + group) * d_v;
    double square = 0;
    for (int64_t i = 0; i < D; i++) {
        double sum = 0;
        for (int64_t c = 0; c < d_v; c++) {
            sum += (double)v[c] * (double)layer->w_o[i * layer->n_heads * d_v + h * d_v + c];
        }
        square += sum * sum;
    }
    return sqrt(square);
}

static void (*const kinds[])(hl_model_config *) = { plain, post_causal, pruned, grouped };

/* The maps of all layers, one after the other, in new memory. */
static double *copied_maps(void)
{
    int64_t T = recorder.examples.n_tokens, heads = hl_heads_count(&model.config);
    double *maps = hl_malloc((size_t)(E * heads * T * T) * sizeof *maps), *next = maps;
    for (int l = 0; l < EXAMPLE_LAYERS; l++) {
        int64_t count = E * model.config.heads[l] * T * T;
        memcpy(next, layers[l].weights, (size_t)count * sizeof *next);
        next += count;
    }
    return maps;
}

static void check_row(const hl_head_pass *pass, int l, int64_t h, int64_t e, const double *weights, const double *found)
{
    int64_t n = recorder.examples.lengths[e];
    double sum = 0, total = 0;
    for (int64_t j = 0; j < n; j++) {
        double length = length_of(pass, l, h, e, j);
        const hl_head_pass_layer *layer = &pass->layers[l];
        ck_assert_double_eq_tol((double)layer->lengths[(e * pass->n_tokens + j) * layer->n_heads + h], length, 1e-5);
        sum += weights[j] * length;
    }
    for (int64_t j = 0; j < n; j++) {
        ck_assert_double_eq_tol(found[j], weights[j] * length_of(pass, l, h, e, j) / sum, 1e-6); /* floats */
        total += found[j];
    }
    ck_assert_double_eq_tol(total, 1, 1e-12);
}

TEST(shares_are_weights_times_lengths)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        record(kinds[k]);
        hl_head_pass pass;
        expect_ok(hl_head_pass_run(&model, &recorder.examples, E, true, 1, &pass));
        double *before = copied_maps(), *weights = before;
        expect_ok(hl_norm_shares_take(&snapshot, &model, 24, 2));
        double *after = copied_maps(), *found = after;
        int64_t T = recorder.examples.n_tokens;
        for (int l = 0; l < EXAMPLE_LAYERS; l++) {
            for (int64_t i = 0; i < E * model.config.heads[l] * T; i++, weights += T, found += T) {
                int64_t head = i / T % model.config.heads[l], e = i / T / model.config.heads[l];
                if (i % T < recorder.examples.lengths[e]) {
                    check_row(&pass, l, head, e, weights, found);
                }
            }
        }
        hl_free(before);
        hl_free(after);
        hl_head_pass_free(&pass);
    }
}

/* A head without values writes nothing: its weights stay. */
TEST(rows_without_norms_stay)
{
    record(plain);
    memset(model.encoder.layers[0].self_attn.out_proj.weight->data, 0, D * D * sizeof(hl_real));
    double *before = copied_maps();
    expect_ok(hl_norm_shares_take(&snapshot, &model, 1, 1));
    double *after = copied_maps();
    int64_t T = recorder.examples.n_tokens;
    ck_assert_mem_eq(before, after, (size_t)(E * model.config.heads[0] * T * T) * sizeof *after);
    hl_free(before);
    hl_free(after);
}

TEST(want_of_memory_is_told_and_loses_nothing)
{
    record(plain);
    faults_begin();
    int n = 0;
    while (fault_checks_next(&n, FAULTS_ONCE)) {
        fault_checks_turn(hl_norm_shares_take(&snapshot, &model, 24, 1));
    }
    ck_assert_int_gt(n, 4);
    faults_end();
}

TEST(memory_is_told)
{
    record(plain);
    size_t some, more;
    expect_ok(hl_norm_shares_bytes(&model, E, 12, 24, 1, &some));
    expect_ok(hl_norm_shares_bytes(&model, E, 12, 48, 1, &more));
    ck_assert_uint_gt(more, some);
    ck_assert_uint_gt(some, 24 * (6 * sizeof(hl_real) + sizeof(double)));
}

SUITE("attention by norms", .after = forget)
