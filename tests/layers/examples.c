#include "tests/layers/examples.h"

#include "core/base/memory.h"
#include "core/kernels/random.h"
#include "tests/owned.h"
#include "tests/scratch.h"

#include <check.h>
#include <math.h>
#include <string.h>

hl_real example_number(uint32_t use, int64_t i)
{
    uint32_t word = hl_random_word((hl_random){ .seed = 1706, .stream = use }, (uint64_t)i);
    return (hl_real)((int)(word >> 21) - 1024) / 1024;
}

hl_real *example_numbers(uint32_t use, int64_t n)
{
    hl_real *numbers = owned_calloc(n, sizeof *numbers);
    for (int64_t i = 0; i < n; i++) {
        numbers[i] = example_number(use, i);
    }
    return numbers;
}

void example_fill(hl_parameters *parameters)
{
    hl_status status = hl_parameters_allocate(parameters);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    for (int p = 0; p < parameters->n; p++) {
        const hl_parameter *parameter = &parameters->list[p];
        hl_real middle = parameter->init == HL_INIT_ONE ? 1 : 0;
        for (int64_t i = 0; i < parameter->count; i++) {
            hl_real number = example_number(hl_random_stream(parameter->name), i);
            parameter->tensor->data[i] = middle + (hl_real)0.5 * number;
        }
    }
}

hl_tape *example_tape(hl_tape_options options)
{
    return owned_tape(EXAMPLE_ARENA, options);
}

void example_heads(hl_model_config *config, int layer, int64_t heads, int64_t kv_heads, int64_t d_k, int64_t d_v)
{
    config->heads[layer] = heads;
    config->kv_heads[layer] = kv_heads;
    config->d_k[layer] = d_k;
    config->d_v[layer] = d_v;
}

hl_model_config example_config(void)
{
    hl_model_config config = { .vocabulary = 7,
                               .max_length = 9,
                               .n_layers = 2,
                               .d_model = 6,
                               .d_ff = 5,
                               .activation = HL_GELU,
                               .norm = HL_NORM_POST,
                               .positions = HL_POSITIONS_SINUSOIDAL,
                               .bias = true };
    hl_model_config_heads(&config, 2);
    return config;
}

void example_dropouts(hl_model_config *config)
{
    config->dropout_attention = 0.125;
    config->dropout_concat = 0.25;
    config->dropout_residual = 0.1875;
    config->dropout_ffn = 0.3125;
    config->dropout_embedding = 0.0625;
    config->dropout_output = 0.21875;
    config->dropout_pooler = config->pooler != HL_POOLER_NONE ? 0.34375 : 0;
}

hl_model_config example_variant(int i)
{
    hl_model_config config = example_config();
    config.norm = i % 2 == 0 ? HL_NORM_PRE : HL_NORM_POST;
    config.activation = i < 3 ? HL_RELU : HL_GELU;
    config.positions = i == 1 ? HL_POSITIONS_LEARNED : i == 2 ? HL_POSITIONS_NONE : HL_POSITIONS_SINUSOIDAL;
    config.tie_embedding = i == 3;
    config.causal = i == 4;
    config.recompute = i == 2 || i == 4;
    if (i >= 8) {
        config.positions = HL_POSITIONS_ROTARY;
        config.causal = config.recompute = i == 8;
        config.norm_kind = i == 10 ? HL_NORM_RMS : HL_NORM_LAYER;
        config.feed_forward = i == 8 ? HL_FEED_FORWARD_USUAL : i == 9 ? HL_FEED_FORWARD_NONE : HL_FEED_FORWARD_GATED;
        if (i == 11) { /* ModernBERT's block: layer 0 is global, layer 1 has a window */
            config.norm = HL_NORM_PRE;
            config.window = config.global_every = 2;
            config.rotary_theta = 160000;
            config.rotary_theta_local = 10000;
            config.norm_bias = config.attention_bias = config.feed_forward_bias = HL_BIAS_FALSE;
            config.embedding_norm = config.lacks_first_norm = true;
        }
    } else if (i >= 6) {
        config.head = i == 6 ? HL_HEAD_TRANSFORM : HL_HEAD_LINEAR;
        config.pooler = i == 7 ? HL_POOLER_TANH : HL_POOLER_NONE;
        config.tie_embedding = config.embedding_norm = i == 6;
        config.embedding_size = 4;
        config.positions = HL_POSITIONS_LEARNED;
        config.position_offset = 3;
    }
    if (i != 5) {
        example_dropouts(&config);
    }
    if (i == 2 || i == 8) {
        example_heads(&config, 1, 4, 2, 3, 5);
    }
    return config;
}

static void release_model(void *model)
{
    hl_model_free(model);
    hl_free(model);
}

hl_model *example_made(const hl_model_config *config)
{
    hl_model *model = hl_calloc(1, sizeof *model);
    ck_assert_ptr_nonnull(model);
    hl_status status = hl_model_init(model, config);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    return scratch_own(model, release_model);
}

hl_model *example_model(const hl_model_config *config)
{
    hl_model *model = example_made(config);
    example_fill(&model->parameters);
    ck_assert_int_eq(hl_positions_layer_allocate(&model->positions).code, HL_OK);
    for (int i = 0; i < model->n_rotaries; i++) {
        ck_assert_int_eq(hl_rotary_allocate(&model->rotaries[i]).code, HL_OK);
    }
    return model;
}

hl_batch example_batch(int64_t B, int64_t T, int64_t V, const int32_t *lengths)
{
    int32_t *offsets = owned_calloc(B + 1, sizeof *offsets), *tokens = owned_calloc(B * T, sizeof *tokens);
    int32_t *positions = owned_calloc(B * T, sizeof *positions), *rows = owned_calloc(B * T, sizeof *rows);
    int32_t *ids = owned_calloc(B * T, sizeof *ids), *types = owned_calloc(B * T, sizeof *types);
    int64_t *places = owned_calloc(B * T, sizeof *places);
    hl_batch batch = { .n_examples = B,
                       .offsets = offsets,
                       .tokens = tokens,
                       .positions = positions,
                       .types = types,
                       .places = places,
                       .target_rows = rows,
                       .target_ids = ids };
    hl_random random = { .seed = 4, .stream = 2 };
    for (int64_t b = 0; b < B; b++) {
        int64_t length = lengths != NULL ? lengths[b] : T;
        batch.longest = length > batch.longest ? length : batch.longest;
        for (int64_t t = 0; t < length; t++) {
            int64_t at = b * T + t, row = batch.n_rows++;
            uint32_t token = hl_random_below(random, (uint64_t)at, (uint32_t)V);
            tokens[row] = (int32_t)token;
            positions[row] = (int32_t)t;
            types[row] = t > length / 2;
            places[row] = at;
            if (at % 3 != 1) {
                rows[batch.n_targets] = (int32_t)row;
                ids[batch.n_targets++] = (int32_t)((token * 3 + 1) % (uint32_t)V);
            }
        }
        offsets[b + 1] = (int32_t)batch.n_rows;
    }
    return batch;
}

void example_targets(hl_batch *batch, int64_t C, bool pooled)
{
    int32_t *rows = (int32_t *)batch->target_rows, *ids = (int32_t *)batch->target_ids;
    for (int64_t b = 0; pooled && b < batch->n_examples; b++) {
        batch->n_targets = b == 0 ? 0 : batch->n_targets;
        if (b != 1) {
            rows[batch->n_targets++] = (batch->offsets[b] + batch->offsets[b + 1]) / 2;
        }
    }
    for (int64_t m = 0; m < batch->n_targets; m++) {
        ids[m] = (int32_t)((5 * m + 1) % C);
    }
}

void example_places(hl_tape_options *options, const hl_batch *batch)
{
    options->places = batch->places;
    options->n_places = batch->n_rows;
}

hl_sequences example_sequences(int64_t B, int64_t T, const int32_t *lengths, int32_t *offsets)
{
    hl_sequences sequences = { .n = B, .offsets = offsets };
    offsets[0] = 0;
    for (int64_t b = 0; b < B; b++) {
        int32_t length = lengths != NULL ? lengths[b] : (int32_t)T;
        offsets[b + 1] = offsets[b] + length;
        sequences.longest = length > sequences.longest ? length : sequences.longest;
    }
    return sequences;
}

hl_real example_step(hl_model *model, const hl_batch *batch, hl_cross_entropy_args args, const hl_head_probe *probes,
                     hl_tape_options options)
{
    options.gradients = true;
    example_places(&options, batch);
    hl_tape_plan plan;
    ck_assert_int_eq(hl_model_plan(model, batch, options, &plan).code, HL_OK);
    hl_arena arena;
    ck_assert_int_eq(hl_arena_init(&arena, plan.bytes).code, HL_OK);
    options.memory.plan = probes == NULL ? &plan : NULL; /* which is without gates */
    hl_tape tape;
    hl_tape_begin(&tape, &arena, options);
    hl_tensor *loss = hl_model_loss(&tape, model, batch, args, probes);
    hl_status status = hl_tape_backward(&tape, loss);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    hl_real value = loss->data[0];
    hl_arena_free(&arena);
    hl_tape_plan_free(&plan);
    return value;
}

void example_assert_near(const char *what, const hl_real *got, const hl_real *expected, int64_t n, double tolerance)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs((double)expected[i]));
    }
    for (int64_t i = 0; i < n; i++) {
        double error = fabs((double)got[i] - (double)expected[i]);
        ck_assert_msg(error <= tolerance * largest, "%s[%lld]: %.17g, expected %.17g, the largest is %g", what,
                      (long long)i, (double)got[i], (double)expected[i], largest);
    }
}

void example_assert_grads_near(const hl_parameters *parameters, const hl_real *expected, double tolerance)
{
    for (int p = 0; p < parameters->n; p++) {
        const hl_parameter *parameter = &parameters->list[p];
        example_assert_near(parameter->name, parameter->tensor->grad, expected + parameter->offset, parameter->count,
                            tolerance);
    }
}

hl_real *example_grads_copy(const hl_parameters *parameters)
{
    hl_real *copy = owned_calloc(parameters->count, sizeof *copy);
    return memcpy(copy, parameters->grads, (size_t)parameters->count * sizeof *copy);
}
