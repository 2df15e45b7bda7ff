/* The effects of heads against the same figures computed one by one, from the model alone. */
#include "heads/effect.h"

#include "heads/private/effect_losses.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/double/measured.h"

#include <math.h>
#include <string.h>

static hl_label labels[HEADS];
static hl_effects effects;

static void set_up(void)
{
    hl_model_config config = example_config(8);
    config.activation = HL_GELU; /* no kinks near a difference */
    measured_set_up(&config);
    for (int h = 0; h < HEADS; h++) {
        labels[h] = (hl_label){ .kind = HL_LABEL_OFFSET, .parameter = h };
    }
}

static hl_status measure_in_parts(int64_t slice)
{
    return hl_effects_measure(&model, &batch, layers, labels, false, slice, 2, &effects);
}

static hl_status measure(void)
{
    return measure_in_parts(E);
}

static void tear_down(void)
{
    hl_effects_free(&effects);
    measured_tear_down();
}

/* Without q and k every weight is 1 / n: then UNIFORM is exactly what a head does. */
static void forget_where_to_look(void)
{
    for (int i = 0; i < model.parameters.n; i++) {
        const hl_parameter *p = &model.parameters.list[i];
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
        memcpy(batch.tokens + row * T, batch.tokens + T, T * sizeof *batch.tokens);
        memcpy(batch.targets + row * T, batch.targets + T, T * sizeof *batch.targets);
        batch.lengths[row] = batch.lengths[1];
    }
}

TEST(what_a_head_does_is_kept_and_what_it_does_not_is_not)
{
    make_clear();
    forget_where_to_look();
    labels[0].kind = HL_LABEL_UNIFORM;
    labels[0].parameter = 0;
    labels[1].kind = HL_LABEL_MIXED;
    expect_ok(measure());
    ck_assert_double_eq_tol(effects.heads[0].kept, 1, 1e-9);
    ck_assert(isnan(effects.heads[1].kept));
    ck_assert_int_eq(effects.heads[1].faithful, HL_FAITHFUL_UNKNOWN);
    ck_assert_double_gt(fabs(effects.heads[2].kept - 1), 1e-4);
    for (int h = 0; h < HEADS; h++) {
        const hl_head_effect *effect = &effects.heads[h];
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
        const hl_head_effect *effect = &effects.heads[h];
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
    labels[3] = labels[1];
    batch.targets[1 * T + 1] = HL_IGNORE;
    expect_ok(measure());
    hl_effects whole = effects;
    for (int64_t slice = 1; slice < ODD; slice++) {
        expect_ok(measure_in_parts(slice));
        ck_assert_double_eq_tol(effects.loss, whole.loss, 1e-12);
        for (int h = 0; h < HEADS; h++) {
            const hl_head_effect *a = &effects.heads[h], *b = &whole.heads[h];
            ck_assert_double_eq_tol(a->importance, b->importance, 1e-12);
            ck_assert_double_eq_tol(a->loss_without, b->loss_without, 1e-12);
            ck_assert_double_eq_tol(a->standard_error, b->standard_error, 1e-12);
            ck_assert_int_eq(a->faithful, b->faithful);
            ck_assert(!(fabs(a->kept - b->kept) > 1e-9)); /* NaN, too */
        }
        ck_assert_double_eq_tol(effects.groups[0].effect.loss_without, whole.groups[0].effect.loss_without, 1e-12);
        hl_effects_free(&effects);
    }
    effects = whole;
}

TEST(heads_with_one_label_are_a_group)
{
    labels[3] = labels[1];
    expect_ok(measure());
    ck_assert_int_eq(effects.n_groups, 1);
    const hl_group_effect *group = hl_effects_group(&effects, 0, labels[1]);
    ck_assert_ptr_nonnull(group);
    ck_assert_ptr_null(hl_effects_group(&effects, 1, labels[1]));
    ck_assert_ptr_null(hl_effects_group(&effects, 0, labels[0]));
    ck_assert_int_eq(group->n_heads, 2);
    ck_assert_double_eq(group->effect.importance, effects.heads[1].importance + effects.heads[3].importance);
    hl_tensor gate = { .shape = HL_SHAPE(1, 4), .data = (hl_real[]){ 1, 0, 1, 0 } };
    double whole[ODD], without[ODD], mean = 0;
    probed_losses(&model, NULL, whole);
    probed_losses(&model, (const hl_head_probe[EXAMPLE_LAYERS]){ { .gate = &gate } }, without);
    for (int e = 0; e < ODD; e++) {
        mean += (without[e] - whole[e]) / ODD;
    }
    ck_assert_double_eq_tol(group->effect.loss_without, mean, 1e-12);
}

/* The others are passed over, and cost nothing. */
TEST(heads_with_a_label_are_also_measured_alone)
{
    labels[3] = labels[1];
    labels[0].kind = labels[5].kind = HL_LABEL_MIXED;
    expect_ok(measure());
    hl_effects all = effects;
    expect_ok(hl_effects_measure(&model, &batch, layers, labels, true, E, 2, &effects));
    ck_assert_double_eq(effects.loss, all.loss);
    ck_assert_int_eq(effects.n_groups, 1);
    ck_assert_double_eq(effects.groups[0].effect.loss_without, all.groups[0].effect.loss_without);
    for (int h = 0; h < HEADS; h++) {
        const hl_head_effect *effect = &effects.heads[h];
        bool labelled = h != 0 && h != 5;
        ck_assert(isnan(effect->importance));
        ck_assert(labelled ? effect->loss_without == all.heads[h].loss_without : isnan(effect->loss_without));
        ck_assert(isnan(effect->kept) == (!labelled || isnan(all.heads[h].kept)));
        ck_assert_int_eq(effect->faithful, labelled ? all.heads[h].faithful : HL_FAITHFUL_UNKNOWN);
    }
    hl_effects_free(&all);
    hl_effects_free(&effects);

    /* Relations of two directions are two labels. */
    labels[1] = labels[3] = (hl_label){ .kind = HL_LABEL_RELATION };
    labels[3].reversed = true;
    expect_ok(measure());
    ck_assert_int_eq(effects.n_groups, 0);
}

TEST(nothing_scored_is_refused_and_gradients_are_left_alone)
{
    hl_parameters *parameters = &model.parameters;
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
    hl_effects_free(&effects);
    for (int64_t row = 1; row < E; row += 2) {
        for (int i = 0; i < T; i++) {
            batch.targets[row * T + i] = i % 2 == 0 ? HL_IGNORE : HL_UNSEEN;
        }
    }
    ck_assert_int_eq(measure().code, HL_INVALID);
    ck_assert(effects.heads == NULL && effects.groups == NULL);
}

/* Fills all parameters of encoder layer 0 with NaN. */
static void spoil_layer_0(void)
{
    for (int i = 0; i < model.parameters.n; i++) {
        const hl_parameter *p = &model.parameters.list[i];
        for (int64_t k = 0; strstr(p->name, "layers.0.") != NULL && k < p->count; k++) {
            p->tensor->data[k] = NAN;
        }
    }
}

/* Layer 0 is spoilt once it has run for layer 1: whoever ran it again would not get a finite loss, as the step back
 * down to it does not. */
TEST(the_layers_below_a_changed_one_run_once_for_all_its_changes)
{
    hl_effect_losses s = { .model = &model, .layers = layers, .slice = 2, .threads = 2 };
    expect_ok(hl_effect_losses_begin(&s, &batch));
    ck_assert_int_eq(s.n, ODD);
    const bool chosen[4] = { true };
    const hl_effect_change low = { .layer = 0, .chosen = chosen }, high = { .layer = 1, .chosen = chosen };
    double first[ODD], again[ODD];
    expect_ok(hl_effect_losses_measure(&s, NULL, first));
    expect_ok(hl_effect_losses_measure(&s, &high, first));
    spoil_layer_0();
    expect_ok(hl_effect_losses_measure(&s, &high, again));
    ck_assert_mem_eq(first, again, sizeof first);
    hl_real mean[16];
    expect_ok(hl_effect_losses_mean_output(&s, 1, mean));
    ck_assert(isfinite(mean[0]));
    ck_assert_int_eq(hl_effect_losses_measure(&s, &low, again).code, HL_NOT_FINITE);
    hl_effect_losses_free(&s);
}

TEST(every_allocation_may_fail)
{
    faults_begin();
    labels[3] = labels[1];
    for (int n = 0; fault_checks_next(&n, FAULTS_ONCE);) {
        hl_status status = measure();
        fault_checks_turn(status);
        ck_assert(status.code == HL_OK || effects.heads == NULL);
        hl_effects_free(&effects);
    }
    faults_end();
}

SUITE("effects of heads", .before = set_up, .after = tear_down)
