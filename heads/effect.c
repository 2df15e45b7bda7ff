#include "heads/effect.h"

#include "core/base/memory.h"
#include "core/base/private/block.h"
#include "heads/head_set.h"
#include "heads/private/effect_losses.h"

#include <math.h>

static bool same_label(hl_label a, hl_label b)
{
    return a.kind == b.kind && a.parameter == b.parameter && a.reversed == b.reversed;
}

/* The heads of a layer that have the label of head `first`, of which it is the first; 0 if it is not. */
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

/* Heads of a layer that are judged together, or a single one. */
typedef struct judged {
    const bool *chosen; /* (H) */
    const hl_label *label;
    hl_head_effect *effect;
} judged;

/* All that is judged in a layer: every head, then every group. */
typedef struct layer_work {
    int layer;
    bool labelled; /* whether heads whose label names no key are passed over */
    int64_t H;
    judged *judged;            /* (n) */
    bool *chosen;              /* (n + 1, H): the last row is scratch */
    hl_effect_change *changes; /* (n) */
    int64_t n;
} layer_work;

/* A group has two heads at least. */
static void lay_out(void *context, hl_block *block)
{
    layer_work *w = context;
    int64_t most = w->H + w->H / 2;
    w->judged = hl_block_take(block, most, sizeof *w->judged);
    w->changes = hl_block_take(block, most, sizeof *w->changes);
    w->chosen = hl_block_take(block, (most + 1) * w->H, sizeof *w->chosen);
}

static void add(layer_work *w, const bool *chosen, const hl_label *label, hl_head_effect *effect)
{
    w->judged[w->n++] = (judged){ chosen, label, effect };
}

static void add_heads(layer_work *w, const hl_label *labels, hl_head_effect *heads)
{
    for (int64_t h = 0; h < w->H; h++) {
        bool *chosen = w->chosen + w->n * w->H;
        if (!w->labelled || labels[h].kind != HL_LABEL_MIXED) {
            chosen[h] = true;
            add(w, chosen, &labels[h], &heads[h]);
        }
    }
}

static void add_groups(layer_work *w, const hl_label *labels, const hl_head_effect *heads, hl_effects *effects)
{
    for (int64_t first = 0; first < w->H; first++) {
        bool *chosen = w->chosen + w->n * w->H;
        int64_t n = choose_group(labels, w->H, first, chosen);
        if (n < 2 || labels[first].kind == HL_LABEL_MIXED) {
            continue;
        }
        hl_group_effect *group = &effects->groups[effects->n_groups++];
        *group = (hl_group_effect){ .layer = w->layer, .label = labels[first], .n_heads = n };
        for (int64_t h = 0; h < w->H; h++) {
            group->effect.importance += chosen[h] ? heads[h].importance : 0;
        }
        add(w, chosen, &labels[first], &group->effect);
    }
}

static hl_status measure_without(hl_effect_losses *s, layer_work *w)
{
    for (int64_t i = 0; i < w->n; i++) {
        w->changes[i] = (hl_effect_change){ .layer = w->layer, .chosen = w->judged[i].chosen };
    }
    HL_TRY(hl_effect_losses_changes(s, w->changes, w->n));
    for (int64_t i = 0; i < w->n; i++) {
        hl_head_effect *effect = w->judged[i].effect;
        effect->loss_without = w->changes[i].loss.mean;
        effect->standard_error = w->changes[i].loss.error;
        effect->kept = NAN;
        effect->faithful = HL_FAITHFUL_UNKNOWN;
    }
    return hl_ok();
}

/* Whether the label's ideal pattern decides on the verdict. */
static bool has_verdict(const judged *of)
{
    return of->label->kind != HL_LABEL_MIXED && fabs(of->effect->loss_without) > 3 * of->effect->standard_error;
}

/* After measure_without. Heads without effect on the loss have no verdict, whatever their ideal pattern would do: most
 * heads of a large model, for which no pass is made. */
static hl_status measure_ideal(hl_effect_losses *s, layer_work *w)
{
    int64_t n = 0;
    for (int64_t i = 0; i < w->n; i++) {
        const judged *of = &w->judged[i];
        if (has_verdict(of)) {
            w->changes[n++] = (hl_effect_change){ .layer = w->layer, .chosen = of->chosen, .label = of->label };
        }
    }
    HL_TRY(hl_effect_losses_changes(s, w->changes, n));
    const hl_effect_change *ideal = w->changes;
    for (int64_t i = 0; i < w->n; i++) {
        hl_head_effect *effect = w->judged[i].effect;
        if (has_verdict(&w->judged[i])) {
            effect->kept = 1 - ideal++->loss.mean / effect->loss_without;
            effect->faithful = effect->loss_without > 0 && effect->kept >= 0.8 ? HL_FAITHFUL_YES : HL_FAITHFUL_NO;
        }
    }
    return hl_ok();
}

static hl_status judge_layer(hl_effect_losses *s, int layer, const hl_label *labels, bool labelled,
                             hl_head_effect *heads, hl_effects *effects)
{
    layer_work w = { .layer = layer, .H = s->model->config.heads[layer], .labelled = labelled };
    void *memory;
    HL_TRY(hl_block_make(&memory, lay_out, &w, "the effects of heads"));
    add_heads(&w, labels, heads);
    add_groups(&w, labels, heads, effects);
    hl_status status = measure_without(s, &w);
    HL_THEN(status, measure_ideal(s, &w));
    hl_free(memory);
    return status;
}

static hl_status measure_importance(hl_effect_losses *s, hl_effects *effects)
{
    double *slopes;
    HL_TRY(hl_effect_losses_slopes(s, &slopes));
    for (int64_t i = 0; i < effects->n_heads; i++) {
        effects->heads[i].importance = hl_estimate_of(slopes + i, effects->n_heads, s->n).mean;
    }
    hl_free(slopes);
    return hl_ok();
}

static hl_status judge_all(hl_effect_losses *s, const hl_label *labels, bool labelled, hl_effects *effects)
{
    hl_status status = hl_effect_losses_measure(s, NULL, s->losses);
    for (int64_t i = 0; i < effects->n_heads; i++) {
        effects->heads[i] = (hl_head_effect){
            .importance = NAN, .loss_without = NAN, .standard_error = NAN, .kept = NAN, .faithful = HL_FAITHFUL_UNKNOWN
        };
    }
    HL_THEN(status, labelled ? hl_ok() : measure_importance(s, effects));
    for (int64_t e = 0; e < s->n; e++) {
        effects->loss += s->losses[e] / (double)s->n;
    }
    int64_t at = 0;
    for (int l = 0; status.code == HL_OK && l < s->model->config.n_layers; l++) {
        status = judge_layer(s, l, labels + at, labelled, effects->heads + at, effects);
        at += s->model->config.heads[l];
    }
    return status;
}

static void lay_out_effects(void *context, hl_block *block)
{
    hl_effects *effects = context;
    effects->heads = hl_block_take(block, effects->n_heads, sizeof *effects->heads);
    effects->groups = hl_block_take(block, effects->n_heads, sizeof *effects->groups);
}

hl_status hl_effects_measure(hl_model *model, const hl_examples *examples, const hl_patterns *layers,
                             const hl_label *labels, bool labelled, int64_t slice, int threads, hl_effects *effects)
{
    *effects = (hl_effects){ .n_heads = hl_heads_count(&model->config) };
    hl_effect_losses s = { .model = model, .layers = layers, .slice = slice, .threads = threads };
    hl_status status = hl_block_make(&effects->memory, lay_out_effects, effects, "the effects of heads");
    HL_THEN(status, hl_effect_losses_begin(&s, examples));
    HL_THEN(status, judge_all(&s, labels, labelled, effects));
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
    hl_free(effects->memory);
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

hl_faithful hl_effect_verdict(const hl_head_effect *own, const hl_head_effect *group, bool *by_group)
{
    *by_group = own->faithful != HL_FAITHFUL_YES && group != NULL && group->faithful != HL_FAITHFUL_UNKNOWN &&
                group->faithful != own->faithful;
    return *by_group ? group->faithful : own->faithful;
}
