/* The gradients of every module, of its input and of its parameters. */
#include "core/base/memory.h"
#include "layers/embedding.h"
#include "layers/encoder_layer.h"
#include "layers/positions.h"
#include "tests/check_suite.h"
#include "tests/gradient_check.h"
#include "tests/layers/examples.h"

#include <math.h>

enum { B = 2, T = 3, D = 4 };

static hl_real x_values[B * T * D];

static void fill_x(void)
{
    for (int64_t i = 0; i < B * T * D; i++) {
        x_values[i] = example_number(5, i);
    }
}

/* Checks a module of one input x (B T, D) and frees its parameters. */
static void check_module(const char *name, hl_tensor *(*build)(hl_tape *, hl_tensor *const *, void *), void *layer,
                         hl_parameters *parameters, hl_tape_options options)
{
    fill_x();
    gradient_input x = { .name = "x", .shape = HL_SHAPE(B * T, D), .values = x_values };
    if (parameters->n > 0 && parameters->values == NULL) {
        example_fill(parameters);
    }
    gradient_check_assert(name, &(gradient_check){ .build = build,
                                                   .context = layer,
                                                   .inputs = &x,
                                                   .n_inputs = 1,
                                                   .parameters = parameters->n > 0 ? parameters : NULL,
                                                   .options = options });
    hl_parameters_free(parameters);
}

static hl_tensor *build_linear(hl_tape *tape, hl_tensor *const *in, void *layer)
{
    return hl_linear_layer_forward(tape, layer, in[0]);
}

LOOP_TEST(linear, 0, 2)
{
    hl_parameters parameters = { 0 };
    hl_linear_layer layer = hl_linear_layer_make(&parameters, hl_name_of("l"), D, 5, _i == 1);
    check_module(_i == 1 ? "linear" : "linear without bias", build_linear, &layer, &parameters, (hl_tape_options){ 0 });
}

static hl_tensor *build_norm(hl_tape *tape, hl_tensor *const *in, void *layer)
{
    return hl_norm_layer_forward(tape, layer, in[0]);
}

LOOP_TEST(norm, 0, 3)
{
    hl_parameters parameters = { 0 };
    hl_norm_config config = { .kind = _i == 2 ? HL_NORM_RMS : HL_NORM_LAYER, .bias = _i >= 1 };
    hl_norm_layer layer = hl_norm_layer_make(&parameters, hl_name_of("n"), D, config);
    ck_assert((layer.bias != NULL) == (_i == 1));
    check_module(_i == 2   ? "RMS norm"
                 : _i == 1 ? "norm"
                           : "norm without bias",
                 build_norm, &layer, &parameters, (hl_tape_options){ 0 });
}

static hl_tensor *build_dropout(hl_tape *tape, hl_tensor *const *in, void *layer)
{
    return hl_dropout_layer_forward(tape, layer, in[0]);
}

TEST(dropout)
{
    hl_parameters none = { 0 };
    hl_dropout_layer layer = hl_dropout_layer_make(hl_name_of("d"), 0.5);
    check_module("dropout", build_dropout, &layer, &none, (hl_tape_options){ .training = true, .seed = 3 });
}

static const int32_t tokens[B * T] = { 2, 0, 2, 4, 2, 0 }, positions[B * T] = { 0, 1, 2, 0, 1, 2 };
static const hl_batch batch = { .n_rows = B * T, .longest = T, .tokens = tokens, .positions = positions };

typedef struct embedding_call {
    hl_embedding_layer embedding;
    hl_positions_layer positions;
} embedding_call;

static hl_tensor *build_embedding(hl_tape *tape, hl_tensor *const *in, void *context)
{
    (void)in;
    const embedding_call *call = context;
    return hl_embedding_layer_forward(tape, &call->embedding, &call->positions, &batch);
}

/* One position more than there are tokens: its gradient is zero. */
LOOP_TEST(embedding, 0, 3)
{
    static const hl_positions_kind kinds[] = { HL_POSITIONS_LEARNED, HL_POSITIONS_SINUSOIDAL, HL_POSITIONS_NONE };
    static const char *const names[] = { "learned positions", "sinusoidal positions", "no positions" };
    hl_parameters parameters = { 0 };
    embedding_call call = { .embedding = hl_embedding_layer_make(&parameters, hl_name_of("e"), 5, D) };
    call.positions = hl_positions_layer_make(&parameters, hl_name_of("p"), kinds[_i], T + 1, 0, D);
    CHECK_OK(hl_positions_layer_allocate(&call.positions));
    example_fill(&parameters);
    gradient_check_assert(names[_i],
                          &(gradient_check){ .build = build_embedding, .context = &call, .parameters = &parameters });
    hl_positions_layer_free(&call.positions);
    hl_parameters_free(&parameters);
}

static hl_tensor *build_feed_forward(hl_tape *tape, hl_tensor *const *in, void *layer)
{
    return hl_feed_forward_forward(tape, layer, in[0], (hl_linear_after){ 0 });
}

/* ReLU has its kink where linear1's output is 0: the numbers must stay away from it, on both sides. */
static void assert_no_kink_is_near(const hl_feed_forward *layer)
{
    fill_x();
    hl_tape *tape = example_tape((hl_tape_options){ 0 });
    hl_tensor *x = hl_tape_tensor(tape, HL_SHAPE(B * T, D), x_values, false);
    hl_tensor *h = hl_linear_layer_forward(tape, &layer->linear1, x);
    ck_assert_ptr_nonnull(h);
    int64_t positive = 0, n = hl_shape_count(h->shape);
    for (int64_t i = 0; i < n; i++) {
        ck_assert_double_ge(fabs((double)h->data[i]), 5 * GRADIENT_CHECK_STEP);
        positive += h->data[i] > 0;
    }
    ck_assert_int_gt(positive, 0);
    ck_assert_int_lt(positive, n);
}

#define NAME(constant, name) [constant] = "feed-forward, " #name,
static const char *const feed_forwards[] = { HL_ACTIVATIONS(NAME) };

LOOP_TEST(feed_forward, 0, 8 * ROWS(feed_forwards))
{
    hl_activation activation = (hl_activation)(_i % ROWS(feed_forwards));
    size_t variant = (size_t)_i / ROWS(feed_forwards);
    hl_feed_forward_config config = { .d_ff = 5,
                                      .activation = activation,
                                      .bias = variant % 2 == 0,
                                      .kind = variant >= 4 ? HL_FEED_FORWARD_GATED : HL_FEED_FORWARD_USUAL,
                                      .dropout = variant / 2 % 2 == 1 ? (hl_real)0.25 : 0 };
    hl_parameters parameters = { 0 };
    hl_feed_forward layer = hl_feed_forward_make(&parameters, hl_name_of("f"), D, &config);
    example_fill(&parameters);
    if (activation == HL_RELU) {
        assert_no_kink_is_near(&layer);
    }
    check_module(feed_forwards[activation], build_feed_forward, &layer, &parameters,
                 (hl_tape_options){ .training = true, .seed = 6 });
}

/* W x + b for a row x of `in` numbers. */
static double row_of_linear(const hl_linear_layer *layer, const double *x, int64_t in, int64_t row)
{
    double sum = (double)layer->bias->data[row];
    for (int64_t i = 0; i < in; i++) {
        sum += (double)layer->weight->data[row * in + i] * x[i];
    }
    return sum;
}

LOOP_TEST(a_gated_feed_forward_network_multiplies_its_activation, 0, 2)
{
    enum { F = 5 };
    hl_parameters parameters = { 0 };
    hl_feed_forward layer = hl_feed_forward_make(
        &parameters, hl_name_of("f"), D,
        &(hl_feed_forward_config){
            .kind = HL_FEED_FORWARD_GATED, .d_ff = F, .activation = _i == 0 ? HL_SILU : HL_RELU, .bias = true });
    example_fill(&parameters);
    fill_x();
    hl_tape *tape = example_tape((hl_tape_options){ 0 });
    hl_tensor *x = hl_tape_tensor(tape, HL_SHAPE(B * T, D), x_values, false);
    hl_tensor *y = hl_feed_forward_forward(tape, &layer, x, (hl_linear_after){ 0 });
    ck_assert_ptr_nonnull(y);
    for (int64_t n = 0; n < B * T; n++) {
        double in[D], inner[F];
        for (int64_t d = 0; d < D; d++) {
            in[d] = (double)x->data[n * D + d];
        }
        for (int64_t f = 0; f < F; f++) {
            double a = row_of_linear(&layer.linear1, in, D, f);
            double active = _i == 0 ? a / (1 + exp(-a)) : fmax(a, 0);
            inner[f] = active * row_of_linear(&layer.linear3, in, D, f);
        }
        for (int64_t d = 0; d < D; d++) {
            ck_assert_double_eq_tol((double)y->data[n * D + d], row_of_linear(&layer.linear2, inner, F, d), 1e-10);
        }
    }
    hl_parameters_free(&parameters);
}

typedef struct layer_call {
    hl_encoder_layer layer;
    hl_attention_rules rules;
} layer_call;

static hl_tensor *build_encoder_layer(hl_tape *tape, hl_tensor *const *in, void *context)
{
    const layer_call *call = context;
    return hl_encoder_layer_forward(tape, &call->layer, in[0], &call->rules, NULL);
}

/* From 8 on: a layer without norm1; one with a window; one with biases in its norms alone. */
LOOP_TEST(encoder_layer, 0, 11)
{
    static const int32_t lengths[B] = { 4, 2 };
    int32_t offsets[B + 1];
    const hl_sequences sequences = example_sequences(B, T, lengths, offsets);
    bool drop = _i >= 4 && _i < 8, bias = _i / 2 % 2 == 0;
    hl_encoder_layer_config config = {
        .attention = { .d_model = D,
                       .n_heads = 2,
                       .n_kv_heads = 2,
                       .d_k = 2,
                       .d_v = 2,
                       .bias = bias,
                       .window = _i == 9 ? 2 : 0,
                       .dropout_weights = drop ? (hl_real)0.25 : 0,
                       .dropout_concat = drop ? (hl_real)0.125 : 0 },
        .feed_forward = { .d_ff = 5, .activation = HL_GELU, .bias = bias, .dropout = drop ? (hl_real)0.25 : 0 },
        .norm = _i % 2 == 0 ? HL_NORM_PRE : HL_NORM_POST,
        .norms.bias = bias || _i == 10,
        .lacks_norm1 = _i == 8,
        .dropout_residual = drop ? (hl_real)0.125 : 0
    };
    hl_parameters parameters = { 0 };
    layer_call call = { .layer = hl_encoder_layer_make(&parameters, hl_name_of("layer"), &config),
                        .rules = { .queries = sequences, .keys = sequences } };
    check_module(_i % 2 == 0 ? "encoder layer, pre" : "encoder layer, post", build_encoder_layer, &call, &parameters,
                 (hl_tape_options){ .training = true, .seed = 9, .step = 2 });
}

SUITE("module gradients")
