/* Padding changes nothing: a sequence alone and the same one padded in a batch. */
#include "core/memory.h"
#include "tests/check_suite.h"
#include "tests/layers/examples.h"

#include <math.h>
#include <string.h>

enum { B = 3, T = 9, V = 7, LAYERS = 2, MAX_HEADS = 4 };

static const int32_t lengths[B] = { 3, 9, 5 };
static const double tolerance = 1e-5;

/* The results of a pass: logits, and every layer's weights. */
typedef struct pass {
    hl_real logits[B * T * V];
    hl_real weights[LAYERS][B * MAX_HEADS * T * T];
} pass;

typedef struct padding_case {
    hl_norm_place norm;
    hl_positions_kind positions;
    bool causal;
    int64_t heads, kv_heads, d_k, d_v;
} padding_case;

static const padding_case cases[] = {
    { HL_NORM_POST, HL_POSITIONS_SINUSOIDAL, false, 2, 2, 3, 3 },
    { HL_NORM_PRE, HL_POSITIONS_LEARNED, false, 4, 2, 3, 1 },
    { HL_NORM_PRE, HL_POSITIONS_SINUSOIDAL, true, 1, 1, 6, 6 },
    { HL_NORM_POST, HL_POSITIONS_NONE, true, 3, 1, 2, 5 },
};
enum { N_CASES = sizeof cases / sizeof *cases };

static void begin(hl_model *model, const padding_case *c)
{
    hl_model_config config = example_config();
    config.norm = c->norm;
    config.positions = c->positions;
    config.causal = c->causal;
    for (int l = 0; l < LAYERS; l++) {
        example_heads(&config, l, c->heads, c->kv_heads, c->d_k, c->d_v);
    }
    example_model(model, &config);
}

/* Forward and backward; gradients are added to the model's, divided by `n`. */
static void run(hl_model *model, const hl_examples *batch, int64_t n, pass *p)
{
    hl_tape tape;
    hl_arena arena;
    example_tape(&tape, &arena, (hl_tape_options){ .gradients = true, .training = true });
    hl_head_probe probes[LAYERS] = { { .weights = p->weights[0] }, { .weights = p->weights[1] } };
    hl_tensor *logits = hl_model_logits(&tape, model, batch, probes);
    hl_tensor *loss = hl_cross_entropy(&tape, logits, (hl_cross_entropy_args){ .targets = batch->targets, .n = n });
    hl_status status = hl_tape_backward(&tape, loss);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    memcpy(p->logits, logits->data, (size_t)hl_shape_count(logits->shape) * sizeof(hl_real));
    hl_arena_free(&arena);
}

/* Example b of the batch without its padding: the arrays of the batch, but for T. */
static hl_examples alone(const hl_examples *batch, int64_t b)
{
    hl_examples example = hl_examples_slice(batch, b, 1);
    example.n_tokens = batch->lengths[b];
    return example;
}

static void assert_logits_agree(const pass *padded, const pass *single, int64_t b)
{
    for (int64_t i = 0; i < lengths[b] * V; i++) {
        ck_assert_double_eq_tol((double)padded->logits[b * T * V + i], (double)single->logits[i], tolerance);
    }
}

/* Weights of example b: the same among real positions, exactly zero elsewhere. */
static void assert_weights_agree(const pass *padded, const pass *single, int layer, int64_t heads, int64_t b)
{
    int64_t L = lengths[b];
    for (int64_t h = 0; h < heads; h++) {
        for (int64_t i = 0; i < T; i++) {
            for (int64_t j = 0; j < T; j++) {
                double w = (double)padded->weights[layer][((b * heads + h) * T + i) * T + j];
                if (i < L && j < L) {
                    ck_assert_double_eq_tol(w, (double)single->weights[layer][(h * L + i) * L + j], tolerance);
                } else {
                    ck_assert(w == 0);
                }
            }
        }
    }
}

START_TEST(a_sequence_alone_and_padded_agree)
{
    static pass padded, single;
    const padding_case *c = &cases[_i];
    hl_model model;
    begin(&model, c);
    hl_examples batch = example_batch(B, T, V, lengths);
    int64_t n = hl_examples_scored(&batch);
    run(&model, &batch, n, &padded);
    hl_real *grads = example_grads_copy(&model.parameters);
    hl_parameters_zero_grad(&model.parameters);
    for (int64_t b = 0; b < B; b++) {
        hl_examples example = alone(&batch, b);
        run(&model, &example, n, &single);
        assert_logits_agree(&padded, &single, b);
        for (int l = 0; l < LAYERS; l++) {
            assert_weights_agree(&padded, &single, l, c->heads, b);
        }
    }
    example_assert_grads_near(&model.parameters, grads, tolerance);
    hl_free(grads);
    example_batch_free(&batch);
    hl_model_free(&model);
}
END_TEST

/* Whatever tokens stand in the padding, the loss and the gradients keep their bits. */
START_TEST(nobody_reads_the_padding)
{
    static pass clean, dirty;
    hl_model model;
    begin(&model, &cases[_i]);
    hl_examples batch = example_batch(B, T, V, lengths);
    run(&model, &batch, 0, &clean);
    hl_real *grads = example_grads_copy(&model.parameters);
    hl_parameters_zero_grad(&model.parameters);
    for (int64_t i = 0; i < B * T; i++) {
        batch.tokens[i] = i % T < lengths[i / T] ? batch.tokens[i] : 5;
    }
    run(&model, &batch, 0, &dirty);
    for (int64_t b = 0; b < B; b++) {
        ck_assert_mem_eq(clean.logits + b * T * V, dirty.logits + b * T * V,
                         (size_t)(lengths[b] * V) * sizeof(hl_real));
    }
    for (int64_t i = 0; i < model.parameters.count; i++) {
        ck_assert(model.parameters.grads[i] == grads[i]); /* a zero may have another sign */
    }
    hl_free(grads);
    example_batch_free(&batch);
    hl_model_free(&model);
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_loop_test(tc, a_sequence_alone_and_padded_agree, 0, N_CASES);
    tcase_add_loop_test(tc, nobody_reads_the_padding, 0, N_CASES);
}
SUITE("padding", add_tests)
