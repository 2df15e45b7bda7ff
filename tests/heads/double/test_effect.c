/* The effects of heads against the same figures computed one by one, from the model alone. */
#include "heads/effect.h"

#include "core/base/threads.h"
#include "heads/private/effect_losses.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/double/probed_losses.h"
#include "tests/heads/example.h"

#include <math.h>
#include <string.h>

enum { E = 6, T = 9, HEADS = 6, ODD = E / 2 };

typedef struct effect_example {
    hl_model model;
    hl_examples batch;
    hl_patterns layers[EXAMPLE_LAYERS];
    hl_label labels[HEADS];
    hl_effects effects;
} effect_example;

static effect_example x;

static void set_up(void)
{
    memset(&x, 0, sizeof x);
    hl_threads_setup();
    hl_model_config config = example_config(8);
    config.activation = HL_GELU; /* no kinks near a difference */
    example_model(&x.model, &config);
    x.batch = example_batch(E, T - 3); /* which pads to T */
    for (int64_t e = 0; e < E; e++) {  /* the first target of each has a label that training lacks */
        int64_t t = e * T;
        while (x.batch.targets[t] == HL_IGNORE) {
            t++;
        }
        x.batch.targets[t] = HL_UNSEEN;
    }
    for (int l = 0; l < EXAMPLE_LAYERS; l++) {
        x.layers[l] = hl_patterns_of(NULL, &x.batch, &x.model.config, l, 0);
    }
    for (int h = 0; h < HEADS; h++) {
        x.labels[h] = (hl_label){ .kind = HL_LABEL_OFFSET, .parameter = h };
    }
}

static hl_status measure_in_parts(int64_t slice)
{
    return hl_effects_measure(&x.model, &x.batch, x.layers, x.labels, false, slice, 2, &x.effects);
}

static hl_status measure(void)
{
    return measure_in_parts(E);
}

static void tear_down(void)
{
    hl_effects_free(&x.effects);
    hl_examples_free(&x.batch);
    hl_model_free(&x.model);
}

/* Each odd-numbered example's mean loss with the gates of `layer` as given, (E, H); NULL: without gates. */
static void gated_losses(int layer, hl_real *gates, double losses[ODD])
{
    hl_tensor gate = { .shape = HL_SHAPE(E, x.model.config.heads[layer]), .data = gates };
    hl_head_probe probes[HL_MAX_LAYERS] = { 0 };
    probes[layer].gate = gates != NULL ? &gate : NULL;
    probed_losses(&x.model, &x.batch, probes, losses);
}

/* Gates that are 1 but for the heads `chosen`. */
static void set_gates(hl_real *gates, int64_t H, const bool *chosen, hl_real value)
{
    for (int64_t i = 0; i < E * H; i++) {
        gates[i] = chosen[i % H] ? value : 1;
    }
}

/* The mean of |dL/dgate|, by a four-point stencil around 1. */
static double importance_by_differences(int layer, int64_t head)
{
    static const double at[4] = { -2, -1, 1, 2 }, weight[4] = { 1, -8, 8, -1 }, h = 1e-3;
    int64_t H = x.model.config.heads[layer];
    hl_real gates[E * 4];
    bool chosen[4] = { false };
    chosen[head] = true;
    double slopes[ODD] = { 0 }, losses[ODD], sum = 0;
    for (int k = 0; k < 4; k++) {
        set_gates(gates, H, chosen, (hl_real)(1 + at[k] * h));
        gated_losses(layer, gates, losses);
        for (int e = 0; e < ODD; e++) {
            slopes[e] += weight[k] * losses[e] / (12 * h);
        }
    }
    for (int e = 0; e < ODD; e++) {
        sum += fabs(slopes[e]) / ODD;
    }
    return sum;
}

TEST(importance_is_the_slope_of_the_gate)
{
    expect_ok(measure());
    ck_assert_int_eq(x.effects.n_heads, HEADS);
    int at = 0;
    for (int l = 0; l < EXAMPLE_LAYERS; l++) {
        for (int64_t h = 0; h < x.model.config.heads[l]; h++, at++) {
            double expected = importance_by_differences(l, h);
            ck_assert_double_eq_tol(x.effects.heads[at].importance, expected, 1e-9 + 1e-6 * expected);
            ck_assert_double_gt(expected, 1e-6);
        }
    }
}

TEST(a_head_is_taken_away_at_its_output)
{
    expect_ok(measure());
    hl_real gates[E * 4];
    double whole[ODD], without[ODD], mean = 0, squares = 0;
    gated_losses(0, NULL, whole);
    set_gates(gates, 4, (const bool[]){ false, false, true, false }, 0);
    gated_losses(0, gates, without);
    for (int e = 0; e < ODD; e++) {
        mean += (without[e] - whole[e]) / ODD;
    }
    for (int e = 0; e < ODD; e++) {
        squares += (without[e] - whole[e] - mean) * (without[e] - whole[e] - mean);
    }
    ck_assert_double_eq_tol(x.effects.loss, (whole[0] + whole[1] + whole[2]) / ODD, 1e-12);
    ck_assert_double_eq_tol(x.effects.heads[2].loss_without, mean, 1e-12);
    ck_assert_double_eq_tol(x.effects.heads[2].standard_error, sqrt(squares / (ODD - 1) / ODD), 1e-12);
}

/* Without q and k every weight is 1 / n: then UNIFORM is exactly what a head does. */
static void forget_where_to_look(const hl_model *model)
{
    for (int i = 0; i < model->parameters.n; i++) {
        const hl_parameter *p = &model->parameters.list[i];
        if (strstr(p->name, ".q_proj_weight") != NULL || strstr(p->name, ".k_proj_weight") != NULL) {
            memset(p->tensor->data, 0, (size_t)p->count * sizeof(hl_real));
        } else if (strstr(p->name, ".in_proj_weight") != NULL) {
            memset(p->tensor->data, 0, (size_t)(p->count / 3 * 2) * sizeof(hl_real));
        }
    }
}

/* Makes the examples that score equal: their standard error is rounding alone, and every effect clear. */
static void make_clear(void)
{
    for (int64_t row = 3; row < E; row += 2) {
        memcpy(x.batch.tokens + row * T, x.batch.tokens + T, T * sizeof *x.batch.tokens);
        memcpy(x.batch.targets + row * T, x.batch.targets + T, T * sizeof *x.batch.targets);
        x.batch.lengths[row] = x.batch.lengths[1];
    }
}

TEST(what_a_head_does_is_kept_and_what_it_does_not_is_not)
{
    make_clear();
    forget_where_to_look(&x.model);
    x.labels[0].kind = HL_LABEL_UNIFORM;
    x.labels[0].parameter = 0;
    x.labels[1].kind = HL_LABEL_MIXED;
    expect_ok(measure());
    ck_assert_double_eq_tol(x.effects.heads[0].kept, 1, 1e-9);
    ck_assert(isnan(x.effects.heads[1].kept));
    ck_assert_int_eq(x.effects.heads[1].faithful, HL_FAITHFUL_UNKNOWN);
    ck_assert_double_gt(fabs(x.effects.heads[2].kept - 1), 1e-4);
    for (int h = 0; h < HEADS; h++) {
        const hl_head_effect *effect = &x.effects.heads[h];
        bool yes = effect->loss_without > 0 && effect->kept >= 0.8;
        ck_assert_int_eq(effect->faithful, h == 1 ? HL_FAITHFUL_UNKNOWN : yes ? HL_FAITHFUL_YES : HL_FAITHFUL_NO);
    }
}

/* Heads with and without a clear effect in one layer: each keeps its own. */
TEST(of_a_head_without_a_clear_effect_nothing_is_said_to_be_kept)
{
    expect_ok(measure());
    int n_clear = 0;
    for (int h = 0; h < HEADS; h++) {
        const hl_head_effect *effect = &x.effects.heads[h];
        bool clear = fabs(effect->loss_without) > 3 * effect->standard_error;
        ck_assert(clear != isnan(effect->kept));
        ck_assert(clear != (effect->faithful == HL_FAITHFUL_UNKNOWN));
        n_clear += clear;
    }
    ck_assert(n_clear > 0 && n_clear < HEADS);
}

/* How many examples the model is run on at once changes no more than rounding, in examples of different numbers of
 * scored tokens. */
TEST(parts_change_nothing)
{
    x.labels[3] = x.labels[1];
    x.batch.targets[1 * T + 1] = HL_IGNORE;
    expect_ok(measure());
    hl_effects whole = x.effects;
    for (int64_t slice = 1; slice < ODD; slice++) {
        expect_ok(measure_in_parts(slice));
        ck_assert_double_eq_tol(x.effects.loss, whole.loss, 1e-12);
        for (int h = 0; h < HEADS; h++) {
            const hl_head_effect *a = &x.effects.heads[h], *b = &whole.heads[h];
            ck_assert_double_eq_tol(a->importance, b->importance, 1e-12);
            ck_assert_double_eq_tol(a->loss_without, b->loss_without, 1e-12);
            ck_assert_double_eq_tol(a->standard_error, b->standard_error, 1e-12);
            ck_assert_int_eq(a->faithful, b->faithful);
            ck_assert(!(fabs(a->kept - b->kept) > 1e-9)); /* NaN, too */
        }
        ck_assert_double_eq_tol(x.effects.groups[0].effect.loss_without, whole.groups[0].effect.loss_without, 1e-12);
        hl_effects_free(&x.effects);
    }
    x.effects = whole;
}

TEST(heads_with_one_label_are_a_group)
{
    x.labels[3] = x.labels[1];
    expect_ok(measure());
    ck_assert_int_eq(x.effects.n_groups, 1);
    const hl_group_effect *group = hl_effects_group(&x.effects, 0, x.labels[1]);
    ck_assert_ptr_nonnull(group);
    ck_assert_ptr_null(hl_effects_group(&x.effects, 1, x.labels[1]));
    ck_assert_ptr_null(hl_effects_group(&x.effects, 0, x.labels[0]));
    ck_assert_int_eq(group->n_heads, 2);
    ck_assert_double_eq(group->effect.importance, x.effects.heads[1].importance + x.effects.heads[3].importance);
    hl_real gates[E * 4];
    double whole[ODD], without[ODD], mean = 0;
    gated_losses(0, NULL, whole);
    set_gates(gates, 4, (const bool[]){ false, true, false, true }, 0);
    gated_losses(0, gates, without);
    for (int e = 0; e < ODD; e++) {
        mean += (without[e] - whole[e]) / ODD;
    }
    ck_assert_double_eq_tol(group->effect.loss_without, mean, 1e-12);
}

/* The others are passed over, and cost nothing. */
TEST(heads_with_a_label_are_also_measured_alone)
{
    x.labels[3] = x.labels[1];
    x.labels[0].kind = x.labels[5].kind = HL_LABEL_MIXED;
    expect_ok(measure());
    hl_effects all = x.effects;
    expect_ok(hl_effects_measure(&x.model, &x.batch, x.layers, x.labels, true, E, 2, &x.effects));
    ck_assert_double_eq(x.effects.loss, all.loss);
    ck_assert_int_eq(x.effects.n_groups, 1);
    ck_assert_double_eq(x.effects.groups[0].effect.loss_without, all.groups[0].effect.loss_without);
    for (int h = 0; h < HEADS; h++) {
        const hl_head_effect *effect = &x.effects.heads[h];
        bool labelled = h != 0 && h != 5;
        ck_assert(isnan(effect->importance));
        ck_assert(labelled ? effect->loss_without == all.heads[h].loss_without : isnan(effect->loss_without));
        ck_assert(isnan(effect->kept) == (!labelled || isnan(all.heads[h].kept)));
        ck_assert_int_eq(effect->faithful, labelled ? all.heads[h].faithful : HL_FAITHFUL_UNKNOWN);
    }
    hl_effects_free(&all);
    hl_effects_free(&x.effects);

    /* Relations of two directions are two labels. */
    x.labels[1] = x.labels[3] = (hl_label){ .kind = HL_LABEL_RELATION };
    x.labels[3].reversed = true;
    expect_ok(measure());
    ck_assert_int_eq(x.effects.n_groups, 0);
}

TEST(nothing_scored_is_refused_and_gradients_are_left_alone)
{
    hl_parameters *parameters = &x.model.parameters;
    for (int64_t i = 0; i < parameters->count; i++) {
        parameters->grads[i] = 7;
    }
    parameters->list[1].tensor->requires_grad = false;
    expect_ok(measure());
    for (int64_t i = 0; i < parameters->count; i++) {
        ck_assert(parameters->grads[i] == 7);
    }
    for (int i = 0; i < parameters->n; i++) {
        ck_assert(parameters->list[i].tensor->requires_grad == (i != 1));
    }
    hl_effects_free(&x.effects);
    for (int64_t row = 1; row < E; row += 2) {
        for (int i = 0; i < T; i++) {
            x.batch.targets[row * T + i] = i % 2 == 0 ? HL_IGNORE : HL_UNSEEN;
        }
    }
    ck_assert_int_eq(measure().code, HL_INVALID);
    ck_assert(x.effects.heads == NULL && x.effects.groups == NULL);
}

/* Fills all parameters of encoder layer 0 with NaN. */
static void spoil_layer_0(const hl_model *model)
{
    for (int i = 0; i < model->parameters.n; i++) {
        const hl_parameter *p = &model->parameters.list[i];
        for (int64_t k = 0; strstr(p->name, "layers.0.") != NULL && k < p->count; k++) {
            p->tensor->data[k] = NAN;
        }
    }
}

/* Layer 0 is spoilt once it has run for layer 1: whoever ran it again would not get a finite loss, as the step back
 * down to it does not. */
TEST(the_layers_below_a_changed_one_run_once_for_all_its_changes)
{
    hl_effect_losses s = { .model = &x.model, .layers = x.layers, .slice = 2, .threads = 2 };
    expect_ok(hl_effect_losses_begin(&s, &x.batch));
    ck_assert_int_eq(s.n, ODD);
    const bool chosen[4] = { true };
    const hl_effect_change low = { .layer = 0, .chosen = chosen }, high = { .layer = 1, .chosen = chosen };
    double first[ODD], again[ODD];
    expect_ok(hl_effect_losses_measure(&s, NULL, first));
    expect_ok(hl_effect_losses_measure(&s, &high, first));
    spoil_layer_0(&x.model);
    expect_ok(hl_effect_losses_measure(&s, &high, again));
    ck_assert_mem_eq(first, again, sizeof first);
    hl_real mean[16];
    expect_ok(hl_effect_losses_mean_output(&s, 1, mean));
    ck_assert(isfinite(mean[0]));
    ck_assert_int_eq(hl_effect_losses_measure(&s, &low, again).code, HL_NOT_FINITE);
    hl_effect_losses_free(&s);
}

static hl_status measure_any(void *context)
{
    (void)context;
    return measure();
}

static void free_measured(void *context)
{
    hl_effects_free(context);
}

TEST(every_allocation_may_fail)
{
    faults_begin();
    x.labels[3] = x.labels[1];
    fault_checks_allocations(measure_any, free_measured, &x.effects);
    faults_end();
}

SUITE("effects of heads", .before = set_up, .after = tear_down)
