/* What a model refuses, the memory it plans, and how it fails. */
#include "core/base/memory.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/layers/config_change.h"
#include "tests/layers/examples.h"
#include "tests/messages.h"

#include <math.h>
#include <string.h>

/* A config that is wrong in one place, and words that the refusal must hold. */
static const struct {
    config_change change;
    const char *words;
} wrongs[] = {
    { CHANGE(n_layers, 0), "0 layers are not in 1 .. 256" },
    { CHANGE(n_layers, -1), "-1 layers" },
    { CHANGE(n_layers, HL_MAX_LAYERS + 1), "257 layers" },
    { CHANGE(vocabulary, 0), "vocabulary" },
    { CHANGE(vocabulary, -1), "vocabulary" },
    { CHANGE(max_length, 0), "max_length" },
    { CHANGE(d_model, -6), "d_model" },
    { CHANGE(d_model, 0x1p62), "d_model" },
    { CHANGE(d_ff, 0), "d_ff" },
    { CHANGE(targets, -1), "targets" },
    { CHANGE(token_types, -1), "token_types" },
    { CHANGE(embedding_size, -1), "embedding_size" },
    { CHANGE(position_offset, 1), "a position_offset, but positions are not learned" },
    { CHANGE(position_offset, -1), "a position_offset of -1" },
    { CHANGE(position_offset, 0x1p30 - 8), "a position_offset of 1073741816" },
    { CHANGE(head, 3), "unknown head number 3" },
    { CHANGE(pooler, -1), "pooler number -1" },
    { CHANGE(pooler, 4), "pooler number 4" },
    { CHANGE(activation, 5), "encoder.layers.0: unknown activation number 5" },
    { CHANGE(norm, -1), "encoder.layers.0: unknown place number -1 of the norm" },
    { CHANGE(positions, 4), "positions: unknown kind number 4" },
    { CHANGE(window, -1), "a window of -1" },
    { CHANGE(window, 0x1p30 + 1), "a window of 1073741825" },
    { CHANGE(global_every, -1), "a global layer every -1" },
    { CHANGE_REAL(rotary_theta, NAN), "thetas of" },
    { CHANGE_REAL(rotary_theta, -1), "thetas of -1 and 0" },
    { CHANGE_REAL(rotary_theta_local, INFINITY), "thetas of 0 and inf" },
    { CHANGE(norm_bias, 3), "unknown number 3 of a part's bias" },
    { CHANGE(head_bias, -1), "unknown number -1 of a part's bias" },
    { CHANGE(lacks_first_norm, 1), "norms after attention, but the first layer has none" },
    { CHANGE(norm_kind, 2), "encoder.layers.0.norm1: unknown kind number 2 of norm" },
    { CHANGE(feed_forward, 3), "encoder.layers.0: unknown kind number 3 of feed-forward network" },
    { CHANGE_REAL(dropout_pooler, 0.5), "there is no pooler" },
    { CHANGE_REAL(dropout_output, 1), "a dropout of 1 is" },
    { CHANGE_REAL(initial_std, NAN), "an initial deviation of" },
    { CHANGE_REAL(initial_std, -0.5), "an initial deviation of -0.5" },
    { CHANGE_REAL(norm_epsilon, INFINITY), "an epsilon of inf" },
    { CHANGE_REAL(norm_epsilon, -1), "an epsilon of -1" },
    { CHANGE(pooling, 3), "unknown pooling number 3" },
    { CHANGE(heads[1], 0), "layer 1 has 0 heads" },
    { CHANGE(kv_heads[1], 0), "layer 1 has 2 heads, 0 key/value heads" },
    { CHANGE(heads[0], 3), "layer 0 has 3 heads, 2 key/value heads" },
    { CHANGE(kv_heads[0], 4), "layer 0 has 2 heads, 4 key/value heads" },
    { CHANGE(d_k[0], 0), "d_k 0" },
    { CHANGE(d_k[0], 0x1p30 + 1), "d_k" },
    { CHANGE(d_v[1], -1), "d_v -1" },
    { CHANGE_REAL(dropout_attention, 1), "a dropout of 1 is" },
    { CHANGE_REAL(dropout_concat, -0.5), "a dropout of -0.5" },
    { CHANGE_REAL(dropout_residual, 1.5), "a dropout of 1.5" },
    { CHANGE_REAL(dropout_ffn, NAN), "a dropout of" },
    { CHANGE_REAL(dropout_embedding, INFINITY), "a dropout of inf" },
};

TEST(every_nth_layer_has_no_window)
{
    hl_model_config config = { .window = 8 };
    for (int every = 0; every < 4; every++) {
        config.global_every = every;
        for (int l = 0; l < 7; l++) {
            ck_assert_int_eq(hl_model_config_window(&config, l), every > 0 && l % every == 0 ? 0 : 8);
        }
    }
}

/* Layers share a table of rotary positions if their heads and thetas are equal. */
TEST(windows_have_thetas_of_their_own)
{
    hl_model_config config = example_variant(11);
    hl_model *model = example_model(&config);
    const hl_rotary *global = model->encoder.layers[0].self_attn.config.rotary,
                    *local = model->encoder.layers[1].self_attn.config.rotary;
    ck_assert_int_eq(model->n_rotaries, 2);
    ck_assert(global->theta == 160000 && local->theta == 10000);
    config.rotary_theta_local = 0;
    model = example_model(&config);
    ck_assert_int_eq(model->n_rotaries, 1);
    ck_assert(model->encoder.layers[1].self_attn.config.rotary->theta == 160000);
}

static hl_status status_of(const hl_model_config *config)
{
    hl_model model;
    hl_status status = hl_model_init(&model, config);
    hl_model_free(&model);
    return status;
}

LOOP_TEST(wrong_configs_are_refused, 0, ROWS(wrongs))
{
    hl_model_config config = example_config();
    config_change_make(&config, wrongs[_i].change);
    hl_status status = status_of(&config);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_msg(strstr(status.text, wrongs[_i].words) != NULL, "%s", status.text);
}

TEST(a_shared_matrix_is_no_lower_than_the_targets)
{
    hl_model_config config = example_config();
    config.tie_embedding = true;
    for (config.targets = 6; config.targets <= 7; config.targets++) {
        CHECK_OK(status_of(&config));
    }
    message_check(status_of(&config), HL_INVALID, "model.more_targets_than_tokens");
}

/* Fields that cannot go together, and what takes the contradiction away. */
TEST(contradictions_are_refused)
{
    typedef struct choice {
        bool tied, tied_bias;
        int64_t embedding_size;
        hl_output_head head;
        hl_pooler pooler;
        double dropout_output;
    } choice;
    static const struct {
        choice wrong, right;
        const char *id;
    } cases[] = {
        { { .tied_bias = true }, { 0 }, "model.a_bias_of_its_own" },
        { { .tied = true, .embedding_size = 3 },
          { .tied = true, .embedding_size = 3, .head = HL_HEAD_TRANSFORM },
          "model.shared_and_narrow" },
        { { .tied = true, .tied_bias = true, .head = HL_HEAD_TRANSFORM },
          { .tied = true, .tied_bias = true },
          "model.two_biases" },
        { { .tied = true, .head = HL_HEAD_NONE }, { .head = HL_HEAD_NONE }, "model.no_output" },
        { { .pooler = HL_POOLER_TANH, .head = HL_HEAD_NONE }, { .pooler = HL_POOLER_TANH }, "model.no_output" },
        { { .dropout_output = 0.5, .head = HL_HEAD_NONE }, { .dropout_output = 0.5 }, "model.no_output" },
    };
    for (int i = 0; i < 2 * ROWS(cases); i++) {
        const choice *c = i % 2 == 1 ? &cases[i / 2].right : &cases[i / 2].wrong;
        hl_model_config config = example_config();
        config.tie_embedding = c->tied;
        config.tied_bias = c->tied_bias;
        config.embedding_size = c->embedding_size;
        config.head = c->head;
        config.pooler = c->pooler;
        config.dropout_output = c->dropout_output;
        if (i % 2 == 1) {
            CHECK_OK(status_of(&config));
        } else {
            message_check(status_of(&config), HL_INVALID, cases[i / 2].id);
        }
    }
}

/* A model of hidden states alone: the rows of another one before its output layer, and no logits. */
TEST(without_an_output_layer_there_are_hidden_states)
{
    hl_model_config config = example_config(), bare = config;
    bare.head = HL_HEAD_NONE;
    config.norm = bare.norm = HL_NORM_PRE;
    const hl_model *models[] = { example_model(&config), example_model(&bare) };
    ck_assert_int_eq(models[1]->parameters.n, models[0]->parameters.n - 2);
    ck_assert_ptr_null(hl_parameters_find(&models[1]->parameters, "output.weight"));
    hl_batch batch = example_batch(2, 5, config.vocabulary, NULL);
    hl_tape *tape = example_tape((hl_tape_options){ 0 });
    const hl_tensor *rows[2];
    for (int i = 0; i < 2; i++) {
        hl_tensor *x = hl_model_embed(tape, models[i], &batch);
        rows[i] = hl_encoder_end(tape, &models[i]->encoder, hl_model_layers(tape, models[i], &batch, 0, x, NULL));
        ck_assert_msg(rows[i] != NULL, "%s", hl_tape_status(tape).text);
    }
    ck_assert_mem_eq(rows[0]->data, rows[1]->data, (size_t)hl_shape_count(rows[0]->shape) * sizeof(hl_real));
    ck_assert_ptr_null(hl_model_logits(tape, models[1], &batch, NULL));
    message_check(hl_tape_status(tape), HL_INVALID, "model.no_logits");
    hl_tape_plan plan;
    message_check(hl_model_plan(models[1], &batch, (hl_tape_options){ 0 }, &plan), HL_INVALID, "model.no_logits");
}

/* The largest sizes do not overflow: the error names the impossible shape. */
TEST(sizes_whose_product_is_too_large_are_refused)
{
    hl_model_config config = example_config();
    config.d_model = 1 << 30;
    example_heads(&config, 0, 1 << 30, 1 << 30, 1 << 30, 1 << 30);
    message_check(status_of(&config), HL_INVALID, "model.too_large");
}

static const hl_positions_kind kinds[] = { HL_POSITIONS_SINUSOIDAL, HL_POSITIONS_LEARNED, HL_POSITIONS_ROTARY };

LOOP_TEST(a_sequence_longer_than_the_positions_is_refused, 0, ROWS(kinds))
{
    hl_model_config config = example_config();
    config.positions = kinds[_i];
    hl_model *model = example_model(&config);
    for (int64_t T = config.max_length; T <= config.max_length + 1; T++) {
        hl_batch batch = example_batch(2, T, config.vocabulary, NULL);
        hl_tape *tape = example_tape((hl_tape_options){ .gradients = true });
        hl_tensor *loss = hl_model_loss(tape, model, &batch, (hl_cross_entropy_args){ 0 }, NULL);
        hl_status status = hl_tape_status(tape);
        if (T <= config.max_length) {
            ck_assert_msg(loss != NULL && status.code == HL_OK, "%s", status.text);
        } else {
            ck_assert_ptr_null(loss);
            message_check(status, HL_INVALID, _i == 2 ? "model.too_many_rotary_positions" : "model.too_many_positions");
            ck_assert_int_eq(hl_tape_backward(tape, loss).code, HL_INVALID);
            hl_tape_plan plan;
            hl_batch largest = hl_batch_largest(2, T);
            ck_assert_int_eq(hl_model_plan(model, &largest, (hl_tape_options){ 0 }, &plan).code, HL_INVALID);
        }
    }
}

/* Models and passes whose memory is planned. */
static hl_model_config planned_config(int i)
{
    hl_model_config config = example_config();
    config.norm = i % 2 == 0 ? HL_NORM_POST : HL_NORM_PRE;
    config.positions = i % 2 == 0 ? HL_POSITIONS_SINUSOIDAL : HL_POSITIONS_LEARNED;
    config.tie_embedding = i % 2 == 1;
    if (i == 5) {
        config.head = HL_HEAD_TRANSFORM;
        config.embedding_size = 4;
        config.embedding_norm = true;
        config.position_offset = 2;
    }
    config.pooler = i == 4 ? HL_POOLER_TANH : HL_POOLER_NONE;
    if (i >= 2) {
        example_dropouts(&config);
        example_heads(&config, 0, 4, 2, 3, 2);
    }
    if (i == 4) {
        config.pooling = HL_POOLING_MEAN;
        config.targets = 3;
        config.token_types = 2;
    }
    config.max_length = 70;
    return config;
}

/* Runs a pass in an arena of `bytes`. */
static hl_status run_in(size_t bytes, const hl_model *model, const hl_batch *batch, hl_tape_options options,
                        size_t *peak)
{
    hl_arena arena;
    CHECK_OK(hl_arena_init(&arena, bytes));
    hl_tape tape;
    hl_tape_begin(&tape, &arena, options);
    hl_tensor *loss = hl_model_loss(&tape, model, batch, (hl_cross_entropy_args){ 0 }, NULL);
    hl_status status = options.gradients ? hl_tape_backward(&tape, loss) : hl_tape_status(&tape);
    *peak = arena.peak;
    hl_arena_free(&arena);
    return status;
}

/* The plan, made before the model has numbers, is exactly what the pass takes; with less it says so. */
LOOP_TEST(the_plan_is_what_the_pass_takes, 0, 6 * 4)
{
    hl_model_config config = planned_config(_i / 4);
    hl_tape_options options = { .threads = _i % 4 / 2 == 0 ? 1 : 3, .training = _i % 2 == 0, .gradients = _i % 2 == 0 };
    enum { B = 8, T = 70 };
    hl_batch batch = example_batch(B, T, config.vocabulary, NULL);
    if (config.pooling == HL_POOLING_MEAN) {
        example_targets(&batch, config.targets, true);
    }
    hl_model *model = example_made(&config);
    hl_tape_plan plan;
    options.memory.reuse = true;
    CHECK_OK(hl_model_plan(model, &batch, options, &plan));
    options.memory.plan = &plan;
    ck_assert_double_gt(plan.flops, 0);
    CHECK_OK(hl_model_allocate(model, 1));
    size_t peak;
    CHECK_OK(run_in(plan.bytes, model, &batch, options, &peak));
    ck_assert_uint_eq(peak, plan.bytes);
    ck_assert_int_eq(run_in(plan.bytes - 1, model, &batch, options, &peak).code, HL_NO_MEMORY);
    hl_tape_plan_free(&plan);
}

/* The projection of embeddings counts on all rows, what makes the answers on those with a target. */
TEST(the_plan_counts_what_is_before_and_behind_the_encoder)
{
    enum { B = 3, T = 4, D = 6, E = 4, V = 7, C = 5, M = B };
    hl_model_config plain = example_config(), narrow = plain, pooled = plain;
    plain.targets = narrow.targets = pooled.targets = C;
    narrow.embedding_size = E;
    narrow.head = HL_HEAD_TRANSFORM;
    pooled.pooler = HL_POOLER_GELU;
    const hl_model_config *const configs[] = { &plain, &narrow, &pooled };
    double flops[3];
    for (int i = 0; i < 3; i++) {
        hl_model *model = example_made(configs[i]);
        hl_batch batch = hl_batch_largest(B, T);
        batch.n_targets = M;
        hl_tape_plan plan;
        CHECK_OK(hl_model_plan(model, &batch, (hl_tape_options){ 0 }, &plan));
        flops[i] = plan.flops;
        hl_tape_plan_free(&plan);
    }
    ck_assert_double_eq(flops[1] - flops[0], 2 * (B * T * E * D + M * (D * E + E * C - D * C)));
    ck_assert_double_eq(flops[2] - flops[0], 2 * M * D * D);
}

/* 2 floating-point operations a multiply-add; backward takes twice what forward does. */
TEST(the_plan_counts_the_products)
{
    enum { B = 3, T = 4, D = 6, F = 5, V = 7, HEADS_WIDTH = 6 };
    hl_model_config config = example_config();
    hl_model *model = example_made(&config);
    hl_tape_plan forward, both;
    hl_batch batch = hl_batch_largest(B, T);
    CHECK_OK(hl_model_plan(model, &batch, (hl_tape_options){ 0 }, &forward));
    CHECK_OK(hl_model_plan(model, &batch, (hl_tape_options){ .gradients = true }, &both));
    double layer = B * T * (4 * D * D + 2 * D * F) + B * T * T * 2 * HEADS_WIDTH;
    ck_assert_double_eq(forward.flops, 2 * (2 * layer + B * T * D * V));
    ck_assert_double_eq(both.flops, 3 * forward.flops);
    hl_tape_plan_free(&forward);
    hl_tape_plan_free(&both);
}

/* From nothing to a planned model with numbers. */
static hl_status build(hl_model *model, const hl_model_config *config)
{
    hl_tape_plan plan;
    hl_batch batch = hl_batch_largest(2, 3);
    HL_TRY(hl_model_init(model, config));
    HL_TRY(hl_model_plan(model, &batch, (hl_tape_options){ .gradients = true }, &plan));
    hl_tape_plan_free(&plan);
    return hl_model_allocate(model, 1);
}

LOOP_TEST(every_allocation_may_fail, 0, 6)
{
    hl_model_config config = planned_config(_i);
    hl_model model;
    faults_begin();
    for (faults_kind kind = FAULTS_ONCE; kind <= FAULTS_FOR_EVER; kind++) {
        int n = 0;
        while (fault_checks_next(&n, kind)) {
            fault_checks_turn(build(&model, &config));
            hl_model_free(&model);
        }
        ck_assert_int_gt(n, 1 + 2 * 15); /* name and tensor of each parameter */
    }
    faults_end();
}

SUITE("model")
