/* Company changes nothing: a sequence alone and the same one in a batch. */
#include "core/base/memory.h"
#include "core/ops/gather_rows.h"
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

typedef struct company_case {
    hl_norm_place norm;
    hl_positions_kind positions;
    bool causal;
    int64_t heads, kv_heads, d_k, d_v;
} company_case;

static const company_case cases[] = {
    { HL_NORM_POST, HL_POSITIONS_SINUSOIDAL, false, 2, 2, 3, 3 },
    { HL_NORM_PRE, HL_POSITIONS_LEARNED, false, 4, 2, 3, 1 },
    { HL_NORM_PRE, HL_POSITIONS_SINUSOIDAL, true, 1, 1, 6, 6 },
    { HL_NORM_POST, HL_POSITIONS_NONE, true, 3, 1, 2, 5 },
};

static hl_model *model_of(const company_case *c)
{
    hl_model_config config = example_config();
    config.norm = c->norm;
    config.positions = c->positions;
    config.causal = c->causal;
    config.embedding_norm = c->causal;
    config.head = c->causal ? HL_HEAD_TRANSFORM : HL_HEAD_LINEAR;
    for (int l = 0; l < LAYERS; l++) {
        example_heads(&config, l, c->heads, c->kv_heads, c->d_k, c->d_v);
    }
    return example_model(&config);
}

/* Forward and backward; gradients are added to the model's, divided by `n`. */
static void run(hl_model *model, const hl_batch *batch, int64_t n, pass *p)
{
    hl_tape *tape = example_tape((hl_tape_options){ .gradients = true, .training = true });
    hl_head_weights weights[LAYERS];
    hl_head_probe probes[LAYERS] = { { 0 } };
    for (int l = 0; l < LAYERS; l++) {
        weights[l] = (hl_head_weights){ .at = p->weights[l], .n_heads = model->config.heads[l], .n_tokens = T };
        probes[l].observe = hl_head_weights_observe;
        probes[l].observe_context = &weights[l];
    }
    hl_tensor *logits = hl_model_logits(tape, model, batch, probes);
    hl_tensor *targets =
        hl_gather_rows(tape, logits, batch->target_rows, batch->offsets[0], HL_SHAPE(batch->n_targets));
    hl_tensor *loss = hl_cross_entropy(tape, targets, (hl_cross_entropy_args){ .targets = batch->target_ids, .n = n });
    CHECK_OK(hl_tape_backward(tape, loss));
    memcpy(p->logits, logits->data, (size_t)hl_shape_count(logits->shape) * sizeof(hl_real));
}

LOOP_TEST(a_sequence_alone_and_in_a_batch_agree, 0, ROWS(cases))
{
    static pass together, single;
    const company_case *c = &cases[_i];
    hl_model *model = model_of(c);
    hl_batch batch = example_batch(B, T, V, lengths);
    hl_sequences examples = hl_batch_sequences(&batch);
    run(model, &batch, batch.n_targets, &together);
    hl_real *grads = example_grads_copy(&model->parameters);
    hl_parameters_zero_grad(&model->parameters);
    for (int64_t b = 0; b < B; b++) {
        hl_batch example = hl_batch_slice(&batch, b, 1);
        run(model, &example, batch.n_targets, &single);
        const hl_real *logits = together.logits + hl_sequences_first(&examples, b) * V;
        for (int64_t i = 0; i < lengths[b] * V; i++) {
            ck_assert_double_eq_tol((double)logits[i], (double)single.logits[i], tolerance);
        }
        for (int l = 0; l < LAYERS; l++) {
            for (int64_t i = 0; i < c->heads * T * T; i++) {
                double w = (double)together.weights[l][b * c->heads * T * T + i];
                bool real = i % T < lengths[b] && i / T % T < lengths[b];
                ck_assert_double_eq_tol(w, (double)single.weights[l][i], tolerance);
                ck_assert(real || w == 0);
            }
        }
    }
    example_assert_grads_near(&model->parameters, grads, tolerance);
}

/* With dropout: the first micro-batch of any size draws what the whole batch draws there, in every module. */
TEST(the_company_of_a_sequence_changes_none_of_its_draws)
{
    hl_model_config config = example_config();
    example_dropouts(&config);
    hl_model *model = example_model(&config);
    hl_batch batch = example_batch(B, T, V, lengths);
    hl_real *logits[2];
    for (int i = 0; i < 2; i++) {
        hl_batch some = hl_batch_slice(&batch, i, B - i);
        hl_tape_options options = { .training = true, .seed = 4, .step = 2 };
        example_places(&options, &some);
        hl_tape *tape = example_tape(options);
        const hl_tensor *y = hl_model_logits(tape, model, &some, NULL);
        ck_assert_ptr_nonnull(y);
        logits[i] = example_numbers(1, B * T * V);
        memcpy(logits[i], y->data, (size_t)hl_shape_count(y->shape) * sizeof(hl_real));
    }
    for (int64_t i = 0; i < (batch.n_rows - lengths[0]) * V; i++) {
        ck_assert_double_eq_tol((double)logits[0][lengths[0] * V + i], (double)logits[1][i], tolerance);
    }
}

SUITE("company")
