/* The importance of heads against the same figures from the model alone: by differences, and by models whose W_O was
 * changed by hand. */
#include "heads/importance.h"

#include "core/base/memory.h"
#include "heads/effect.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/double/measured.h"
#include "tests/heads/zeroed.h"

#include <math.h>

static const int layer_of[HEADS] = { 0, 0, 0, 0, 1, 1 };
static const int64_t head_of[HEADS] = { 0, 1, 2, 3, 0, 1 };

static hl_importance importance;

static void set_up(void)
{
    hl_model_config config = example_config(8);
    config.activation = HL_GELU; /* no kinks near a difference */
    measured_set_up(&config);
    batch.targets[1 * T + 1] = HL_IGNORE; /* examples differ in how many tokens are scored */
}

static hl_status measure_in_parts(int64_t slice)
{
    return hl_importance_measure(&model, &batch, layers, slice, 2, HL_IMPORTANCE_ALL, NULL, &importance);
}

static void tear_down(void)
{
    hl_importance_free(&importance);
    measured_tear_down();
}

static hl_estimate estimate_of(const double numbers[ODD])
{
    double mean = (numbers[0] + numbers[1] + numbers[2]) / 3, squares = 0;
    for (int e = 0; e < ODD; e++) {
        squares += (numbers[e] - mean) * (numbers[e] - mean);
    }
    return (hl_estimate){ mean, sqrt(squares / 2 / 3) };
}

static void expect_estimate(hl_estimate found, hl_estimate expected, double tolerance)
{
    ck_assert_double_eq_tol(found.mean, expected.mean, tolerance);
    ck_assert_double_eq_tol(found.error, expected.error, tolerance);
    ck_assert_double_gt(expected.error, 1e-7);
}

/* |dL/dgate| of a head on each example, by a four-point stencil around 1. */
static void slopes_by_differences(int at, double slopes[ODD])
{
    static const double where[4] = { -2, -1, 1, 2 }, weight[4] = { 1, -8, 8, -1 }, h = 1e-3;
    int64_t H = model.config.heads[layer_of[at]];
    memset(slopes, 0, ODD * sizeof *slopes);
    for (int k = 0; k < 4; k++) {
        hl_real gates[E * 4];
        hl_tensor gate = { .shape = HL_SHAPE(E, H), .data = gates };
        hl_head_probe probes[HL_MAX_LAYERS] = { 0 };
        double losses[ODD];
        for (int64_t i = 0; i < E * H; i++) {
            gates[i] = (hl_real)(i % H == head_of[at] ? 1 + where[k] * h : 1);
        }
        probes[layer_of[at]].gate = &gate;
        probed_losses(&model, probes, losses);
        for (int e = 0; e < ODD; e++) {
            slopes[e] += weight[k] * losses[e] / (12 * h);
        }
    }
    for (int e = 0; e < ODD; e++) {
        slopes[e] = fabs(slopes[e]);
    }
}

TEST(gradients_are_those_of_differences)
{
    expect_ok(measure_in_parts(E));
    ck_assert_int_eq(importance.n, HEADS);
    ck_assert_int_eq(importance.n_examples, ODD);
    double squares[EXAMPLE_LAYERS] = { 0 };
    for (int i = 0; i < HEADS; i++) {
        double slopes[ODD];
        slopes_by_differences(i, slopes);
        const hl_head_importance *head = &importance.heads[i];
        ck_assert_int_eq(head->layer, layer_of[i]);
        ck_assert_int_eq(head->head, head_of[i]);
        expect_estimate(head->gradient, estimate_of(slopes), 1e-9);
        squares[layer_of[i]] += head->gradient.mean * head->gradient.mean;
    }
    for (int i = 0; i < HEADS; i++) {
        double expected = importance.heads[i].gradient.mean / sqrt(squares[layer_of[i]]);
        ck_assert_double_eq_tol(importance.heads[i].normalised, expected, 1e-12);
    }
}

/* L of a changed model less L, on every example. */
static hl_estimate change_of(const hl_model *changed, const hl_head_probe *probes)
{
    double whole[ODD], other[ODD];
    probed_losses(&model, NULL, whole);
    probed_losses(changed, probes, other);
    for (int e = 0; e < ODD; e++) {
        other[e] -= whole[e];
    }
    return estimate_of(other);
}

TEST(without_a_head_is_without_its_columns_of_W_O)
{
    expect_ok(measure_in_parts(E));
    for (int i = 0; i < HEADS; i++) {
        bool kept[HEADS] = { 1, 1, 1, 1, 1, 1 };
        kept[i] = false;
        hl_model zeroed = copied_model(&model);
        zero_out(&zeroed, kept);
        expect_estimate(importance.heads[i].zero, change_of(&zeroed, NULL), 1e-12);
        hl_model_free(&zeroed);
    }
}

/* A head's mean output over the real positions of the odd-numbered examples, from what a probe sees. */
static void mean_output(int at, hl_real mean[8])
{
    int l = layer_of[at];
    int64_t width = model.config.heads[l] * model.config.d_v[l], Dv = model.config.d_v[l];
    hl_real *z = hl_calloc((size_t)(E * T * width), sizeof *z);
    hl_head_probe probes[HL_MAX_LAYERS] = { 0 };
    probes[l].z = z;
    double unused[ODD];
    probed_losses(&model, probes, unused);
    int n = 0, row = 0;
    memset(mean, 0, 8 * sizeof *mean);
    for (int e = 0; e < E; e++) {
        for (int i = 0; i < batch.lengths[e]; i++, row++) {
            n += e % 2;
            for (int64_t d = 0; d < Dv && e % 2 == 1; d++) {
                mean[d] += z[row * width + head_of[at] * Dv + d];
            }
        }
    }
    for (int64_t d = 0; d < Dv; d++) {
        mean[d] /= (hl_real)n;
    }
    hl_free(z);
}

/* W_O z with z_h constant is without z_h's columns and with W_O,h mean in the bias. */
TEST(a_mean_in_a_heads_place_is_a_bias)
{
    expect_ok(measure_in_parts(E));
    for (int i = 0; i < HEADS; i++) {
        const hl_linear_layer *W_O = &model.encoder.layers[layer_of[i]].self_attn.out_proj;
        int64_t Dv = model.config.d_v[layer_of[i]], width = model.config.heads[layer_of[i]] * Dv;
        hl_real mean[8];
        mean_output(i, mean);
        hl_model changed = copied_model(&model);
        hl_real *bias = changed.encoder.layers[layer_of[i]].self_attn.out_proj.bias->data;
        for (int64_t d = 0; d < model.config.d_model * Dv; d++) {
            bias[d / Dv] += W_O->weight->data[d / Dv * width + head_of[i] * Dv + d % Dv] * mean[d % Dv];
        }
        bool kept[HEADS] = { 1, 1, 1, 1, 1, 1 };
        kept[i] = false;
        zero_out(&changed, kept);
        expect_estimate(importance.heads[i].mean, change_of(&changed, NULL), 1e-12);
        ck_assert_double_gt(fabs(importance.heads[i].mean.mean - importance.heads[i].zero.mean), 1e-9);
        hl_model_free(&changed);
    }
}

TEST(uniform_attention_is_one_over_the_length)
{
    expect_ok(measure_in_parts(E));
    hl_real even[E * T * T] = { 0 };
    for (int i = 0; i < E * T * T; i++) {
        int n = batch.lengths[i / (T * T)];
        even[i] = i % T < n ? 1 / (hl_real)n : 0;
    }
    for (int i = 0; i < HEADS; i++) {
        const hl_real *replace[4] = { NULL };
        replace[head_of[i]] = even;
        hl_head_probe probes[HL_MAX_LAYERS] = { 0 };
        probes[layer_of[i]].replace = replace;
        expect_estimate(importance.heads[i].uniform, change_of(&model, probes), 1e-12);
    }
}

TEST(the_orders_are_correlated)
{
    expect_ok(measure_in_parts(E));
    double gradient[HEADS], zero[HEADS], whole[ODD];
    for (int i = 0; i < HEADS; i++) {
        gradient[i] = importance.heads[i].gradient.mean;
        zero[i] = importance.heads[i].zero.mean;
    }
    ck_assert_double_eq(importance.rank_correlation, hl_spearman(gradient, zero, HEADS));
    probed_losses(&model, NULL, whole);
    ck_assert_double_eq_tol(importance.loss, (whole[0] + whole[1] + whole[2]) / 3, 1e-12);
}

/* The table of all heads and the report tell the same. */
TEST(effects_are_the_same_figures)
{
    expect_ok(measure_in_parts(E));
    hl_label labels[HEADS];
    for (int i = 0; i < HEADS; i++) {
        labels[i] = (hl_label){ .kind = HL_LABEL_MIXED };
    }
    hl_effects effects;
    expect_ok(hl_effects_measure(&model, &batch, layers, labels, false, E, 2, &effects));
    ck_assert_double_eq(effects.loss, importance.loss);
    ck_assert_int_eq(effects.n_heads, HEADS);
    for (int i = 0; i < HEADS; i++) {
        ck_assert_double_eq(effects.heads[i].importance, importance.heads[i].gradient.mean);
        ck_assert_double_eq(effects.heads[i].loss_without, importance.heads[i].zero.mean);
        ck_assert_double_eq(effects.heads[i].standard_error, importance.heads[i].zero.error);
    }
    hl_effects_free(&effects);
}

TEST(parts_change_only_rounding_and_less_is_the_same)
{
    expect_ok(measure_in_parts(E));
    hl_importance whole = importance;
    for (int64_t slice = 1; slice < ODD; slice++) {
        expect_ok(measure_in_parts(slice));
        for (int i = 0; i < HEADS; i++) {
            const hl_head_importance *a = &importance.heads[i], *b = &whole.heads[i];
            expect_estimate(a->gradient, b->gradient, 1e-12);
            expect_estimate(a->zero, b->zero, 1e-12);
            expect_estimate(a->mean, b->mean, 1e-12);
            expect_estimate(a->uniform, b->uniform, 1e-12);
        }
        hl_importance_free(&importance);
    }
    for (int depth = HL_IMPORTANCE_GRADIENT; depth <= HL_IMPORTANCE_ZERO; depth++) {
        expect_ok(hl_importance_measure(&model, &batch, layers, E, 1, (hl_importance_depth)depth, NULL, &importance));
        for (int i = 0; i < HEADS; i++) {
            const hl_head_importance *found = &importance.heads[i], *all = &whole.heads[i];
            ck_assert_double_eq(found->gradient.mean, all->gradient.mean);
            ck_assert_double_eq(found->normalised, all->normalised);
            ck_assert_double_eq(found->zero.mean, depth == HL_IMPORTANCE_ZERO ? all->zero.mean : 0);
            ck_assert(found->mean.mean == 0 && found->uniform.mean == 0);
        }
        hl_importance_free(&importance);
    }
    for (int64_t i = 0; i < model.parameters.count; i++) {
        ck_assert(model.parameters.grads[i] == 0);
    }
    hl_importance_free(&whole);
}

TEST(every_allocation_may_fail)
{
    faults_begin();
    for (int n = 0; fault_checks_next(&n, FAULTS_ONCE);) {
        hl_status status = measure_in_parts(E);
        fault_checks_turn(status);
        ck_assert(status.code == HL_OK || importance.heads == NULL);
        hl_importance_free(&importance);
    }
    faults_end();
}

SUITE("importance of heads", .before = set_up, .after = tear_down)
