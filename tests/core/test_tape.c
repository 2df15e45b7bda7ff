#include "core/base/memory.h"
#include "core/base/threads.h"
#include "core/finite_watch.h"
#include "core/ops/activations.h"
#include "core/ops/add.h"
#include "core/ops/attention.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/dropout.h"
#include "core/ops/embedding.h"
#include "core/ops/gather_rows.h"
#include "core/ops/layer_norm.h"
#include "core/ops/linear.h"
#include "core/ops/matmul.h"
#include "core/ops/mean_rows.h"
#include "core/ops/multiply.h"
#include "core/ops/scale.h"
#include "core/ops/slice.h"
#include "core/ops/softmax.h"
#include "core/ops/sum.h"
#include "core/parameters.h"
#include "core/private/forgotten_grads.h"
#include "core/tape.h"
#include "tests/check_suite.h"
#include "tests/messages.h"

#include <math.h>
#include <string.h>

static hl_arena arena;
static hl_tape tape;

static void begin(hl_tape_options options)
{
    hl_threads_setup();
    CHECK_OK(hl_arena_init(&arena, (size_t)1 << 16));
    hl_tape_begin(&tape, &arena, options);
}

static hl_tensor *tensor(hl_shape shape)
{
    static const hl_real zeros[64];
    return hl_tape_tensor(&tape, shape, zeros, true);
}

static void end(void)
{
    hl_arena_free(&arena);
}

/* The tape's error is this message; forgets it, for the next one. */
static void fails_with(const hl_tensor *result, const char *id)
{
    ck_assert_ptr_null(result);
    message_check(hl_tape_status(&tape), HL_INVALID, id);
    tape.error = hl_ok();
}

TEST(errors_name_op_scope_and_shapes)
{
    begin((hl_tape_options){ .threads = 1, .gradients = true });
    hl_tensor *x = tensor(HL_SHAPE(2, 3)), *W = tensor(HL_SHAPE(4, 5)), *v = tensor(HL_SHAPE(3));
    hl_tensor *x3 = tensor(HL_SHAPE(2, 3, 4));
    hl_tape_scope(&tape, "encoder.layers.0.linear1");
    fails_with(hl_linear(&tape, x, W, NULL), "tape.linear_x_i_does_not");
    hl_tape_scope(&tape, NULL);
    fails_with(hl_linear(&tape, tensor(HL_SHAPE(2, 5)), W, v), "tape.linear_w_o_i_does");
    fails_with(hl_add(&tape, x, W), "tape.add_second_s_shape_no");
    fails_with(hl_add(&tape, v, x), "tape.add_second_s_shape_no_trailing");
    fails_with(hl_multiply(&tape, x, v), "tape.multiply_shapes_differ_2_3");
    fails_with(hl_matmul(&tape, x, W, false, true), "tape.matmul_factors_do_not_fit");
    fails_with(hl_matmul(&tape, v, v, false, false), "tape.matmul_factors_do_not_fit_3");
    fails_with(hl_matmul(&tape, x3, tensor(HL_SHAPE(3, 4, 2)), false, false), "tape.matmul_factors_do_not_fit_2");
    fails_with(hl_layer_norm(&tape, W, v, NULL, 1e-5f), "tape.layer_norm_x_d_does_not");
    fails_with(hl_layer_norm(&tape, x, v, tensor(HL_SHAPE(2)), 1e-5f), "tape.layer_norm_x_d_does_not_fit");
    fails_with(hl_slice(&tape, x, 2, 2), "tape.slice_2_columns_from_2");
    fails_with(hl_slice(&tape, x, -1, 2), "tape.slice_2_columns_from_minus_1");
    fails_with(hl_slice(&tape, x, INT64_MAX, 2), "tape.slice_2_columns_from_9223372036854775807");
    fails_with(hl_softmax(&tape, tensor((hl_shape){ 0 }), (hl_mask){ 0 }, 0),
               "tape.softmax_there_nothing_normalise_in");
    fails_with(hl_softmax(&tape, x, (hl_mask){ .bias = x }, 0), "tape.softmax_bias_belongs_b_tq");
    fails_with(hl_softmax(&tape, x3, (hl_mask){ .bias = tensor(HL_SHAPE(2, 5, 3, 4)) }, 5),
               "tape.softmax_bias_has_no_head");
}

TEST(errors_name_the_number_that_is_wrong)
{
    begin((hl_tape_options){ .threads = 1, .gradients = true, .training = true });
    hl_tensor *x = tensor(HL_SHAPE(2, 3)), *W = tensor(HL_SHAPE(4, 5));
    int32_t high[2] = { 3, 4 }, low[2] = { -1, -2 }, zeros[2] = { 0, 0 };
    hl_embedding_args e = { .W = W, .scale = 1, .ids = high, .n = 2 };
    fails_with(hl_embedding(&tape, e), "tape.embedding_id_4_at_place");
    e.ids = low;
    fails_with(hl_embedding(&tape, e), "tape.embedding_id_minus_1_at_place");
    e.ids = NULL;
    fails_with(hl_embedding(&tape, e), "tape.embedding_no_ids_given");
    e = (hl_embedding_args){ .W = W, .scale = 1, .ids = zeros, .P = W, .positions = high, .n = 2 };
    fails_with(hl_embedding(&tape, e), "tape.embedding_position_4_at_place");
    e.longest = 5;
    fails_with(hl_embedding(&tape, e), "tape.embedding_5_positions_which_there");
    e.longest = 0;
    e.P = NULL;
    e.S = W;
    e.types = low;
    fails_with(hl_embedding(&tape, e), "tape.embedding_type_minus_1_at_place");
    e.S = x;
    fails_with(hl_embedding(&tape, e), "tape.embedding_w_v_d_does");
    e.P = x;
    fails_with(hl_embedding(&tape, e), "tape.embedding_w_v_d_does_not");
    e.n = 0;
    fails_with(hl_embedding(&tape, e), "tape.embedding_0_ids_vectors_in");
    fails_with(hl_gather_rows(&tape, W, high, 0, HL_SHAPE(2)), "tape.gather_rows_row_4_at_place");
    fails_with(hl_gather_rows(&tape, W, high, 4, HL_SHAPE(2)), "tape.gather_rows_row_minus_1_at_place");
    fails_with(hl_gather_rows(&tape, W, NULL, 0, HL_SHAPE(2)), "tape.gather_rows_no_rows_given");
    fails_with(hl_gather_rows(&tape, W, zeros, 0, HL_SHAPE(0)), "tape.gather_rows_rows_x_d_do");
    const int32_t offsets[3] = { 0, 1, 3 };
    fails_with(hl_mean_rows(&tape, W, (hl_sequences){ 2, 2, offsets }, zeros, 2, false),
               "tape.mean_rows_sequences_have_3_rows");
    fails_with(hl_mean_rows(&tape, W, (hl_sequences){ 2, 1, offsets }, zeros, 2, false),
               "tape.mean_rows_length_2_sequence_1");
    fails_with(hl_mean_rows(&tape, W, (hl_sequences){ 2, 2, NULL }, zeros, 2, false),
               "tape.mean_rows_sequences_have_no_offsets");
    fails_with(hl_mean_rows(&tape, W, (hl_sequences){ 0, 2, offsets }, zeros, 2, false),
               "tape.mean_rows_0_sequences_up_2");
    const hl_sequences fitting = { 2, 3, (int32_t[]){ 0, 1, 4 } };
    fails_with(hl_mean_rows(&tape, W, fitting, high, 2, false), "tape.mean_rows_row_4_at_place");
    fails_with(hl_mean_rows(&tape, W, fitting, (int32_t[]){ 1, 0 }, 2, false), "tape.mean_rows_row_0_at_place");
    fails_with(hl_mean_rows(&tape, W, fitting, NULL, 2, false), "tape.mean_rows_no_rows_given");
    fails_with(hl_mean_rows(&tape, W, fitting, zeros, 0, false), "tape.mean_rows_0_rows_x_n");
    fails_with(hl_cross_entropy(&tape, x, (hl_cross_entropy_args){ .targets = high }),
               "tape.cross_entropy_target_3_at_place");
    fails_with(hl_cross_entropy(&tape, x, (hl_cross_entropy_args){ .targets = low }),
               "tape.cross_entropy_target_minus_2_at_place");
    fails_with(hl_cross_entropy(&tape, x, (hl_cross_entropy_args){ .targets = low, .smoothing = 1 }),
               "tape.cross_entropy_label_smoothing_1_not");
    fails_with(hl_cross_entropy(&tape, x, (hl_cross_entropy_args){ .targets = low, .smoothing = NAN }),
               "tape.cross_entropy_label_smoothing_nan_not");
    fails_with(hl_dropout(&tape, x, 1, 1), "tape.dropout_probability_1_not_in");
    fails_with(hl_dropout(&tape, x, NAN, 1), "tape.dropout_probability_nan_not_in");
}

static const int32_t of_two_threes[3] = { 0, 3, 6 };

/* Two sequences of three rows. */
static hl_attention_args attention_of(hl_tensor *q, hl_tensor *k, hl_tensor *v, int64_t H, int64_t Hkv)
{
    const hl_sequences sequences = { .n = 2, .longest = 3, .offsets = of_two_threes };
    return (hl_attention_args){
        .q.x = q,
        .k.x = k,
        .v.x = v,
        .queries = sequences,
        .keys = sequences,
        .n_heads = H,
        .n_kv_heads = Hkv,
        .d_k = 2,
        .d_v = 2,
    };
}

TEST(attention_says_what_does_not_fit)
{
    begin((hl_tape_options){ .threads = 1, .gradients = true });
    hl_tensor *x = tensor(HL_SHAPE(6, 4)), *shorter = tensor(HL_SHAPE(4, 4));
    hl_attention_args good = attention_of(x, x, x, 2, 2), args = good;
    fails_with(hl_attention(&tape, attention_of(x, x, x, 3, 2)), "tape.attention_3_heads_widths_2");
    fails_with(hl_attention(&tape, attention_of(x, x, x, 4, 2)), "tape.attention_q_8_columns_from");
    args.k.first = 1;
    fails_with(hl_attention(&tape, args), "tape.attention_k_4_columns_from");
    fails_with(hl_attention(&tape, attention_of(x, x, shorter, 2, 2)), "tape.attention_k_v_have_different");
    fails_with(hl_attention(&tape, attention_of(x, shorter, shorter, 2, 2)), "tape.attention_sequences_have_6_rows");
    args = good;
    args.keys.n = 1;
    args.keys.longest = 6;
    args.keys.offsets = (const int32_t[]){ 0, 6 };
    fails_with(hl_attention(&tape, args), "tape.attention_2_sequences_queries_1");
    args = good;
    args.queries.offsets = (const int32_t[]){ 0, 0, 6 };
    fails_with(hl_attention(&tape, args), "tape.attention_length_0_sequence_0");
    args = good;
    args.gate = tensor(HL_SHAPE(2, 3));
    fails_with(hl_attention(&tape, args), "tape.attention_gate_not_b_h");
    args.gate = tensor(HL_SHAPE(1, 2));
    fails_with(hl_attention(&tape, args), "tape.attention_gate_not_b_h_1");
    args = good;
    args.dropout = -0.5f;
    fails_with(hl_attention(&tape, args), "tape.attention_dropout_minus_0_5_not");
    args = good;
    args.mask.bias = tensor(HL_SHAPE(2, 1, 3, 2));
    fails_with(hl_attention(&tape, args), "tape.attention_bias_2_1_3");
    ck_assert_ptr_nonnull(hl_attention(&tape, good));
}

TEST(dropout_of_other_rows_than_the_tape_has_places_for_is_refused)
{
    const int64_t places[2] = { 0, 1 };
    begin((hl_tape_options){ .threads = 1, .training = true, .places = places, .n_places = 2 });
    hl_tensor *x = tensor(HL_SHAPE(6, 4));
    fails_with(hl_dropout(&tape, x, 0.5f, 1), "tape.dropout_dropout_6_rows_on");
    hl_attention_args args = attention_of(x, x, x, 2, 2);
    args.dropout = 0.5f;
    fails_with(hl_attention(&tape, args), "tape.attention_dropout_6_rows_on");
    hl_linear_args linear = { .x = x, .W = tensor(HL_SHAPE(4, 4)), .dropout = 0.5f };
    fails_with(hl_linear_fused(&tape, linear), "tape.linear_dropout_6_rows_on");
}

TEST(the_first_error_stays_and_null_gives_null)
{
    begin((hl_tape_options){ .threads = 1, .gradients = true });
    hl_tensor *x = tensor(HL_SHAPE(2, 3));
    fails_with(hl_add(&tape, x, NULL), "tape.add_input_1_missing");
    fails_with(hl_gelu(&tape, NULL), "tape.gelu_input_0_missing");
    ck_assert_ptr_null(hl_multiply(&tape, x, tensor(HL_SHAPE(3, 2))));
    ck_assert_ptr_null(hl_mean(&tape, hl_gelu(&tape, NULL)));
    ck_assert_ptr_null(hl_gelu(&tape, x));
    ck_assert_int_eq(tape.n_nodes, 0);
    message_check(hl_tape_backward(&tape, NULL), HL_INVALID, "tape.multiply_shapes_differ_3_2");
}

TEST(empty_tensors_are_refused)
{
    begin((hl_tape_options){ .threads = 1, .gradients = true, .training = true });
    hl_tensor *empty = tensor(HL_SHAPE(2, 0));
    fails_with(hl_add(&tape, empty, tensor(HL_SHAPE(0))), "tape.add_input_0_empty_or");
    fails_with(hl_dropout(&tape, tensor(HL_SHAPE(0, 2)), 0.5f, 1), "tape.dropout_input_0_empty_or");
    fails_with(hl_mean(&tape, empty), "tape.sum_input_0_empty_or");
    fails_with(hl_gelu(&tape, tensor(HL_SHAPE(-1, 2))), "tape.gelu_input_0_empty_or");
}

TEST(scopes_nest)
{
    begin((hl_tape_options){ 0 });
    ck_assert_ptr_null(hl_tape_scope(&tape, "outer"));
    ck_assert_str_eq(hl_tape_scope(&tape, "inner"), "outer");
    ck_assert_str_eq(hl_tape_scope(&tape, "outer"), "inner");
    ck_assert_int_eq(tape.options.threads, 1);
}

TEST(backward_starts_at_a_scalar_made_from_something)
{
    begin((hl_tape_options){ .threads = 1, .gradients = true });
    hl_tensor *y = hl_gelu(&tape, tensor(HL_SHAPE(2, 3)));
    message_check(hl_tape_backward(&tape, y), HL_INVALID, "tape.backward_no_scalar");
    static const hl_real numbers[6] = { 1 };
    hl_tensor *loss = hl_sum(&tape, hl_tape_tensor(&tape, HL_SHAPE(2, 3), numbers, false));
    ck_assert(!loss->requires_grad);
    message_check(hl_tape_backward(&tape, loss), HL_INVALID, "tape.backward_from_nothing");
}

TEST(a_tape_without_gradients_or_training_costs_nothing_for_them)
{
    begin((hl_tape_options){ .threads = 1 });
    hl_tensor *x = tensor(HL_SHAPE(2, 3));
    ck_assert(!hl_gelu(&tape, x)->requires_grad);
    int64_t before = tape.n_nodes;
    ck_assert_ptr_eq(hl_dropout(&tape, x, 0.5f, 1), x);
    ck_assert_int_eq(tape.n_nodes, before);
}

/* loss = mean(x W^T * 3) over parameter W (2, 3) */
/* Also where memory is reused, and an op with another input would compute its gradient in place of dy. */
TEST(a_tensor_added_to_itself_gets_both_gradients)
{
    const hl_real numbers[3] = { 1, 2, 3 };
    hl_tape_plan plan = { 0 };
    for (int pass = 0; pass < 2; pass++) {
        bool dry = pass == 0;
        begin((hl_tape_options){
            .threads = 1, .gradients = true, .memory = { .dry = dry, .reuse = dry, .plan = dry ? NULL : &plan } });
        hl_tensor *x = hl_tape_tensor(&tape, HL_SHAPE(3), numbers, true);
        CHECK_OK(hl_tape_backward(&tape, hl_sum(&tape, hl_add(&tape, x, x))));
        for (int i = 0; !dry && i < 3; i++) {
            ck_assert(x->grad[i] == 2);
        }
        if (dry) {
            CHECK_OK(hl_tape_plan_make(&tape, &plan));
        }
        hl_arena_free(&arena);
    }
    hl_tape_plan_free(&plan);
}

static hl_status pass(hl_parameters *parameters, const hl_real *x)
{
    hl_arena_rewind(&arena, 0);
    hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = 1, .gradients = true });
    hl_tensor *y = hl_linear(&tape, hl_tape_tensor(&tape, HL_SHAPE(2, 3), x, false), parameters->list[0].tensor, NULL);
    return hl_tape_backward(&tape, hl_mean(&tape, hl_scale(&tape, y, 3)));
}

TEST(parameters_accumulate_over_tapes_until_they_are_zeroed)
{
    static const hl_real x[6] = { 1, 2, 3, 4, 5, 6 };
    begin((hl_tape_options){ 0 });
    hl_parameters parameters = { 0 };
    hl_parameters_add(&parameters, (hl_parameter_spec){ .name = "W", .shape = HL_SHAPE(2, 3), .init = HL_INIT_ONE });
    CHECK_OK(hl_parameters_allocate(&parameters));
    const hl_real *dW = parameters.list[0].tensor->grad;
    for (int n = 1; n <= 3; n++) {
        CHECK_OK(pass(&parameters, x));
        for (int i = 0; i < 6; i++) { /* d mean / dW[o][i] = 3/4 * (x[0][i] + x[1][i]) */
            ck_assert_float_eq(dW[i], (float)n * 0.75f * (x[i % 3] + x[3 + i % 3]));
        }
    }
    hl_parameters_zero_grad(&parameters);
    CHECK_OK(pass(&parameters, x));
    ck_assert_float_eq(dW[0], 3.75f);
    ck_assert_ptr_eq(parameters.list[0].tensor->grad, dW);
    hl_parameters_free(&parameters);
}

TEST(rows_of_a_parameter_share_its_numbers_and_gradient)
{
    begin((hl_tape_options){ .threads = 1, .gradients = true });
    hl_parameters parameters = { 0 };
    hl_tensor *W = hl_parameters_add(&parameters, (hl_parameter_spec){ .name = "W", .shape = HL_SHAPE(3, 2) });
    CHECK_OK(hl_parameters_allocate(&parameters));
    for (int i = 0; i < 6; i++) {
        W->data[i] = (hl_real)i;
    }
    hl_tensor *rows = hl_tape_parameter_rows(&tape, W, 1, 2);
    hl_tensor *y = hl_add(&tape, hl_sum(&tape, rows), hl_sum(&tape, hl_tape_parameter_rows(&tape, W, 2, 1)));
    ck_assert_float_eq(*y->data, 2 + 3 + 4 + 5 + 4 + 5);
    CHECK_OK(hl_tape_backward(&tape, y));
    static const hl_real expected[6] = { 0, 0, 1, 1, 2, 2 };
    ck_assert_mem_eq(W->grad, expected, sizeof expected);
    ck_assert_ptr_null(hl_tape_parameter_rows(&tape, NULL, 0, 1));
    CHECK_OK(hl_tape_status(&tape));
    hl_parameters_free(&parameters);
}

/* A loss of parameters that are read by one op, by two, twice by one op, in rows, by rows that overlap, and by none. */
static hl_tensor *loss_of(hl_tape *t, hl_tensor *const p[6])
{
    hl_tensor *y = hl_add(t, hl_sum(t, p[0]), hl_sum(t, hl_multiply(t, p[1], p[2])));
    y = hl_add(t, y, hl_sum(t, hl_multiply(t, p[1], p[1])));
    y = hl_add(t, y, hl_sum(t, hl_tape_parameter_rows(t, p[3], 1, 1)));
    y = hl_add(t, y, hl_sum(t, hl_tape_parameter_rows(t, p[4], 0, 2)));
    return hl_add(t, y, hl_sum(t, hl_tape_parameter_rows(t, p[4], 1, 1)));
}

/* Backward overwrites gradients that were forgotten, once, and those that it does not reach are zero in the end. */
TEST(forgotten_gradients_are_those_of_zeroed_ones)
{
    enum { N = 6, COUNT = 6 };
    static const char *const names[N] = { "once", "twice", "other", "row", "rows", "none" };
    begin((hl_tape_options){ 0 });
    hl_parameters parameters = { 0 };
    hl_tensor *p[N];
    for (int i = 0; i < N; i++) {
        p[i] = hl_parameters_add(
            &parameters,
            (hl_parameter_spec){ .name = names[i], .shape = HL_SHAPE(2, 3), .init = HL_INIT_NORMAL, .scale = 1 });
    }
    CHECK_OK(hl_parameters_allocate(&parameters));
    hl_parameters_initialise(&parameters, 1);
    hl_real zeroed[N][COUNT];
    for (int forgets = 0; forgets < 3; forgets++) { /* or is told to before forward, or between it and backward */
        hl_parameters_zero_grad(&parameters);
        for (int64_t i = 0; i < parameters.count && forgets > 0; i++) {
            parameters.grads[i] = NAN;
        }
        if (forgets == 1) {
            hl_forgotten_grads_begin(&parameters);
            hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = 1, .gradients = true });
            ck_assert_int_eq(hl_tape_backward_from(&tape, p[0], p[0]->data).code, HL_INVALID);
            hl_tape_begin(&tape, &arena,
                          (hl_tape_options){ .threads = 1, .gradients = true, .memory = { .dry = true } });
            CHECK_OK(hl_tape_backward(&tape, loss_of(&tape, p))); /* it writes nothing */
            hl_arena_rewind(&arena, 0);
        }
        for (int pass = 0; pass < 2; pass++) { /* the second one adds */
            hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = 1, .gradients = true });
            hl_tensor *loss = loss_of(&tape, p);
            if (forgets == 2 && pass == 0) {
                hl_forgotten_grads_begin(&parameters);
            }
            CHECK_OK(hl_tape_backward(&tape, loss));
            hl_arena_rewind(&arena, 0);
        }
        hl_forgotten_grads_end(&parameters);
        for (int i = 0; i < N; i++) {
            ck_assert(p[i]->grad_written);
            if (forgets > 0) {
                ck_assert_mem_eq(p[i]->grad, zeroed[i], sizeof zeroed[i]);
            } else {
                memcpy(zeroed[i], p[i]->grad, sizeof zeroed[i]);
            }
        }
    }
    ck_assert_float_eq(zeroed[0][0], 2);
    ck_assert_float_eq(zeroed[4][5], 4);
    ck_assert_float_eq(zeroed[5][0], 0);
    hl_parameters_free(&parameters);
}

/* Two linear maps, so that each would have memory of its own in what is kept. */
TEST(zeroed_options_observe_and_keep_nothing)
{
    begin((hl_tape_options){ .gradients = true,
                             .observer = &(hl_tape_observer){ 0 },
                             .memory = { .kept = &(hl_tape_kept){ .made = true } } });
    const hl_real ones[6] = { 1, 1, 1, 1, 1, 1 };
    hl_tensor *W = hl_tape_tensor(&tape, HL_SHAPE(2, 2), ones, true);
    hl_tensor *y = hl_linear(&tape, hl_tape_tensor(&tape, HL_SHAPE(3, 2), ones, false), W, NULL);
    hl_tensor *z = hl_linear(&tape, y, W, NULL);
    CHECK_OK(hl_tape_backward(&tape, hl_sum(&tape, z)));
    for (int i = 0; i < 6; i++) {
        ck_assert(z->data[i] == 4);
    }
    ck_assert(W->grad[0] == 12); /* 6 from each map */
}

/* What is told of a loss of infinity. */
static void told(const char *expected)
{
    hl_status status = hl_tape_not_finite(&tape, "the loss", INFINITY);
    ck_assert_int_eq(status.code, HL_NOT_FINITE);
    ck_assert_str_eq(status.text, expected);
}

TEST(the_first_op_that_is_not_finite_is_named)
{
    static const hl_real good[3] = { 1, 2, 3 }, bad[3] = { 1, 3e38f, 2 }, none[1] = { NAN };
    begin((hl_tape_options){ .threads = 1, .gradients = true });
    hl_tensor *y = hl_scale(&tape, hl_tape_tensor(&tape, HL_SHAPE(3), good, true), 2);
    hl_tensor *z = hl_tape_tensor(&tape, HL_SHAPE(3), bad, true);
    hl_tape_scope(&tape, "encoder.layers.1");
    z = hl_add(&tape, z, y);
    told("the loss is inf");
    z = hl_scale(&tape, z, 2);
    hl_tape_scope(&tape, NULL);
    hl_sum(&tape, z);
    told("the loss is inf; the first tensor that is not finite is the output of scale in encoder.layers.1");
    hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = 1 });
    hl_gelu(&tape, hl_tape_tensor(&tape, HL_SHAPE(1), none, true)); /* not a number is not finite either */
    told("the loss is inf; the first tensor that is not finite is the output of gelu");
}

TEST(a_dry_tape_counts_the_products)
{
    begin((hl_tape_options){ .threads = 1, .gradients = true, .memory = { .dry = true } });
    hl_tensor *x = hl_tape_tensor(&tape, HL_SHAPE(35, 3), NULL, false);
    hl_tensor *y = hl_linear(&tape, x, hl_tape_tensor(&tape, HL_SHAPE(4, 3), NULL, true), NULL);
    ck_assert_double_eq(tape.flops, 2.0 * 35 * 3 * 4);
    ck_assert(hl_shape_equal(y->shape, HL_SHAPE(35, 4)));
    hl_attention_args args = attention_of(y, y, y, 2, 2);
    args.queries = args.keys = (hl_sequences){ .n = 5, .longest = 7 };
    hl_tensor *z = hl_attention(&tape, args);
    ck_assert_double_eq(tape.flops, 2.0 * 35 * 3 * 4 + 2.0 * 5 * 2 * 7 * 7 * 4);
    CHECK_OK(hl_tape_backward(&tape, hl_sum(&tape, z)));
    ck_assert_double_eq(tape.flops, 3 * (2.0 * 35 * 3 * 4 + 2.0 * 5 * 2 * 7 * 7 * 4));
}

TEST(sizes_beyond_all_memory_are_an_error)
{
    begin((hl_tape_options){ .threads = 1, .gradients = true, .memory = { .dry = true } });
    int64_t most = INT32_MAX; /* of rows and columns: BLAS counts them in int */
    hl_tensor *x = hl_tape_tensor(&tape, HL_SHAPE(most, most), NULL, true);
    ck_assert_ptr_null(hl_gelu(&tape, x));
    message_check(hl_tape_status(&tape), HL_NO_MEMORY, "tape.beyond_addresses");
    tape.error = hl_ok();
    x = hl_tape_tensor(&tape, HL_SHAPE(most + 1, 1), NULL, true);
    fails_with(hl_gelu(&tape, x), "tape.gelu_beyond_int");
    ck_assert_ptr_null(hl_linear(&tape, hl_tape_tensor(&tape, HL_SHAPE(2, most / 2, most), NULL, true),
                                 hl_tape_tensor(&tape, HL_SHAPE(most, most), NULL, true), NULL));
    ck_assert_int_eq(hl_tape_status(&tape).code, HL_NO_MEMORY);
}

SUITE("tape", .after = end)
