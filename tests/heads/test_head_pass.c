#include "heads/head_pass.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/example.h"

#include <math.h>

/* softmax(q k^T / sqrt(Dk)) of one query, as the page works it. */
static void attend(const hl_head_pass *pass, int l, int64_t h, int64_t e, int64_t i, int64_t n, double *weights)
{
    const hl_head_pass_layer *layer = &pass->layers[l];
    int64_t dk = layer->d_k, K = layer->n_kv_heads, kv = h / (layer->n_heads / K), first = e * pass->n_tokens;
    double sum = 0;
    for (int64_t j = 0; j < n; j++) {
        double score = 0;
        for (int64_t c = 0; c < dk; c++) {
            score += (double)layer->q[((first + i) * layer->n_heads + h) * dk + c] *
                     (double)layer->k[((first + j) * K + kv) * dk + c];
        }
        weights[j] = exp(score / sqrt((double)dk));
        sum += weights[j];
    }
    for (int64_t j = 0; j < n; j++) {
        weights[j] /= sum;
    }
}

TEST(q_and_k_give_the_recorded_weights)
{
    enum { E = 3, T = 9, SHOWN = 2 };
    example f;
    example_set_up(&f, example_config(12), E, T, E);
    expect_ok(hl_recorder_record(&f.recorder, 0, NULL, &f.arena));
    hl_head_pass pass;
    expect_ok(hl_head_pass_run(&f.model, &f.recorder.examples, SHOWN, true, 1, &pass));
    ck_assert_int_eq(pass.n_examples, SHOWN);
    for (int l = 0; l < EXAMPLE_LAYERS; l++) {
        for (int64_t h = 0; h < f.model.config.heads[l]; h++) {
            hl_patterns recorded = hl_recorder_patterns(&f.recorder, l, h);
            for (int64_t e = 0; e < SHOWN; e++) {
                hl_pattern pattern = hl_patterns_at(&recorded, e);
                for (int64_t i = 0; i < pattern.n; i++) {
                    double weights[T];
                    attend(&pass, l, h, e, i, pattern.n, weights);
                    for (int64_t j = 0; j < pattern.n; j++) {
                        ck_assert_double_le(fabs(weights[j] - (double)hl_pattern_row(&pattern, i)[j]), 1e-5);
                    }
                }
            }
        }
    }
    hl_head_pass_free(&pass);
    example_tear_down(&f);
}

TEST(outputs_are_the_models)
{
    example f;
    example_set_up(&f, example_config(12), 3, 9, 3);
    hl_head_pass pass;
    expect_ok(hl_head_pass_run(&f.model, &f.batch, 99, true, 1, &pass));
    ck_assert_int_eq(pass.n_examples, 3);
    for (int l = 0; l < EXAMPLE_LAYERS; l++) {
        const hl_linear_layer *out = &f.model.encoder.layers[l].self_attn.out_proj;
        int64_t width = pass.layers[l].n_heads * pass.layers[l].d_v;
        ck_assert_float_eq(pass.layers[l].w_o[width + 1], (float)out->weight->data[width + 1]);
        ck_assert_float_eq(pass.layers[l].b_o[3], (float)out->bias->data[3]);
    }
    /* By row 4 lengths, x, q, k, v and u of 12 each; then 2 lengths, x of 12, q of 6, k of 3, v of 6, u of 12; then the
     * hidden states of 12, and a logit. Besides W_O and three vectors a layer. */
    int64_t T = f.batch.n_tokens, rows = 3 * T;
    ck_assert_uint_eq(hl_head_pass_bytes(&f.model, 3, T, true),
                      sizeof(float) * (size_t)(rows * (64 + 41 + 13) + 2 * 15 * 12));
    hl_head_pass_free(&pass);
    expect_ok(hl_head_pass_run(&f.model, &f.batch, 99, false, 1, &pass));
    ck_assert(pass.layers[1].x == NULL && pass.layers[1].w_o == NULL && pass.hidden == NULL && pass.logits == NULL);
    ck_assert_uint_eq(hl_head_pass_bytes(&f.model, 3, T, false), sizeof(float) * (size_t)(rows * 6));
    ck_assert_float_gt(pass.layers[1].lengths[1], 0);
    hl_head_pass_free(&pass);
    hl_head_pass_free(&pass);
    example_tear_down(&f);
}

TEST(a_failed_pass_is_empty)
{
    example f;
    hl_head_pass pass;
    example_set_up(&f, example_config(8), 2, 9, 2);
    hl_examples longer = example_batch(3, 65); /* the third of them */
    ck_assert_int_eq(hl_head_pass_run(&f.model, &longer, 3, true, 1, &pass).code, HL_INVALID);
    ck_assert_ptr_null(pass.layers);
    hl_examples_free(&longer);
    example_tear_down(&f);

    faults_begin();
    hl_model_config config = example_config(8);
    hl_model model;
    example_model(&model, &config);
    hl_examples batch = example_batch(2, 6);
    int n = 0;
    while (fault_checks_next(&n, FAULTS_ONCE)) {
        hl_status status = hl_head_pass_run(&model, &batch, 1, true, 1, &pass);
        fault_checks_turn(status);
        ck_assert(status.code == HL_OK || pass.layers == NULL);
        hl_head_pass_free(&pass);
    }
    ck_assert_int_gt(n, 7);
    hl_examples_free(&batch);
    hl_model_free(&model);
    faults_end();
}

SUITE("a pass of the heads")
