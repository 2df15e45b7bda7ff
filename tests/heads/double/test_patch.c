/* Activation patching, against passes that begin with the changed numbers. */
#include "heads/patch.h"

#include "core/base/memory.h"
#include "heads/head_set.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/double/written.h"

#include <string.h>

enum { T = 9, AT = 7, MOST_HEADS = 6 };

static hl_examples clean, corrupt;
static hl_patch patch;

static void tear_down_patch(void)
{
    hl_patch_free(&patch);
    hl_patch_free(&patch); /* twice is allowed */
    tear_down();
}

/* The examples differ in one token. They take the place of those before. */
static void set_up_patch(void (*change)(hl_model_config *config))
{
    tear_down_patch();
    set_up_shape(change);
    clean = hl_examples_slice(&batch, 0, 1);
    corrupt = hl_examples_slice(&batch, 1, 1);
    *clean.lengths = *corrupt.lengths = T;
    for (int64_t t = 0; t < T; t++) {
        clean.tokens[t] = corrupt.tokens[t] = (int32_t)(3 + t % 7);
    }
    corrupt.tokens[2] = 10;
    expect_ok(hl_patch_begin(&patch, &model, &clean, &corrupt, AT, 2));
    hl_patch_answers(&patch, 4, 6);
}

static double measured(hl_patch_change change)
{
    double effect;
    expect_ok(hl_patch_measure(&patch, change, &effect));
    return effect;
}

/* d of a pass from layer `layer` on, whose input is x. */
static double d_from(int layer, const double *x)
{
    hl_arena arena;
    expect_ok(hl_arena_init(&arena, 1 << 22));
    hl_tape tape;
    hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = 1 });
    const hl_batch *rows = patch.reverse ? &patch.clean_batch.batch : &patch.corrupt_batch.batch;
    hl_tensor *y = hl_tape_tensor(&tape, HL_SHAPE(T, D), x, false);
    hl_tensor *logits =
        hl_model_target_logits(&tape, &model, rows, hl_model_layers(&tape, &model, rows, layer, y, NULL));
    expect_ok(hl_tape_status(&tape));
    double d = logits->data[patch.right] - logits->data[patch.wrong];
    hl_arena_free(&arena);
    return d;
}

/* What a layer makes of the corrupt x with other outputs of its heads. */
static void from_heads(int layer, const double *x, const double *z, double *y)
{
    hl_arena arena;
    expect_ok(hl_arena_init(&arena, 1 << 22));
    hl_tape tape;
    hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = 1 });
    int64_t width = (int64_t)model.config.heads[layer] * model.config.d_v[layer];
    hl_tensor *out = hl_encoder_layer_from_heads(&tape, &model.encoder.layers[layer],
                                                 hl_tape_tensor(&tape, HL_SHAPE(T, D), x, false),
                                                 hl_tape_tensor(&tape, HL_SHAPE(T, width), z, false));
    expect_ok(hl_tape_status(&tape));
    memcpy(y, out->data, T * D * sizeof *y);
    hl_arena_free(&arena);
}

static double recovered(double d)
{
    double whole = patch.d_clean - patch.d_corrupt;
    return patch.reverse ? (patch.d_clean - d) / whole : (d - patch.d_corrupt) / whole;
}

/* The z of a layer among those of all. */
static const double *z_of(const hl_patch_states *states, int layer)
{
    return states->z + (layer == 0 ? 0 : T * model.config.heads[0] * model.config.d_v[0]);
}

/* recovered of head `head` of a layer, all tokens or one. */
static double expected(int layer, int64_t head, int64_t at)
{
    const hl_patch_states *into = patch.reverse ? &patch.clean : &patch.corrupt;
    const hl_patch_states *from = patch.reverse ? &patch.corrupt : &patch.clean;
    int64_t d_v = model.config.d_v[layer], width = (int64_t)model.config.heads[layer] * d_v;
    double z[T * 24], y[T * D];
    memcpy(z, z_of(into, layer), (size_t)(T * width) * sizeof *z);
    for (int64_t t = 0; t < T; t++) {
        if (at < 0 || t == at) {
            memcpy(z + t * width + head * d_v, z_of(from, layer) + t * width + head * d_v, (size_t)d_v * sizeof *z);
        }
    }
    from_heads(layer, into->x + layer * T * D, z, y);
    return recovered(d_from(layer + 1, y));
}

static void (*const kinds[])(hl_model_config *) = {
    plain, post_causal, no_bias, pruned, gelu, mean_row, pooler, grouped
};

TEST(a_head_counts_as_in_a_pass_with_its_output)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        set_up_patch(kinds[k]);
        for (int turn = 0; turn < 4; turn++) {
            patch.reverse = turn % 2 == 1;
            int64_t at = turn < 2 ? -1 : 2;
            for (int64_t h = 0; h < hl_heads_count(&model.config); h++) {
                bool set[MOST_HEADS] = { 0 };
                set[h] = true;
                hl_head_place head = hl_head_at(&model.config, h);
                double effect = measured((hl_patch_change){ .kind = HL_PATCH_HEADS, .heads = set, .at = at });
                ck_assert_double_eq_tol(effect, expected(head.layer, head.head, at), 1e-9);
            }
        }
    }
}

TEST(the_stream_after_a_layer_counts_as_a_pass_from_there)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        set_up_patch(kinds[k]);
        for (int l = 0; l < EXAMPLE_LAYERS; l++) {
            for (int64_t t = 0; t < T; t++) {
                double x[T * D];
                memcpy(x, patch.corrupt.x + (l + 1) * T * D, sizeof x);
                memcpy(x + t * D, patch.clean.x + (l + 1) * T * D + t * D, D * sizeof *x);
                double effect = measured((hl_patch_change){ .kind = HL_PATCH_RESIDUAL, .layer = l, .at = t });
                ck_assert_double_eq_tol(effect, recovered(d_from(l + 1, x)), 1e-9);
            }
            double whole = measured((hl_patch_change){ .kind = HL_PATCH_RESIDUAL, .layer = l, .at = -1 });
            ck_assert_double_eq_tol(whole, 1, 1e-9);
        }
    }
}

TEST(a_feed_forward_network_adds_a_constant)
{
    set_up_patch(plain); /* pre-norm: the stream changes by the difference */
    for (int l = 0; l < EXAMPLE_LAYERS; l++) {
        double x[T * D];
        for (int i = 0; i < T * D; i++) {
            int at = l * T * D + i;
            x[i] = patch.corrupt.x[T * D + at] + patch.clean.feed_forward[at] - patch.corrupt.feed_forward[at];
        }
        double effect = measured((hl_patch_change){ .kind = HL_PATCH_FEED_FORWARD, .layer = l, .at = -1 });
        ck_assert_double_eq_tol(effect, recovered(d_from(l + 1, x)), 1e-9);
        ck_assert_double_gt(fabs(effect), 1e-6);
    }
}

/* Heads of two layers together: those of the second are clean, whatever the first ones changed. */
TEST(several_heads_count_together)
{
    set_up_patch(plain);
    bool set[MOST_HEADS] = { [1] = true, [4] = true, [5] = true };
    double z[T * 24], y[T * D], last[T * D];
    int64_t d_v = model.config.d_v[0], width = (int64_t)model.config.heads[0] * d_v;
    memcpy(z, z_of(&patch.corrupt, 0), (size_t)(T * width) * sizeof *z);
    for (int64_t t = 0; t < T; t++) {
        memcpy(z + t * width + d_v, z_of(&patch.clean, 0) + t * width + d_v, (size_t)d_v * sizeof *z);
    }
    from_heads(0, patch.corrupt.x, z, y);
    from_heads(1, y, z_of(&patch.clean, 1), last);
    double effect = measured((hl_patch_change){ .kind = HL_PATCH_HEADS, .heads = set, .at = -1 });
    ck_assert_double_eq_tol(effect, recovered(d_from(2, last)), 1e-9);
}

TEST(equal_inputs_recover_nothing)
{
    set_up_patch(plain);
    hl_patch_free(&patch);
    expect_ok(hl_patch_begin(&patch, &model, &clean, &clean, AT, 1));
    hl_patch_answers(&patch, 4, 6);
    ck_assert_double_eq(patch.d_clean, patch.d_corrupt);
    ck_assert(isnan(measured((hl_patch_change){ .kind = HL_PATCH_RESIDUAL, .layer = 1, .at = -1 })));
    ck_assert_int_eq(hl_patch_answer(&patch, &patch.clean), hl_patch_answer(&patch, &patch.corrupt));
}

TEST(wrong_inputs_are_refused)
{
    set_up_patch(plain);
    hl_patch_free(&patch);
    *corrupt.lengths = T - 1;
    CHECK_FAILS(hl_patch_begin(&patch, &model, &clean, &corrupt, AT, 1), HL_INVALID, "9 tokens", "8");
    hl_patch_free(&patch);
    *corrupt.lengths = T;
    CHECK_FAILS(hl_patch_begin(&patch, &model, &clean, &corrupt, T, 1), HL_INVALID, "position 9");
    CHECK_FAILS(hl_patch_begin(&patch, &model, &clean, &corrupt, -1, 1), HL_INVALID, "position -1");
    model.config.head = HL_HEAD_NONE;
    CHECK_FAILS(hl_patch_begin(&patch, &model, &clean, &corrupt, AT, 1), HL_INVALID, "no output layer");
    model.config.head = HL_HEAD_LINEAR;
}

static hl_status patch_once(void)
{
    double effect;
    hl_status status = hl_patch_begin(&patch, &model, &clean, &corrupt, AT, 1);
    if (status.code == HL_OK) {
        hl_patch_answers(&patch, 4, 6);
        status =
            hl_patch_measure(&patch, (hl_patch_change){ .kind = HL_PATCH_RESIDUAL, .layer = 1, .at = -1 }, &effect);
    }
    hl_patch_free(&patch);
    return status;
}

TEST(want_of_memory_is_told_and_loses_nothing)
{
    set_up_patch(plain);
    hl_patch_free(&patch);
    faults_begin();
    int n = 0;
    while (fault_checks_next(&n, FAULTS_ONCE)) {
        fault_checks_turn(patch_once());
    }
    ck_assert_int_gt(n, 5);
    faults_end();
}

TEST(memory_is_told)
{
    set_up_patch(plain);
    size_t bytes;
    expect_ok(hl_patch_bytes(&model, T, 2, &bytes));
    size_t states = (size_t)(2 * (5 * T * D + T * (4 * 3 + 2 * 6)) + 3 * EXAMPLE_VOCABULARY) * sizeof(double);
    ck_assert_uint_eq(bytes, patch.arena.capacity + states); /* logits of both inputs and of a measurement */
}

SUITE("activation patching", .after = tear_down_patch)
