/* Whole models through hl_model_loss: the gradient of every number of every parameter. */
#include "tests/check_suite.h"
#include "tests/gradient_check.h"
#include "tests/layers/examples.h"

enum { B = 3, T = 4 };

typedef struct model_case {
    const char *name;
    hl_norm_place norm;
    hl_positions_kind positions;
    bool causal, no_bias, tied, dropped;
    hl_real smoothing;
    const int32_t *lengths;
    int64_t heads[2][4]; /* of each layer: H, Hkv, Dk, Dv; all 0: 2, 2, 3, 3 */
    int64_t targets, token_types;
    bool untyped; /* a batch without types */
    hl_pooling pooling;
    bool tied_bias, unscaled;
    hl_real epsilon;
    bool embedding_norm;
    int64_t embedding_size, offset;
    hl_activation activation; /* 0: GELU */
    hl_output_head head;
    hl_pooler pooler;
    hl_feed_forward_kind feed_forward;
    hl_norm_kind norm_kind;
    bool modern; /* ModernBERT's windows, thetas, biases and missing norm */
} model_case;

static const int32_t lengths[B] = { 4, 1, 3 };

/* clang-format off */
static const model_case cases[] = {
    { "post", HL_NORM_POST, HL_POSITIONS_SINUSOIDAL, .causal = false },
    { "pre", HL_NORM_PRE, HL_POSITIONS_SINUSOIDAL, .causal = false },
    { "post, causal, padded", HL_NORM_POST, HL_POSITIONS_LEARNED, .causal = true, .lengths = lengths },
    { "pre, causal, padded", HL_NORM_PRE, HL_POSITIONS_LEARNED, .causal = true, .lengths = lengths },
    { "post, grouped queries", HL_NORM_POST, HL_POSITIONS_NONE, .lengths = lengths, .heads = { { 4, 2, 2, 2 }, { 2, 1, 3, 3 } } },
    { "pre, Dv != Dk", HL_NORM_PRE, HL_POSITIONS_SINUSOIDAL, .heads = { { 2, 2, 2, 4 }, { 2, 2, 3, 1 } } },
    { "pre, heads of each layer", HL_NORM_PRE, HL_POSITIONS_LEARNED, .lengths = lengths, .heads = { { 1, 1, 6, 6 }, { 6, 3, 1, 2 } } },
    { "post, tied", HL_NORM_POST, HL_POSITIONS_SINUSOIDAL, .tied = true, .smoothing = 0.1 },
    { "pre, tied, learned", HL_NORM_PRE, HL_POSITIONS_LEARNED, .tied = true, .causal = true },
    { "post, no bias", HL_NORM_POST, HL_POSITIONS_NONE, .no_bias = true },
    { "pre, no bias, smoothed", HL_NORM_PRE, HL_POSITIONS_SINUSOIDAL, .no_bias = true, .smoothing = 0.2, .lengths = lengths },
    { "post, dropped", HL_NORM_POST, HL_POSITIONS_SINUSOIDAL, .dropped = true, .lengths = lengths },
    { "pre, tied with a bias, unscaled", HL_NORM_PRE, HL_POSITIONS_LEARNED, .tied = true, .tied_bias = true, .unscaled = true, .no_bias = true, .causal = true },
    { "post, a large epsilon", HL_NORM_POST, HL_POSITIONS_SINUSOIDAL, .epsilon = 0.25 },
    { "pre, a large epsilon, unscaled", HL_NORM_PRE, HL_POSITIONS_NONE, .epsilon = 0.5, .unscaled = true },
    { "pre, 3 classes", HL_NORM_PRE, HL_POSITIONS_LEARNED, .lengths = lengths, .targets = 3 },
    { "post, more classes than tokens", HL_NORM_POST, HL_POSITIONS_NONE, .lengths = lengths, .targets = 11, .smoothing = 0.1 },
    { "pre, mean", HL_NORM_PRE, HL_POSITIONS_SINUSOIDAL, .lengths = lengths, .targets = 2, .pooling = HL_POOLING_MEAN },
    { "pre, last", HL_NORM_PRE, HL_POSITIONS_SINUSOIDAL, .lengths = lengths, .targets = 2, .causal = true, .pooling = HL_POOLING_LAST },
    { "post, mean, tied", HL_NORM_POST, HL_POSITIONS_LEARNED, .tied = true, .pooling = HL_POOLING_MEAN },
    { "pre, token types", HL_NORM_PRE, HL_POSITIONS_NONE, .lengths = lengths, .token_types = 2 },
    { "post, token types, none given", HL_NORM_POST, HL_POSITIONS_LEARNED, .token_types = 3, .untyped = true },
    { "pre, mean of pairs, dropped", HL_NORM_PRE, HL_POSITIONS_LEARNED, .dropped = true, .lengths = lengths, .targets = 4, .token_types = 2, .pooling = HL_POOLING_MEAN },
    { "post, normed embeddings, dropped", HL_NORM_POST, HL_POSITIONS_SINUSOIDAL, .embedding_norm = true, .dropped = true, .lengths = lengths },
    { "pre, normed embeddings, no bias", HL_NORM_PRE, HL_POSITIONS_LEARNED, .embedding_norm = true, .no_bias = true, .token_types = 2 },
    { "post, narrow embeddings, dropped", HL_NORM_POST, HL_POSITIONS_LEARNED, .embedding_size = 1, .dropped = true, .lengths = lengths },
    { "pre, wide embeddings, no bias", HL_NORM_PRE, HL_POSITIONS_SINUSOIDAL, .embedding_size = 9, .no_bias = true },
    { "post, offset of positions", HL_NORM_POST, HL_POSITIONS_LEARNED, .offset = 2, .token_types = 1, .lengths = lengths },
    { "post, gelu_tanh", HL_NORM_POST, HL_POSITIONS_NONE, .activation = HL_GELU_TANH },
    { "pre, silu", HL_NORM_PRE, HL_POSITIONS_NONE, .activation = HL_SILU },
    { "pre, quick_gelu", HL_NORM_PRE, HL_POSITIONS_NONE, .activation = HL_QUICK_GELU },
    { "post, dropped before the output", HL_NORM_POST, HL_POSITIONS_NONE, .targets = 3, .dropped = true, .lengths = lengths },
    { "pre, transform, dropped", HL_NORM_PRE, HL_POSITIONS_LEARNED, .head = HL_HEAD_TRANSFORM, .dropped = true, .lengths = lengths },
    { "post, transform, no bias, fewer targets", HL_NORM_POST, HL_POSITIONS_NONE, .head = HL_HEAD_TRANSFORM, .no_bias = true, .targets = 2 },
    { "post, transform, tied", HL_NORM_POST, HL_POSITIONS_LEARNED, .head = HL_HEAD_TRANSFORM, .tied = true, .activation = HL_GELU_TANH },
    { "pre, transform of wide embeddings", HL_NORM_PRE, HL_POSITIONS_LEARNED, .head = HL_HEAD_TRANSFORM, .embedding_size = 8, .epsilon = 0.125 },
    { "post, transform of narrow embeddings, tied, normed, all at once", HL_NORM_POST, HL_POSITIONS_LEARNED, .head = HL_HEAD_TRANSFORM, .tied = true, .unscaled = true,
      .embedding_size = 5, .embedding_norm = true, .offset = 1, .token_types = 2, .dropped = true, .smoothing = 0.1, .lengths = lengths },
    { "post, pooler of tanh, dropped", HL_NORM_POST, HL_POSITIONS_LEARNED, .pooler = HL_POOLER_TANH, .targets = 3, .dropped = true, .lengths = lengths },
    { "pre, pooler of relu", HL_NORM_PRE, HL_POSITIONS_LEARNED, .pooler = HL_POOLER_RELU, .pooling = HL_POOLING_MEAN, .targets = 3, .lengths = lengths },
    { "pre, pooler of gelu and mean, no bias, dropped", HL_NORM_PRE, HL_POSITIONS_NONE, .pooler = HL_POOLER_GELU, .pooling = HL_POOLING_MEAN, .no_bias = true, .targets = 4, .dropped = true, .lengths = lengths },
    { "pre, modern, transform, tied", HL_NORM_PRE, HL_POSITIONS_ROTARY, .modern = true, .embedding_norm = true, .feed_forward = HL_FEED_FORWARD_GATED, .head = HL_HEAD_TRANSFORM, .tied = true, .lengths = lengths },
    { "pre, modern, causal, dropped", HL_NORM_PRE, HL_POSITIONS_ROTARY, .modern = true, .causal = true, .dropped = true },
    { "pre, rotary, causal, padded", HL_NORM_PRE, HL_POSITIONS_ROTARY, .causal = true, .lengths = lengths },
    { "post, rotary, grouped queries of several widths", HL_NORM_POST, HL_POSITIONS_ROTARY, .lengths = lengths, .heads = { { 4, 2, 2, 2 }, { 2, 1, 3, 5 } } },
    { "pre, attention alone, dropped", HL_NORM_PRE, HL_POSITIONS_SINUSOIDAL, .feed_forward = HL_FEED_FORWARD_NONE, .dropped = true, .lengths = lengths },
    { "post, attention alone, no bias", HL_NORM_POST, HL_POSITIONS_LEARNED, .feed_forward = HL_FEED_FORWARD_NONE, .no_bias = true },
    { "pre, attention alone, rotary, dropped", HL_NORM_PRE, HL_POSITIONS_ROTARY, .feed_forward = HL_FEED_FORWARD_NONE, .causal = true, .dropped = true, .lengths = lengths },
    { "pre, RMS norm, transform of normed embeddings", HL_NORM_PRE, HL_POSITIONS_LEARNED, .norm_kind = HL_NORM_RMS, .head = HL_HEAD_TRANSFORM, .embedding_norm = true },
    { "post, RMS norm, gated silu, dropped", HL_NORM_POST, HL_POSITIONS_ROTARY, .norm_kind = HL_NORM_RMS, .feed_forward = HL_FEED_FORWARD_GATED, .activation = HL_SILU, .dropped = true, .lengths = lengths },
    { "pre, gated, dropped", HL_NORM_PRE, HL_POSITIONS_ROTARY, .feed_forward = HL_FEED_FORWARD_GATED, .dropped = true, .lengths = lengths },
    { "post, gated silu, no bias", HL_NORM_POST, HL_POSITIONS_LEARNED, .feed_forward = HL_FEED_FORWARD_GATED, .activation = HL_SILU, .no_bias = true },
    { "pre, dropped, all at once", HL_NORM_PRE, HL_POSITIONS_LEARNED, .dropped = true, .causal = true, .tied = true, .smoothing = 0.1, .lengths = lengths, .heads = { { 4, 2, 2, 3 }, { 3, 1, 2, 1 } } },
};
/* clang-format on */

typedef struct model_call {
    hl_model *model;
    hl_batch batch;
    hl_real smoothing;
} model_call;

static hl_tensor *build(hl_tape *tape, hl_tensor *const *in, void *context)
{
    (void)in;
    const model_call *call = context;
    return hl_model_loss(tape, call->model, &call->batch, (hl_cross_entropy_args){ .smoothing = call->smoothing },
                         NULL);
}

static hl_model_config config_of(const model_case *c)
{
    hl_model_config config = example_config();
    config.norm = c->norm;
    config.positions = c->positions;
    config.causal = c->causal;
    config.bias = !c->no_bias;
    config.tie_embedding = c->tied;
    config.tied_bias = c->tied_bias;
    config.unscaled_embedding = c->unscaled;
    config.norm_epsilon = c->epsilon;
    config.embedding_norm = c->embedding_norm;
    config.embedding_size = c->embedding_size;
    config.position_offset = c->offset;
    config.activation = c->activation != 0 ? c->activation : HL_GELU;
    config.head = c->head;
    config.pooler = c->pooler;
    config.feed_forward = c->feed_forward;
    config.norm_kind = c->norm_kind;
    if (c->modern) { /* layer 0 is global, layer 1 has a window */
        config.window = config.global_every = 2;
        config.rotary_theta = 160000;
        config.rotary_theta_local = 100;
        config.norm_bias = config.attention_bias = config.feed_forward_bias = config.head_bias = HL_BIAS_FALSE;
        config.lacks_first_norm = true;
    }
    config.targets = c->targets;
    config.token_types = c->token_types;
    config.pooling = c->pooling;
    if (c->dropped) {
        example_dropouts(&config);
    }
    for (int l = 0; l < config.n_layers && c->heads[l][0] > 0; l++) {
        example_heads(&config, l, c->heads[l][0], c->heads[l][1], c->heads[l][2], c->heads[l][3]);
    }
    return config;
}

LOOP_TEST(every_parameter, 0, ROWS(cases))
{
    const model_case *c = &cases[_i];
    hl_model_config config = config_of(c);
    model_call call = { .model = example_model(&config),
                        .batch = example_batch(B, T, config.vocabulary, c->lengths),
                        .smoothing = c->smoothing };
    example_targets(&call.batch, call.model->config.targets, c->pooling != HL_POOLING_ROWS);
    call.batch.types = c->untyped ? NULL : call.batch.types;
    gradient_check check = { .build = build,
                             .context = &call,
                             .parameters = &call.model->parameters,
                             .options = { .training = true, .seed = 8, .step = 3 } };
    example_places(&check.options, &call.batch);
    gradient_report report = gradient_check_run(&check);
    ck_assert_msg(report.passed, "%s: %s", c->name, report.text);
    ck_assert_int_eq(report.n_checked, hl_parameters_count(&call.model->parameters));
}

SUITE("encoder gradients")
