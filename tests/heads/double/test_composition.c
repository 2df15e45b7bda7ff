/* Composition of heads: matrices made by hand, and products computed as wholes. */
#include "heads/composition.h"

#include "core/base/memory.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/double/written.h"

#include <string.h>

typedef double matrix[D][D];

/* Row r of head h's part of a projection of q, k or v. */
static const hl_real *row_of(const hl_multi_head *layer, int which, int64_t h, int64_t r)
{
    const hl_multi_head_config *c = &layer->config;
    int64_t width = which == 2 ? c->d_v : c->d_k, head = which == 0 ? h : h / (c->n_heads / c->n_kv_heads);
    const hl_tensor *const own[] = { layer->q_proj_weight, layer->k_proj_weight, layer->v_proj_weight };
    return layer->in_proj_weight != NULL ? layer->in_proj_weight->data + (which * D + head * width + r) * D
                                         : own[which]->data + (head * width + r) * D;
}

static double gain_of(int layer, int i)
{
    return model.config.norm == HL_NORM_PRE ? model.encoder.layers[layer].norm1.weight->data[i] : 1;
}

/* OV or QK of a head, as a whole. */
static void whole(int layer, int64_t h, bool ov, matrix m)
{
    const hl_multi_head *attention = &model.encoder.layers[layer].self_attn;
    int64_t width = ov ? attention->config.d_v : attention->config.d_k;
    memset(m, 0, sizeof(matrix));
    for (int64_t r = 0; r < width; r++) {
        for (int i = 0; i < D; i++) {
            for (int j = 0; j < D; j++) {
                const hl_real *out = attention->out_proj.weight->data + j * attention->config.n_heads * width;
                m[i][j] += ov ? gain_of(layer, i) * row_of(attention, 2, h, r)[i] * out[h * width + r]
                              : gain_of(layer, i) * row_of(attention, 0, h, r)[i] * gain_of(layer, j) *
                                    row_of(attention, 1, h, r)[j];
            }
        }
    }
}

static double norm_of(matrix m)
{
    double square = 0;
    for (int i = 0; i < D * D; i++) {
        square += m[i / D][i % D] * m[i / D][i % D];
    }
    return sqrt(square);
}

static double score_of(const hl_wire *wire)
{
    matrix one, two, product = { 0 };
    whole(wire->from_layer, wire->from_head, true, one);
    whole(wire->to_layer, wire->to_head, wire->kind == HL_COMPOSES_V, two);
    for (int i = 0; i < D; i++) {
        for (int j = 0; j < D; j++) {
            for (int k = 0; k < D; k++) {
                double between = 1;
                for (int l = wire->from_layer; l < wire->to_layer && model.config.norm == HL_NORM_POST; l++) {
                    between *=
                        model.encoder.layers[l].norm1.weight->data[k] * model.encoder.layers[l].norm2.weight->data[k];
                }
                product[i][j] += one[i][k] * between * (wire->kind == HL_COMPOSES_K ? two[j][k] : two[k][j]);
            }
        }
    }
    return norm_of(product) / norm_of(one) / norm_of(two);
}

static void (*const kinds[])(hl_model_config *) = { plain, post, pruned, no_bias, grouped };

TEST(scores_are_those_of_whole_matrices)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        set_up_shape(kinds[k]);
        hl_wires wires;
        expect_ok(hl_wires_make(&wires, &model, 1, 2));
        ck_assert_int_eq(wires.n, 3 * model.config.heads[0] * model.config.heads[1]);
        for (int64_t i = 0; i < wires.n; i++) {
            ck_assert_double_eq_tol(wires.list[i].score, score_of(&wires.list[i]), 1e-12);
            ck_assert_double_gt(wires.list[i].quantile, 0);
            ck_assert_double_lt(fabs(wires.list[i].beyond), 1);
        }
        hl_wires_free(&wires);
        hl_wires_free(&wires); /* twice is allowed */
    }
}

/* A head whose queries read exactly what another one writes is far beyond chance; its keys are not. */
TEST(a_wire_that_was_laid_is_found)
{
    set_up_shape(plain);
    const hl_multi_head *writer = &model.encoder.layers[0].self_attn, *reader = &model.encoder.layers[1].self_attn;
    hl_real *queries = reader->q_proj_weight->data; /* (2 * 3, D), of which head 0 has three rows */
    for (int64_t r = 0; r < 3; r++) {
        for (int64_t i = 0; i < D; i++) {
            hl_real gain = model.encoder.layers[1].norm1.weight->data[i];
            queries[r * D + i] = writer->out_proj.weight->data[i * D + 3 + r] / gain; /* head 1 of layer 0 */
        }
    }
    hl_wires wires;
    expect_ok(hl_wires_make(&wires, &model, 1, 1));
    const hl_wire *best = wires.list;
    for (int64_t i = 0; i < wires.n; i++) {
        best = wires.list[i].beyond > best->beyond ? &wires.list[i] : best;
    }
    ck_assert_int_eq(best->from_head, 1);
    ck_assert_int_eq(best->to_head, 0);
    ck_assert_int_eq(best->kind, HL_COMPOSES_Q);
    ck_assert_double_gt(best->beyond, 2 * best->quantile);
    hl_wires_free(&wires);
}

TEST(random_weights_are_within_chance)
{
    hl_model_config config = example_config(24);
    config.n_layers = 2;
    config.heads[0] = config.heads[1] = config.kv_heads[1] = 4;
    config.d_v[1] = config.d_k[1];
    example_model(&model, &config);
    hl_wires wires;
    expect_ok(hl_wires_make(&wires, &model, 1, 2));
    int64_t beyond = 0;
    double mean = 0;
    for (int64_t i = 0; i < wires.n; i++) {
        beyond += wires.list[i].beyond > wires.list[i].quantile;
        mean += wires.list[i].beyond / (double)wires.n;
    }
    ck_assert_int_le(beyond, wires.n / 5);
    ck_assert_double_lt(fabs(mean), wires.list[0].quantile);
    hl_wires_free(&wires);
}

TEST(want_of_memory_is_told_and_loses_nothing)
{
    set_up_shape(post);
    faults_begin();
    int n = 0;
    while (fault_checks_next(&n, FAULTS_ONCE)) {
        hl_wires wires;
        fault_checks_turn(hl_wires_make(&wires, &model, 1, 1));
        hl_wires_free(&wires);
    }
    ck_assert_int_gt(n, 2);
    faults_end();
}

SUITE("composition of heads", .after = tear_down)
