/* The importance of heads against the same figures from the model alone: by differences, and by models whose W_O was
 * changed by hand. */
#include "heads/importance.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "heads/effect.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/double/probed_losses.h"
#include "tests/heads/example.h"
#include "tests/heads/zeroed.h"

#include <math.h>

enum { E = 6, T = 9, HEADS = 6, ODD = E / 2 };

static const int layer_of[HEADS] = { 0, 0, 0, 0, 1, 1 };
static const int64_t head_of[HEADS] = { 0, 1, 2, 3, 0, 1 };

typedef struct importance_example {
    hl_model model;
    hl_examples batch;
    hl_patterns layers[EXAMPLE_LAYERS];
    hl_importance importance;
} importance_example;

static importance_example x;

static void set_up(void)
{
    memset(&x, 0, sizeof x);
    hl_threads_setup();
    hl_model_config config = example_config(8);
    config.activation = HL_GELU; /* no kinks near a difference */
    example_model(&x.model, &config);
    x.batch = example_batch(E, T - 3);
    x.batch.targets[1 * T + 1] = HL_IGNORE; /* examples differ in how many tokens are scored */
    for (int l = 0; l < EXAMPLE_LAYERS; l++) {
        x.layers[l] = hl_patterns_of(NULL, &x.batch, &x.model.config, l, 0);
    }
}

static hl_status measure_in_parts(int64_t slice)
{
    return hl_importance_measure(&x.model, &x.batch, x.layers, slice, 2, HL_IMPORTANCE_ALL, NULL, &x.importance);
}

static void tear_down(void)
{
    hl_importance_free(&x.importance);
    hl_examples_free(&x.batch);
    hl_model_free(&x.model);
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
    int64_t H = x.model.config.heads[layer_of[at]];
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
        probed_losses(&x.model, &x.batch, probes, losses);
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
    ck_assert_int_eq(x.importance.n, HEADS);
    ck_assert_int_eq(x.importance.n_examples, ODD);
    double squares[EXAMPLE_LAYERS] = { 0 };
    for (int i = 0; i < HEADS; i++) {
        double slopes[ODD];
        slopes_by_differences(i, slopes);
        const hl_head_importance *head = &x.importance.heads[i];
        ck_assert_int_eq(head->layer, layer_of[i]);
        ck_assert_int_eq(head->head, head_of[i]);
        expect_estimate(head->gradient, estimate_of(slopes), 1e-9);
        squares[layer_of[i]] += head->gradient.mean * head->gradient.mean;
    }
    for (int i = 0; i < HEADS; i++) {
        double expected = x.importance.heads[i].gradient.mean / sqrt(squares[layer_of[i]]);
        ck_assert_double_eq_tol(x.importance.heads[i].normalised, expected, 1e-12);
    }
}

/* L of a changed model less L, on every example. */
static hl_estimate change_of(const hl_model *changed, const hl_head_probe *probes)
{
    double whole[ODD], other[ODD];
    probed_losses(&x.model, &x.batch, NULL, whole);
    probed_losses(changed, &x.batch, probes, other);
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
        hl_model zeroed = copied_model(&x.model);
        zero_out(&zeroed, kept);
        expect_estimate(x.importance.heads[i].zero, change_of(&zeroed, NULL), 1e-12);
        hl_model_free(&zeroed);
    }
}

/* A head's mean output over the real positions of the odd-numbered examples, from what a probe sees. */
static void mean_output(int at, hl_real mean[8])
{
    int l = layer_of[at];
    int64_t width = x.model.config.heads[l] * x.model.config.d_v[l], Dv = x.model.config.d_v[l];
    hl_real *z = hl_calloc((size_t)(E * T * width), sizeof *z);
    hl_head_probe probes[HL_MAX_LAYERS] = { 0 };
    probes[l].z = z;
    double unused[ODD];
    probed_losses(&x.model, &x.batch, probes, unused);
    int n = 0, row = 0;
    memset(mean, 0, 8 * sizeof *mean);
    for (int e = 0; e < E; e++) {
        for (int i = 0; i < x.batch.lengths[e]; i++, row++) {
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
        const hl_linear_layer *W_O = &x.model.encoder.layers[layer_of[i]].self_attn.out_proj;
        int64_t Dv = x.model.config.d_v[layer_of[i]], width = x.model.config.heads[layer_of[i]] * Dv;
        hl_real mean[8];
        mean_output(i, mean);
        hl_model changed = copied_model(&x.model);
        hl_real *bias = changed.encoder.layers[layer_of[i]].self_attn.out_proj.bias->data;
        for (int64_t d = 0; d < x.model.config.d_model * Dv; d++) {
            bias[d / Dv] += W_O->weight->data[d / Dv * width + head_of[i] * Dv + d % Dv] * mean[d % Dv];
        }
        bool kept[HEADS] = { 1, 1, 1, 1, 1, 1 };
        kept[i] = false;
        zero_out(&changed, kept);
        expect_estimate(x.importance.heads[i].mean, change_of(&changed, NULL), 1e-12);
        ck_assert_double_gt(fabs(x.importance.heads[i].mean.mean - x.importance.heads[i].zero.mean), 1e-9);
        hl_model_free(&changed);
    }
}

TEST(uniform_attention_is_one_over_the_length)
{
    expect_ok(measure_in_parts(E));
    hl_real even[E * T * T] = { 0 };
    for (int i = 0; i < E * T * T; i++) {
        int n = x.batch.lengths[i / (T * T)];
        even[i] = i % T < n ? 1 / (hl_real)n : 0;
    }
    for (int i = 0; i < HEADS; i++) {
        const hl_real *replace[4] = { NULL };
        replace[head_of[i]] = even;
        hl_head_probe probes[HL_MAX_LAYERS] = { 0 };
        probes[layer_of[i]].replace = replace;
        expect_estimate(x.importance.heads[i].uniform, change_of(&x.model, probes), 1e-12);
    }
}

TEST(the_orders_are_correlated)
{
    expect_ok(measure_in_parts(E));
    double gradient[HEADS], zero[HEADS], whole[ODD];
    for (int i = 0; i < HEADS; i++) {
        gradient[i] = x.importance.heads[i].gradient.mean;
        zero[i] = x.importance.heads[i].zero.mean;
    }
    ck_assert_double_eq(x.importance.rank_correlation, hl_spearman(gradient, zero, HEADS));
    probed_losses(&x.model, &x.batch, NULL, whole);
    ck_assert_double_eq_tol(x.importance.loss, (whole[0] + whole[1] + whole[2]) / 3, 1e-12);
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
    expect_ok(hl_effects_measure(&x.model, &x.batch, x.layers, labels, false, E, 2, &effects));
    for (int i = 0; i < HEADS; i++) {
        ck_assert_double_eq(effects.heads[i].importance, x.importance.heads[i].gradient.mean);
        ck_assert_double_eq(effects.heads[i].loss_without, x.importance.heads[i].zero.mean);
        ck_assert_double_eq(effects.heads[i].standard_error, x.importance.heads[i].zero.error);
    }
    hl_effects_free(&effects);
}

TEST(parts_change_only_rounding_and_less_is_the_same)
{
    expect_ok(measure_in_parts(E));
    hl_importance whole = x.importance;
    for (int64_t slice = 1; slice < ODD; slice++) {
        expect_ok(measure_in_parts(slice));
        for (int i = 0; i < HEADS; i++) {
            const hl_head_importance *a = &x.importance.heads[i], *b = &whole.heads[i];
            expect_estimate(a->gradient, b->gradient, 1e-12);
            expect_estimate(a->zero, b->zero, 1e-12);
            expect_estimate(a->mean, b->mean, 1e-12);
            expect_estimate(a->uniform, b->uniform, 1e-12);
        }
        hl_importance_free(&x.importance);
    }
    for (int depth = HL_IMPORTANCE_GRADIENT; depth <= HL_IMPORTANCE_ZERO; depth++) {
        expect_ok(
            hl_importance_measure(&x.model, &x.batch, x.layers, E, 1, (hl_importance_depth)depth, NULL, &x.importance));
        for (int i = 0; i < HEADS; i++) {
            const hl_head_importance *found = &x.importance.heads[i], *all = &whole.heads[i];
            ck_assert_double_eq(found->gradient.mean, all->gradient.mean);
            ck_assert_double_eq(found->normalised, all->normalised);
            ck_assert_double_eq(found->zero.mean, depth == HL_IMPORTANCE_ZERO ? all->zero.mean : 0);
            ck_assert(found->mean.mean == 0 && found->uniform.mean == 0);
        }
        hl_importance_free(&x.importance);
    }
    for (int64_t i = 0; i < x.model.parameters.count; i++) {
        ck_assert(x.model.parameters.grads[i] == 0);
    }
    hl_importance_free(&whole);
}

static hl_status measure_any(void *context)
{
    (void)context;
    return measure_in_parts(E);
}

static void free_measured(void *context)
{
    hl_importance_free(context);
}

TEST(every_allocation_may_fail)
{
    faults_begin();
    fault_checks_allocations(measure_any, free_measured, &x.importance);
    faults_end();
}

SUITE("importance of heads", .before = set_up, .after = tear_down)
