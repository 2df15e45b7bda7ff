/* Modules against PyTorch, in either precision: every number within 1e-11 (double) or 2e-5 (float) of the largest of
 * its kind. */
#include "core/base/memory.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/gather_rows.h"
#include "layers/norm.h"
#include "layers/positions.h"
#include "tests/check_suite.h"
#include "tests/golden/layers_golden.h"
#include "tests/layers/examples.h"

#include <math.h>
#include <string.h>

enum { INPUT = GOLDEN_B * GOLDEN_TQ * GOLDEN_D, MEMORY = GOLDEN_B * GOLDEN_TK * GOLDEN_D };
enum { MAX_NUMBERS = 256 };

static const double tolerance = sizeof(hl_real) == sizeof(double) ? 1e-11 : 2e-5;

static void fill(int use, int n, hl_real factor, hl_real *numbers)
{
    for (int i = 0; i < n; i++) {
        numbers[i] = factor * (hl_real)golden_number(use, i);
    }
}

/* Parameters stand in the order of PyTorch's state_dict, which is the order of registration. */
static void fill_parameters(hl_parameters *parameters)
{
    CHECK_OK(hl_parameters_allocate(parameters));
    for (int p = 0; p < parameters->n; p++) {
        const hl_parameter *parameter = &parameters->list[p];
        fill(GOLDEN_WEIGHTS + p, (int)parameter->count, 1, parameter->tensor->data);
        for (int64_t i = 0; parameter->init == HL_INIT_ONE && i < parameter->count; i++) {
            parameter->tensor->data[i] += 1;
        }
    }
}

static void near(const char *what, const hl_real *got, const double *golden, int64_t n)
{
    hl_real expected[MAX_NUMBERS];
    ck_assert_int_le(n, MAX_NUMBERS);
    for (int64_t i = 0; i < n; i++) {
        expected[i] = (hl_real)golden[i];
    }
    ck_assert_ptr_nonnull(got);
    example_assert_near(what, got, expected, n, tolerance);
}

static void grads_near(const hl_parameters *parameters, const double *golden, int64_t n_golden)
{
    int64_t at = 0;
    for (int p = 0; p < parameters->n; p++) {
        const hl_parameter *parameter = &parameters->list[p];
        ck_assert_int_le(at + parameter->count, n_golden);
        near(parameter->name, parameter->tensor->grad, golden + at, parameter->count);
        at += parameter->count;
    }
    ck_assert_int_eq(at, n_golden);
}

static void backward(hl_tape *tape, hl_tensor *y)
{
    hl_real dy[INPUT];
    fill(GOLDEN_DY, INPUT, 1, dy);
    CHECK_OK(hl_tape_backward_from(tape, y, dy));
}

static const hl_multi_head_config heads = { .d_model = GOLDEN_D,
                                            .n_heads = GOLDEN_H,
                                            .n_kv_heads = GOLDEN_H,
                                            .d_k = GOLDEN_D / GOLDEN_H,
                                            .d_v = GOLDEN_D / GOLDEN_H,
                                            .bias = true };

/* A bias that forbids keys past the lengths, which may be NULL: PyTorch's key_padding_mask, in whole tensors. */
static hl_tensor padding_of(const int32_t *lengths, int Tk)
{
    static hl_real numbers[GOLDEN_B * GOLDEN_TQ * GOLDEN_TK];
    for (int i = 0; i < GOLDEN_B * GOLDEN_TQ * Tk; i++) {
        numbers[i] = lengths != NULL && i % Tk >= lengths[i / (GOLDEN_TQ * Tk)] ? -(hl_real)INFINITY : 0;
    }
    return (hl_tensor){ .shape = HL_SHAPE(GOLDEN_B, 1, GOLDEN_TQ, Tk), .data = numbers };
}

typedef struct weights_seen {
    int Tk;
    hl_real weights[GOLDEN_B * GOLDEN_H * GOLDEN_TQ * GOLDEN_TK];
} weights_seen;

static void see_weights(void *context, const hl_attention_seen *seen)
{
    weights_seen *s = context;
    for (int64_t i = 0; i < seen->n_queries; i++) {
        memcpy(s->weights + ((seen->b * GOLDEN_H + seen->h) * GOLDEN_TQ + seen->first + i) * s->Tk,
               seen->A + i * seen->stride, (size_t)s->Tk * sizeof(hl_real));
    }
}

LOOP_TEST(attention, 0, ROWS(golden_attention))
{
    bool cross = golden_attention[_i].cross;
    const int32_t *lengths = golden_attention[_i].lengths;
    int Tk = cross ? GOLDEN_TK : GOLDEN_TQ;
    int32_t q_offsets[GOLDEN_B + 1], k_offsets[GOLDEN_B + 1];
    hl_tensor bias = padding_of(lengths[0] > 0 ? lengths : NULL, Tk);
    const hl_attention_rules rules = { .queries = example_sequences(GOLDEN_B, GOLDEN_TQ, NULL, q_offsets),
                                       .keys = example_sequences(GOLDEN_B, Tk, NULL, k_offsets),
                                       .mask = { .causal = golden_attention[_i].causal, .bias = &bias } };
    hl_real x_values[INPUT], memory_values[MEMORY];
    weights_seen seen = { .Tk = Tk };
    fill(GOLDEN_X, INPUT, 1, x_values);
    fill(GOLDEN_MEMORY, MEMORY, 1, memory_values);
    hl_parameters parameters = { 0 };
    hl_multi_head layer = hl_multi_head_make(&parameters, hl_name_of("attention"), heads);
    fill_parameters(&parameters);
    hl_tape *tape = example_tape((hl_tape_options){ .gradients = true });
    hl_tensor *x = hl_tape_tensor(tape, HL_SHAPE(GOLDEN_B * GOLDEN_TQ, GOLDEN_D), x_values, true);
    hl_tensor *memory = x;
    if (cross) {
        memory = hl_tape_tensor(tape, HL_SHAPE(GOLDEN_B * GOLDEN_TK, GOLDEN_D), memory_values, true);
    }
    hl_head_probe probe = { .observe = see_weights, .observe_context = &seen };
    hl_tensor *y = hl_multi_head_forward(tape, &layer, x, memory, &rules, &probe, (hl_linear_after){ 0 });
    backward(tape, y);
    near("y", y->data, golden_attention[_i].y, INPUT);
    near("weights", seen.weights, golden_attention[_i].weights, GOLDEN_B * GOLDEN_H * GOLDEN_TQ * Tk);
    near("dx", x->grad, golden_attention[_i].dx, INPUT);
    if (cross) {
        near("dmemory", memory->grad, golden_attention[_i].dmemory, MEMORY);
    }
    grads_near(&parameters, golden_attention[_i].grads, sizeof golden_attention[_i].grads / sizeof(double));
    hl_parameters_free(&parameters);
}

LOOP_TEST(encoder_layer, 0, ROWS(golden_layers))
{
    hl_encoder_layer_config config = {
        .attention = heads,
        .feed_forward = { .d_ff = GOLDEN_F, .activation = golden_layers[_i].activation, .bias = heads.bias },
        .norm = golden_layers[_i].norm,
        .norms.bias = heads.bias,
    };
    hl_parameters parameters = { 0 };
    hl_encoder_layer layer = hl_encoder_layer_make(&parameters, hl_name_of("layer"), &config);
    fill_parameters(&parameters);
    hl_real x_values[INPUT];
    fill(GOLDEN_X, INPUT, 1, x_values);
    hl_tape *tape = example_tape((hl_tape_options){ .gradients = true });
    hl_tensor *x = hl_tape_tensor(tape, HL_SHAPE(GOLDEN_B * GOLDEN_TQ, GOLDEN_D), x_values, true);
    int32_t offsets[GOLDEN_B + 1];
    hl_tensor bias = padding_of(golden_lengths, GOLDEN_TQ);
    hl_attention_rules rules = { .queries = example_sequences(GOLDEN_B, GOLDEN_TQ, NULL, offsets),
                                 .mask = { .bias = &bias } };
    rules.keys = rules.queries;
    hl_tensor *y = hl_encoder_layer_forward(tape, &layer, x, &rules, NULL);
    backward(tape, y);
    near("y", y->data, golden_layers[_i].y, INPUT);
    near("dx", x->grad, golden_layers[_i].dx, INPUT);
    grads_near(&parameters, golden_layers[_i].grads, sizeof golden_layers[_i].grads / sizeof(double));
    hl_parameters_free(&parameters);
}

static hl_model_config model_config(int i)
{
    hl_model_config config = golden_models[i].config;
    config.vocabulary = GOLDEN_V;
    config.max_length = GOLDEN_TQ + 1;
    config.n_layers = 2;
    config.d_model = GOLDEN_D;
    config.d_ff = GOLDEN_F;
    config.bias = true;
    hl_model_config_heads(&config, GOLDEN_H);
    return config;
}

LOOP_TEST(whole_model, 0, ROWS(golden_models))
{
    hl_model_config config = model_config(_i);
    hl_model *model = example_made(&config);
    fill_parameters(&model->parameters);
    CHECK_OK(hl_positions_layer_allocate(&model->positions));
    hl_batch batch = example_batch(GOLDEN_B, GOLDEN_TQ, GOLDEN_V, golden_lengths);
    hl_sequences examples = hl_batch_sequences(&batch);
    for (int b = 0; b < GOLDEN_B; b++) {
        memcpy((int32_t *)batch.tokens + batch.offsets[b], golden_tokens + b * GOLDEN_TQ,
               (size_t)golden_lengths[b] * sizeof *batch.tokens);
    }
    hl_tape *tape = example_tape((hl_tape_options){ 0 });
    hl_tensor *logits = hl_model_logits(tape, model, &batch, NULL);
    ck_assert_msg(logits != NULL, "%s", hl_tape_status(tape).text);
    for (int b = 0; b < GOLDEN_B; b++) {
        near("logits", logits->data + hl_sequences_first(&examples, b) * config.targets,
             golden_models[_i].logits + b * GOLDEN_TQ * config.targets, golden_lengths[b] * config.targets);
    }
}

/* Rows that PyTorch ignores are not gathered. */
LOOP_TEST(cross_entropy, 0, ROWS(golden_losses))
{
    hl_real numbers[GOLDEN_N * GOLDEN_V];
    fill(GOLDEN_X, GOLDEN_N * GOLDEN_V, 2, numbers);
    int32_t rows[GOLDEN_N], targets[GOLDEN_N], n = 0;
    for (int32_t r = 0; r < GOLDEN_N; r++) {
        if (golden_losses[_i].targets[r] >= 0) {
            rows[n] = r;
            targets[n++] = golden_losses[_i].targets[r];
        }
    }
    hl_tape *tape = example_tape((hl_tape_options){ .gradients = true });
    hl_tensor *logits = hl_tape_tensor(tape, HL_SHAPE(GOLDEN_N, GOLDEN_V), numbers, true);
    hl_tensor *loss = hl_cross_entropy(
        tape, hl_gather_rows(tape, logits, rows, 0, HL_SHAPE(n)),
        (hl_cross_entropy_args){ .targets = targets, .smoothing = (hl_real)golden_losses[_i].smoothing });
    CHECK_OK(hl_tape_backward(tape, loss));
    near("loss", loss->data, &golden_losses[_i].loss, 1);
    near("dlogits", logits->grad, golden_losses[_i].dlogits, GOLDEN_N * GOLDEN_V);
}

TEST(norm)
{
    hl_parameters parameters = { 0 };
    hl_norm_layer layer =
        hl_norm_layer_make(&parameters, hl_name_of("norm"), GOLDEN_D, (hl_norm_config){ .bias = true });
    fill_parameters(&parameters);
    hl_real x_values[INPUT];
    fill(GOLDEN_X, INPUT, 1, x_values);
    hl_tape *tape = example_tape((hl_tape_options){ .gradients = true });
    hl_tensor *x = hl_tape_tensor(tape, HL_SHAPE(GOLDEN_B * GOLDEN_TQ, GOLDEN_D), x_values, true);
    hl_tensor *y = hl_norm_layer_forward(tape, &layer, x);
    backward(tape, y);
    near("y", y->data, golden_norm.y, INPUT);
    near("dx", x->grad, golden_norm.dx, INPUT);
    grads_near(&parameters, golden_norm.grads, sizeof golden_norm.grads / sizeof(double));
    hl_parameters_free(&parameters);
}

TEST(positions)
{
    hl_real table[GOLDEN_T * GOLDEN_ODD];
    hl_sinusoidal_positions(GOLDEN_T, GOLDEN_EVEN, table);
    near("even width", table, golden_even, GOLDEN_T * GOLDEN_EVEN);
    hl_sinusoidal_positions(GOLDEN_T, GOLDEN_ODD, table);
    near("odd width", table, golden_odd, GOLDEN_T * GOLDEN_ODD);
}

SUITE("layers against PyTorch")
