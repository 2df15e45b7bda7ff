#include "heads/effect.h"

#include "core/memory.h"
#include "heads/effect_losses.h"

#include <math.h>
#include <string.h>

/* All but the importance. */
static hl_status judge(hl_effect_losses *s, int layer, const bool *chosen, hl_label label, hl_head_effect *effect)
{
    hl_estimate without, ideal;
    HL_TRY(hl_effect_losses_change(s, &(hl_effect_change){ .layer = layer, .chosen = chosen }, &without));
    effect->loss_without = without.mean;
    effect->standard_error = without.error;
    effect->kept = NAN;
    effect->faithful = HL_FAITHFUL_UNKNOWN;
    if (label.kind == HL_LABEL_MIXED) {
        return hl_ok();
    }
    HL_TRY(
        hl_effect_losses_change(s, &(hl_effect_change){ .layer = layer, .chosen = chosen, .label = &label }, &ideal));
    effect->kept = 1 - ideal.mean / effect->loss_without;
    if (fabs(effect->loss_without) > 3 * effect->standard_error) {
        effect->faithful = effect->loss_without > 0 && effect->kept >= 0.8 ? HL_FAITHFUL_YES : HL_FAITHFUL_NO;
    }
    return hl_ok();
}

static bool same_label(hl_label a, hl_label b)
{
    return a.kind == b.kind && a.parameter == b.parameter;
}

/* The heads of a layer that have the label of head `first`, of which it is the first; 0 where it is not. */
static int64_t choose_group(const hl_label *labels, int64_t H, int64_t first, bool *chosen)
{
    int64_t n = 0;
    for (int64_t h = 0; h < H; h++) {
        chosen[h] = same_label(labels[h], labels[first]);
        if (chosen[h] && h < first) {
            return 0;
        }
        n += chosen[h];
    }
    return n;
}

static hl_status judge_group(hl_effect_losses *s, int layer, const hl_label *labels, int64_t first,
                             const hl_head_effect *heads, bool *chosen, hl_effects *effects)
{
    int64_t H = s->model->config.heads[layer], n = choose_group(labels, H, first, chosen);
    if (n < 2 || labels[first].kind == HL_LABEL_MIXED) {
        return hl_ok();
    }
    hl_group_effect *group = &effects->groups[effects->n_groups++];
    *group = (hl_group_effect){ .layer = layer, .label = labels[first], .n_heads = n };
    for (int64_t h = 0; h < H; h++) {
        group->effect.importance += chosen[h] ? heads[h].importance : 0;
    }
    return judge(s, layer, chosen, labels[first], &group->effect);
}

static hl_status judge_layer(hl_effect_losses *s, int layer, const hl_label *labels, hl_head_effect *heads,
                             bool *chosen, hl_effects *effects)
{
    int64_t H = s->model->config.heads[layer];
    for (int64_t h = 0; h < H; h++) {
        memset(chosen, 0, (size_t)H * sizeof *chosen);
        chosen[h] = true;
        HL_TRY(judge(s, layer, chosen, labels[h], &heads[h]));
    }
    for (int64_t h = 0; h < H; h++) {
        HL_TRY(judge_group(s, layer, labels, h, heads, chosen, effects));
    }
    return hl_ok();
}

static hl_status measure_importance(hl_effect_losses *s, hl_effects *effects)
{
    int64_t n = effects->n_heads;
    double *slopes = hl_calloc((size_t)(s->n * n), sizeof *slopes);
    if (slopes == NULL) {
        return hl_error_memory("the importance of heads");
    }
    hl_status status = hl_effect_losses_slopes(s, slopes);
    for (int64_t i = 0; status.code == HL_OK && i < s->n * n; i++) {
        effects->heads[i % n].importance += slopes[i] / (double)s->n;
    }
    hl_free(slopes);
    return status;
}

static hl_status judge_all(hl_effect_losses *s, const hl_label *labels, hl_effects *effects)
{
    bool *chosen = hl_calloc((size_t)hl_effect_losses_most_heads(s->model), sizeof *chosen);
    hl_status status =
        chosen != NULL ? hl_effect_losses_measure(s, NULL, s->losses) : hl_error_memory("the effects of heads");
    if (status.code == HL_OK) {
        status = measure_importance(s, effects);
    }
    for (int64_t e = 0; e < s->n; e++) {
        effects->loss += s->losses[e] / (double)s->n;
    }
    int64_t at = 0;
    for (int l = 0; status.code == HL_OK && l < s->model->config.n_layers; l++) {
        status = judge_layer(s, l, labels + at, effects->heads + at, chosen, effects);
        at += s->model->config.heads[l];
    }
    hl_free(chosen);
    return status;
}

hl_status hl_effects_measure(hl_model *model, const hl_batch *examples, const hl_patterns *layers,
                             const hl_label *labels, int64_t part, int threads, hl_effects *effects)
{
    *effects = (hl_effects){ 0 };
    for (int l = 0; l < model->config.n_layers; l++) {
        effects->n_heads += model->config.heads[l];
    }
    effects->heads = hl_calloc((size_t)effects->n_heads, sizeof *effects->heads);
    effects->groups = hl_calloc((size_t)effects->n_heads, sizeof *effects->groups);
    if (effects->heads == NULL || effects->groups == NULL) {
        hl_effects_free(effects);
        return hl_error_memory("the effects of heads");
    }
    hl_effect_losses s = { .model = model, .layers = layers, .part = part, .threads = threads };
    hl_status status = hl_effect_losses_begin(&s, examples);
    if (status.code == HL_OK) {
        status = judge_all(&s, labels, effects);
    }
    hl_effect_losses_free(&s);
    if (status.code != HL_OK) {
        hl_effects_free(effects);
    }
    return status;
}

double hl_effect_in_layer(const hl_head_effect *layer, int64_t n_heads, int64_t head)
{
    double squares = 0;
    for (int64_t h = 0; h < n_heads; h++) {
        squares += layer[h].importance * layer[h].importance;
    }
    return squares > 0 ? layer[head].importance / sqrt(squares) : 0;
}

void hl_effects_free(hl_effects *effects)
{
    hl_free(effects->heads);
    hl_free(effects->groups);
    *effects = (hl_effects){ 0 };
}

const hl_group_effect *hl_effects_group(const hl_effects *effects, int layer, hl_label label)
{
    for (int i = 0; i < effects->n_groups; i++) {
        if (effects->groups[i].layer == layer && same_label(effects->groups[i].label, label)) {
            return &effects->groups[i];
        }
    }
    return NULL;
}
