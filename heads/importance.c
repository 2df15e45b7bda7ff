#include "heads/importance.h"

#include "core/memory.h"
#include "heads/effect_losses.h"
#include "heads/head_set.h"
#include "heads/spearman.h"

#include <math.h>
#include <string.h>

/* ---- by the gradient ---- */

static void normalise(hl_head_importance *heads, int64_t H)
{
    double squares = 0;
    for (int64_t h = 0; h < H; h++) {
        squares += heads[h].gradient.mean * heads[h].gradient.mean;
    }
    for (int64_t h = 0; h < H; h++) {
        heads[h].normalised = squares > 0 ? heads[h].gradient.mean / sqrt(squares) : 0;
    }
}

static hl_status measure_gradients(hl_effect_losses *s, hl_importance *importance)
{
    int64_t n = importance->n;
    size_t count;
    double *slopes = hl_multiply_sizes((size_t)s->n, (size_t)n, &count) ? hl_calloc(count, sizeof *slopes) : NULL;
    if (slopes == NULL) {
        return hl_error_memory("the importance of heads");
    }
    hl_status status = hl_effect_losses_slopes(s, slopes);
    for (int64_t i = 0; status.code == HL_OK && i < n; i++) {
        importance->heads[i].gradient = hl_estimate_of(slopes + i, n, s->n);
    }
    hl_free(slopes);
    hl_head_importance *heads = importance->heads;
    for (int l = 0; l < s->model->config.n_layers; l++) {
        normalise(heads, s->model->config.heads[l]);
        heads += s->model->config.heads[l];
    }
    return status;
}

/* ---- exactly ---- */

/* What a layer's heads are changed with, one after the other. */
typedef struct changes {
    bool *chosen;            /* (H) */
    hl_real *mean, *instead; /* (H * Dv) */
} changes;

static hl_status measure_head(hl_effect_losses *s, const changes *c, hl_importance_depth depth,
                              hl_head_importance *head)
{
    static const hl_label uniform = { .kind = HL_LABEL_UNIFORM };
    int64_t H = s->model->config.heads[head->layer], Dv = s->model->config.d_v[head->layer];
    memset(c->chosen, 0, (size_t)H * sizeof *c->chosen);
    memset(c->instead, 0, (size_t)(H * Dv) * sizeof *c->instead);
    c->chosen[head->head] = true;
    memcpy(c->instead + head->head * Dv, c->mean + head->head * Dv, (size_t)Dv * sizeof *c->instead);
    HL_TRY(hl_effect_losses_change(s, &(hl_effect_change){ .layer = head->layer, .chosen = c->chosen }, &head->zero));
    if (depth == HL_IMPORTANCE_ZERO) {
        return hl_ok();
    }
    HL_TRY(hl_effect_losses_change(
        s, &(hl_effect_change){ .layer = head->layer, .chosen = c->chosen, .instead = c->instead }, &head->mean));
    return hl_effect_losses_change(
        s, &(hl_effect_change){ .layer = head->layer, .chosen = c->chosen, .label = &uniform }, &head->uniform);
}

static hl_status measure_layer(hl_effect_losses *s, int layer, hl_importance_depth depth, hl_head_importance *heads)
{
    int64_t H = s->model->config.heads[layer];
    size_t width = (size_t)(H * s->model->config.d_v[layer]);
    changes c = { hl_calloc((size_t)H, sizeof *c.chosen), hl_calloc(width, sizeof *c.mean),
                  hl_calloc(width, sizeof *c.instead) };
    bool complete = c.chosen != NULL && c.mean != NULL && c.instead != NULL;
    hl_status status = complete ? hl_ok() : hl_error_memory("the importance of heads");
    if (status.code == HL_OK && depth == HL_IMPORTANCE_ALL) {
        status = hl_effect_losses_mean_output(s, layer, c.mean);
    }
    for (int64_t h = 0; status.code == HL_OK && h < H; h++) {
        status = measure_head(s, &c, depth, &heads[h]);
    }
    hl_free(c.chosen);
    hl_free(c.mean);
    hl_free(c.instead);
    return status;
}

static hl_status correlate(hl_importance *importance)
{
    int64_t n = importance->n;
    double *figures = hl_calloc((size_t)n, 2 * sizeof *figures);
    if (figures == NULL) {
        return hl_error_memory("the importance of heads");
    }
    for (int64_t i = 0; i < n; i++) {
        figures[i] = importance->heads[i].gradient.mean;
        figures[n + i] = importance->heads[i].zero.mean;
    }
    importance->rank_correlation = hl_spearman(figures, figures + n, n);
    hl_free(figures);
    return hl_ok();
}

static hl_status measure_exactly(hl_effect_losses *s, hl_importance_depth depth, hl_importance *importance)
{
    hl_head_importance *heads = importance->heads;
    for (int l = 0; l < s->model->config.n_layers; l++) {
        HL_TRY(measure_layer(s, l, depth, heads));
        heads += s->model->config.heads[l];
    }
    return correlate(importance);
}

/* ---- both ---- */

static hl_status allocate(hl_importance *importance, const hl_model_config *config)
{
    *importance = (hl_importance){ .n = hl_heads_count(config) };
    importance->heads = hl_calloc((size_t)importance->n, sizeof *importance->heads);
    if (importance->heads == NULL) {
        return hl_error_memory("the importance of heads");
    }
    hl_head_importance *next = importance->heads;
    for (int l = 0; l < config->n_layers; l++) {
        for (int64_t h = 0; h < config->heads[l]; h++) {
            *next++ = (hl_head_importance){ .layer = l, .head = h };
        }
    }
    return hl_ok();
}

static hl_status measure_all(hl_effect_losses *s, const hl_batch *examples, hl_importance_depth depth,
                             hl_importance *importance)
{
    HL_TRY(hl_effect_losses_begin(s, examples));
    HL_TRY(hl_effect_losses_measure(s, NULL, s->losses));
    importance->n_examples = s->n;
    importance->loss = hl_estimate_of(s->losses, 1, s->n).mean;
    HL_TRY(measure_gradients(s, importance));
    return depth != HL_IMPORTANCE_GRADIENT ? measure_exactly(s, depth, importance) : hl_ok();
}

hl_status hl_importance_measure(hl_model *model, const hl_batch *examples, const hl_patterns *layers, int64_t part,
                                int threads, hl_importance_depth depth, hl_importance *importance)
{
    *importance = (hl_importance){ 0 };
    if ((unsigned)depth > HL_IMPORTANCE_ALL) {
        return hl_error(HL_INVALID, "unknown depth number %d of the importance of heads", (int)depth);
    }
    HL_TRY(allocate(importance, &model->config));
    hl_effect_losses s = { .model = model, .layers = layers, .part = part, .threads = threads };
    hl_status status = measure_all(&s, examples, depth, importance);
    hl_effect_losses_free(&s);
    if (status.code != HL_OK) {
        hl_importance_free(importance);
    }
    return status;
}

void hl_importance_free(hl_importance *importance)
{
    hl_free(importance->heads);
    *importance = (hl_importance){ 0 };
}
