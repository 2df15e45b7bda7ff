/* Every dropout and every parameter draws from a stream of its own, and each dropout has its place. */
#include "core/base/memory.h"
#include "core/kernels/random.h"
#include "tests/check_suite.h"
#include "tests/layers/examples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS = 24, DROPOUTS = 5 * LAYERS + 3, MAX_STREAMS = 1024 };

typedef struct streams {
    uint32_t list[MAX_STREAMS];
    int n;
} streams;

static void add(streams *s, uint32_t stream)
{
    ck_assert_int_lt(s->n, MAX_STREAMS);
    s->list[s->n++] = stream;
}

static void add_dropouts(streams *s, const hl_model *model)
{
    add(s, model->dropout.stream);
    add(s, model->output.dropout_pooler.stream);
    add(s, model->output.dropout.stream);
    for (int l = 0; l < LAYERS; l++) {
        const hl_encoder_layer *layer = &model->encoder.layers[l];
        add(s, layer->self_attn.dropout_weights.stream);
        add(s, layer->self_attn.dropout_concat.stream);
        add(s, layer->feed_forward.dropout.stream);
        add(s, layer->dropout1.stream);
        add(s, layer->dropout2.stream);
    }
}

/* As parameters.h promises: the stream "init <name>". */
static void add_inits(streams *s, const hl_parameters *parameters)
{
    for (int p = 0; p < parameters->n; p++) {
        char use[256];
        snprintf(use, sizeof use, "init %s", parameters->list[p].name);
        add(s, hl_random_stream(use));
    }
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

LOOP_TEST(all_are_distinct, 0, 2)
{
    hl_model_config config = example_config();
    config.n_layers = LAYERS;
    config.norm = HL_NORM_PRE;
    config.positions = HL_POSITIONS_LEARNED;
    if (_i == 1) { /* unpacked */
        for (int l = 0; l < LAYERS; l++) {
            example_heads(&config, l, 4, 2, 2, 3);
        }
    }
    hl_model *model = example_made(&config);
    streams s = { .n = 0 };
    add_dropouts(&s, model);
    ck_assert_int_eq(s.n, DROPOUTS);
    add_inits(&s, &model->parameters);
    ck_assert_int_ge(s.n, DROPOUTS + 12 * LAYERS);
    qsort(s.list, (size_t)s.n, sizeof *s.list, compare);
    for (int i = 1; i < s.n; i++) {
        ck_assert_uint_ne(s.list[i - 1], s.list[i]);
    }
}

enum { B = 2, T = 3, D = 6 };

/* The output of a multi-head module of the given name, whose numbers do not depend on that. */
static hl_real *attend(const char *name, hl_real dropout_weights, hl_real dropout_concat)
{
    hl_parameters parameters = { 0 };
    hl_multi_head layer = hl_multi_head_make(&parameters, hl_name_of("%s", name),
                                             (hl_multi_head_config){ .d_model = D,
                                                                     .n_heads = 2,
                                                                     .n_kv_heads = 2,
                                                                     .d_k = 3,
                                                                     .d_v = 3,
                                                                     .dropout_weights = dropout_weights,
                                                                     .dropout_concat = dropout_concat });
    CHECK_OK(hl_parameters_allocate(&parameters));
    for (int64_t i = 0; i < parameters.count; i++) {
        parameters.values[i] = example_number(1, i);
    }
    hl_real *x = example_numbers(2, B * T * D);
    hl_tape *tape = example_tape((hl_tape_options){ .training = true });
    int32_t offsets[B + 1];
    hl_attention_rules rules = { .queries = example_sequences(B, T, NULL, offsets) };
    rules.keys = rules.queries;
    hl_tensor *input = hl_tape_tensor(tape, HL_SHAPE(B * T, D), x, false);
    hl_tensor *y = hl_multi_head_forward(tape, &layer, input, input, &rules, NULL, (hl_linear_after){ 0 });
    ck_assert_ptr_nonnull(y);
    memcpy(x, y->data, B * T * D * sizeof *x);
    hl_parameters_free(&parameters);
    return x;
}

LOOP_TEST(attention_draws_by_its_name, 0, 3)
{
    hl_real weights = _i == 0 ? (hl_real)0.5 : 0, concat = _i == 1 ? (hl_real)0.5 : 0;
    hl_real *a = attend("a", weights, concat), *again = attend("a", weights, concat), *b = attend("b", weights, concat);
    ck_assert_mem_eq(a, again, B * T * D * sizeof *a);
    ck_assert_int_eq(memcmp(a, b, B * T * D * sizeof *a) != 0, _i < 2);
}

static hl_real loss_of(const hl_model_config *config, bool training)
{
    hl_model *model = example_model(config);
    hl_batch batch = example_batch(B, T, config->vocabulary, NULL);
    hl_real loss = example_step(model, &batch, (hl_cross_entropy_args){ 0 }, NULL,
                                (hl_tape_options){ .training = training, .seed = 3 });
    return loss;
}

/* Each probability goes to its own place, where it has an effect in training alone. */
LOOP_TEST(each_dropout_drops, 0, 7)
{
    hl_model_config none = example_config();
    none.pooler = HL_POOLER_TANH;
    hl_model_config config = none;
    double *p[] = { &config.dropout_attention, &config.dropout_concat, &config.dropout_residual, &config.dropout_ffn,
                    &config.dropout_embedding, &config.dropout_pooler, &config.dropout_output };
    *p[_i] = 0.5;
    ck_assert(loss_of(&config, true) != loss_of(&none, true));
    ck_assert(loss_of(&config, false) == loss_of(&none, true));
}

TEST(dropouts_have_their_probabilities)
{
    hl_model_config config = example_config();
    config.pooler = HL_POOLER_RELU;
    example_dropouts(&config);
    hl_model *model = example_made(&config);
    ck_assert(model->dropout.p == config.dropout_embedding);
    ck_assert(model->output.dropout_pooler.p == config.dropout_pooler && config.dropout_pooler > 0);
    ck_assert(model->output.dropout.p == config.dropout_output && config.dropout_output > 0);
    for (int l = 0; l < config.n_layers; l++) {
        const hl_encoder_layer *layer = &model->encoder.layers[l];
        ck_assert(layer->self_attn.dropout_weights.p == config.dropout_attention);
        ck_assert(layer->self_attn.dropout_concat.p == config.dropout_concat);
        ck_assert(layer->feed_forward.dropout.p == config.dropout_ffn);
        ck_assert(layer->dropout1.p == config.dropout_residual && layer->dropout2.p == config.dropout_residual);
    }
}

SUITE("dropout streams")
