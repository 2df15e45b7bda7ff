#include "heads/effect.h"

#include "core/arena.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

/* What all passes share. */
typedef struct scorer {
    hl_model *model;
    const hl_patterns *layers;
    int threads;
    int64_t n, T;      /* examples that are scored, and their tokens */
    int64_t *rows;     /* (n): which of a snapshot's they are */
    hl_batch examples; /* these alone; its arrays are of `ids` */
    int32_t *ids;
    hl_arena arena;
    hl_real *row_losses;      /* (n, T) */
    hl_real *gates;           /* (n, the heads of the widest layer) for each layer */
    hl_real *ideal;           /* (n, T, T) */
    double *losses, *changed; /* (n): of the model as it is, and of one with something changed */
} scorer;

static int64_t most_heads(const hl_model *model)
{
    int64_t most = 0;
    for (int l = 0; l < model->config.n_layers; l++) {
        most = model->config.heads[l] > most ? model->config.heads[l] : most;
    }
    return most;
}

/* Set-up */

static int64_t count_scored(const hl_batch *examples, int64_t row)
{
    hl_batch one = hl_batch_part(examples, row, 1);
    return hl_batch_scored(&one);
}

static void free_scorer(scorer *s)
{
    hl_free(s->rows);
    hl_free(s->ids);
    hl_free(s->row_losses);
    hl_free(s->gates);
    hl_free(s->ideal);
    hl_free(s->losses);
    hl_arena_free(&s->arena);
}

static hl_status choose_examples(scorer *s, const hl_batch *all)
{
    hl_patterns scoring = hl_patterns_scoring(&s->layers[0]);
    s->rows = hl_calloc((size_t)scoring.n_examples, sizeof *s->rows);
    if (s->rows == NULL) {
        return hl_error_memory("the effects of heads");
    }
    for (int64_t e = 0; e < scoring.n_examples; e++) {
        int64_t row = scoring.first + e * (1 + scoring.gap);
        if (count_scored(all, row) > 0) {
            s->rows[s->n++] = row;
        }
    }
    return s->n > 0 ? hl_ok()
                    : hl_error(HL_INVALID, "no example has a scored token that a head could have an effect on");
}

static hl_status copy_examples(scorer *s, const hl_batch *all)
{
    int64_t T = s->T = all->n_tokens, n = s->n;
    s->ids = hl_calloc((size_t)(n * (2 * T + 1)), sizeof *s->ids);
    if (s->ids == NULL) {
        return hl_error_memory("the effects of heads");
    }
    s->examples = (hl_batch){
        .n_examples = n, .n_tokens = T, .tokens = s->ids, .targets = s->ids + n * T, .lengths = s->ids + 2 * n * T
    };
    for (int64_t e = 0; e < n; e++) {
        memcpy(s->examples.tokens + e * T, all->tokens + s->rows[e] * T, (size_t)T * sizeof *s->ids);
        memcpy(s->examples.targets + e * T, all->targets + s->rows[e] * T, (size_t)T * sizeof *s->ids);
        s->examples.lengths[e] = all->lengths[s->rows[e]];
    }
    return hl_ok();
}

/* Every head's gate of one layer. */
static hl_real *gates_of(const scorer *s, int layer)
{
    return s->gates + layer * s->n * most_heads(s->model);
}

/* A gate for each head of each layer, all open. */
static void open_gates(const scorer *s)
{
    for (int64_t i = 0; i < s->model->config.n_layers * s->n * most_heads(s->model); i++) {
        s->gates[i] = 1;
    }
}

/* The model's loss on the examples, each head of each layer through its gate; `gates` are the tensors. */
static hl_tensor *gated_loss(hl_tape *tape, const scorer *s, hl_tensor *gates[HL_MAX_LAYERS],
                             hl_cross_entropy_args args)
{
    hl_head_probe probes[HL_MAX_LAYERS] = { 0 };
    for (int l = 0; l < s->model->config.n_layers; l++) {
        gates[l] = hl_tape_tensor(tape, HL_SHAPE(s->n, s->model->config.heads[l]), gates_of(s, l), true);
        probes[l].gate = gates[l];
    }
    return hl_model_loss(tape, s->model, &s->examples, args, probes);
}

/* The pass with gradients takes the most memory. */
static hl_status plan(scorer *s, size_t *bytes)
{
    hl_arena records;
    HL_TRY(hl_arena_init(&records, hl_model_record_bytes(s->model)));
    hl_tape tape;
    hl_tape_begin(&tape, &records, (hl_tape_options){ .threads = s->threads, .gradients = true, .dry = true });
    hl_tensor *gates[HL_MAX_LAYERS];
    hl_status status = hl_tape_backward(&tape, gated_loss(&tape, s, gates, (hl_cross_entropy_args){ 0 }));
    *bytes = hl_tape_bytes(&tape);
    hl_arena_free(&records);
    return status;
}

static hl_status allocate(scorer *s)
{
    int64_t gates = s->model->config.n_layers * s->n * most_heads(s->model);
    s->row_losses = hl_calloc((size_t)(s->n * s->T), sizeof *s->row_losses);
    s->gates = hl_calloc((size_t)gates, sizeof *s->gates);
    s->ideal = hl_calloc((size_t)(s->n * s->T * s->T), sizeof *s->ideal);
    s->losses = hl_calloc((size_t)(2 * s->n), sizeof *s->losses);
    if (s->row_losses == NULL || s->gates == NULL || s->ideal == NULL || s->losses == NULL) {
        return hl_error_memory("the effects of heads");
    }
    s->changed = s->losses + s->n;
    open_gates(s);
    size_t bytes;
    HL_TRY(plan(s, &bytes));
    return hl_arena_init(&s->arena, bytes);
}

static hl_status begin(scorer *s, const hl_batch *examples)
{
    HL_TRY(choose_examples(s, examples));
    HL_TRY(copy_examples(s, examples));
    return allocate(s);
}

/* Passes */

/* Each example's mean loss over its scored tokens. */
static hl_status measure(scorer *s, const hl_head_probe *probes, double *losses)
{
    hl_cross_entropy_result result = { .row_loss = s->row_losses };
    hl_tape tape;
    hl_tape_begin(&tape, &s->arena, (hl_tape_options){ .threads = s->threads });
    hl_model_loss(&tape, s->model, &s->examples, (hl_cross_entropy_args){ .result = &result }, probes);
    hl_status status = hl_tape_status(&tape);
    hl_arena_rewind(&s->arena, 0);
    HL_TRY(status);
    if (!isfinite(result.loss_sum)) {
        return hl_error(HL_NOT_FINITE, "the loss that the effects of heads are measured by is not finite");
    }
    for (int64_t e = 0; e < s->n; e++) {
        double sum = 0;
        for (int64_t i = 0; i < s->T; i++) {
            sum += (double)s->row_losses[e * s->T + i];
        }
        losses[e] = sum / (double)count_scored(&s->examples, e);
    }
    return hl_ok();
}

/* I of every head: all gates' gradients in one backward pass. */
static hl_status measure_importance(scorer *s, hl_head_effect *heads)
{
    hl_tape tape;
    hl_tape_begin(&tape, &s->arena, (hl_tape_options){ .threads = s->threads, .gradients = true });
    hl_tensor *gates[HL_MAX_LAYERS];
    hl_status status = hl_tape_backward(&tape, gated_loss(&tape, s, gates, (hl_cross_entropy_args){ 0 }));
    int64_t all_scored = hl_batch_scored(&s->examples);
    for (int l = 0; status.code == HL_OK && l < s->model->config.n_layers; l++) {
        for (int64_t h = 0; h < s->model->config.heads[l]; h++, heads++) {
            double sum = 0;
            for (int64_t e = 0; e < s->n; e++) { /* the pass divides by all scored tokens, L by the example's */
                double part = (double)all_scored / (double)count_scored(&s->examples, e);
                sum += fabs((double)gates[l]->grad[e * s->model->config.heads[l] + h]) * part;
            }
            heads->importance = sum / (double)s->n;
        }
    }
    hl_arena_rewind(&s->arena, 0);
    hl_parameters_zero_grad(&s->model->parameters);
    return status;
}

/* The losses without the heads of a layer that are `chosen`. */
static hl_status measure_without(scorer *s, int layer, const bool *chosen)
{
    int64_t H = s->model->config.heads[layer];
    hl_tensor gate = { .shape = HL_SHAPE(s->n, H), .data = gates_of(s, layer) };
    for (int64_t i = 0; i < s->n * H; i++) {
        gate.data[i] = chosen[i % H] ? 0 : 1;
    }
    hl_head_probe probes[HL_MAX_LAYERS] = { 0 };
    probes[layer].gate = &gate;
    return measure(s, probes, s->changed);
}

/* The losses with the label's ideal pattern in the place of what the chosen heads attend to. */
static hl_status measure_ideal(scorer *s, int layer, const bool *chosen, hl_label label)
{
    for (int64_t e = 0; e < s->n; e++) {
        hl_patterns one = s->layers[layer];
        one.first = s->rows[e];
        hl_pattern example = hl_patterns_at(&one, 0);
        hl_label_ideal(label, &example, s->ideal + e * s->T * s->T);
    }
    int64_t H = s->model->config.heads[layer];
    const hl_real **replace = hl_calloc((size_t)H, sizeof *replace);
    if (replace == NULL) {
        return hl_error_memory("the effects of heads");
    }
    for (int64_t h = 0; h < H; h++) {
        replace[h] = chosen[h] ? s->ideal : NULL;
    }
    hl_head_probe probes[HL_MAX_LAYERS] = { 0 };
    probes[layer].replace = replace;
    hl_status status = measure(s, probes, s->changed);
    hl_free(replace);
    return status;
}

/* Verdicts */

/* The mean over examples of changed - losses, and its standard error. */
static double mean_change(const scorer *s, double *error)
{
    double mean = 0, squares = 0;
    for (int64_t e = 0; e < s->n; e++) {
        mean += (s->changed[e] - s->losses[e]) / (double)s->n;
    }
    for (int64_t e = 0; e < s->n; e++) {
        double off = s->changed[e] - s->losses[e] - mean;
        squares += off * off;
    }
    *error = s->n > 1 ? sqrt(squares / (double)(s->n - 1) / (double)s->n) : INFINITY;
    return mean;
}

/* All but the importance. */
static hl_status judge(scorer *s, int layer, const bool *chosen, hl_label label, hl_head_effect *effect)
{
    double unused;
    HL_TRY(measure_without(s, layer, chosen));
    effect->loss_without = mean_change(s, &effect->standard_error);
    effect->kept = NAN;
    effect->faithful = HL_FAITHFUL_UNKNOWN;
    if (label.kind == HL_LABEL_MIXED) {
        return hl_ok();
    }
    HL_TRY(measure_ideal(s, layer, chosen, label));
    effect->kept = 1 - mean_change(s, &unused) / effect->loss_without;
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

static hl_status judge_group(scorer *s, int layer, const hl_label *labels, int64_t first, const hl_head_effect *heads,
                             bool *chosen, hl_effects *effects)
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

static hl_status judge_layer(scorer *s, int layer, const hl_label *labels, hl_head_effect *heads, bool *chosen,
                             hl_effects *effects)
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

static hl_status judge_all(scorer *s, const hl_label *labels, hl_effects *effects)
{
    bool *chosen = hl_calloc((size_t)most_heads(s->model), sizeof *chosen);
    hl_status status = chosen != NULL ? measure(s, NULL, s->losses) : hl_error_memory("the effects of heads");
    if (status.code == HL_OK) {
        status = measure_importance(s, effects->heads);
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
                             const hl_label *labels, int threads, hl_effects *effects)
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
    scorer s = { .model = model, .layers = layers, .threads = threads };
    hl_status status = begin(&s, examples);
    if (status.code == HL_OK) {
        status = judge_all(&s, labels, effects);
    }
    free_scorer(&s);
    if (status.code != HL_OK) {
        hl_effects_free(effects);
    }
    return status;
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
