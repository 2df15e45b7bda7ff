#include "heads/prune.h"

#include "core/base/memory.h"
#include "heads/head_set.h"

#include <string.h>

/* ---- which heads go where ---- */

/* Each new head's old one, in one layer. */
typedef struct survivors {
    int64_t *heads;    /* (H of the new layer) */
    int64_t *kv_heads; /* (Hkv of the new layer) */
} survivors;

/* How many heads can share a key/value head: the largest number that divides what is left to each. At least 1. */
static int64_t shared_by(int64_t H, int64_t Hkv, const bool *kept)
{
    int64_t divisor = 0;
    for (int64_t g = 0; g < Hkv; g++) {
        int64_t left = hl_head_set_size(kept + g * (H / Hkv), H / Hkv);
        while (left != 0) { /* Euclid's algorithm */
            int64_t rest = divisor % left;
            divisor = left;
            left = rest;
        }
    }
    return divisor;
}

static hl_status prune_config(const hl_model_config *from, const bool *kept, hl_model_config *config)
{
    *config = *from;
    for (int l = 0; l < from->n_layers; l++) {
        int64_t H = from->heads[l], left = hl_head_set_size(kept, H);
        if (left == 0) {
            return hl_error(HL_INVALID, "layer %d would be without heads; every layer keeps at least one", l);
        }
        config->heads[l] = left;
        config->kv_heads[l] = left / shared_by(H, from->kv_heads[l], kept);
        kept += H;
    }
    return hl_ok();
}

static void find_survivors(const hl_multi_head_config *from, const hl_multi_head_config *to, const bool *kept,
                           survivors *s)
{
    int64_t n = 0;
    for (int64_t h = 0; h < from->n_heads; h++) {
        if (kept[h]) {
            s->heads[n] = h;
            s->kv_heads[n / (to->n_heads / to->n_kv_heads)] = h / (from->n_heads / from->n_kv_heads);
            n++;
        }
    }
}

/* ---- copying ---- */

/* The rows of q, k or v (`which` 0, 1, 2) in a layer, and the numbers that belong to them in its bias. */
typedef struct projection {
    hl_real *weight; /* (rows, D) */
    hl_real *bias;   /* (rows), or NULL */
} projection;

static projection projection_of(const hl_multi_head *layer, int which)
{
    const hl_multi_head_config *c = &layer->config;
    hl_tensor *const own[3] = { layer->q_proj_weight, layer->k_proj_weight, layer->v_proj_weight };
    const int64_t first[3] = { 0, c->n_heads * c->d_k, (c->n_heads + c->n_kv_heads) * c->d_k };
    projection p = { 0 };
    p.weight =
        layer->in_proj_weight != NULL ? layer->in_proj_weight->data + first[which] * c->d_model : own[which]->data;
    p.bias = layer->in_proj_bias != NULL ? layer->in_proj_bias->data + first[which] : NULL;
    return p;
}

/* The n new heads' rows of a projection, `width` of them each. */
static void copy_projection(projection from, projection to, const int64_t *heads, int64_t n, int64_t width,
                            int64_t d_model)
{
    for (int64_t i = 0; i < n; i++) {
        memcpy(to.weight + i * width * d_model, from.weight + heads[i] * width * d_model,
               (size_t)(width * d_model) * sizeof *to.weight);
        if (to.bias != NULL) {
            memcpy(to.bias + i * width, from.bias + heads[i] * width, (size_t)width * sizeof *to.bias);
        }
    }
}

static void copy_attention(const hl_multi_head *from, const hl_multi_head *to, const survivors *s)
{
    const hl_multi_head_config *c = &to->config;
    copy_projection(projection_of(from, 0), projection_of(to, 0), s->heads, c->n_heads, c->d_k, c->d_model);
    copy_projection(projection_of(from, 1), projection_of(to, 1), s->kv_heads, c->n_kv_heads, c->d_k, c->d_model);
    copy_projection(projection_of(from, 2), projection_of(to, 2), s->kv_heads, c->n_kv_heads, c->d_v, c->d_model);
    /* the columns of W_O that the new heads' outputs are multiplied with */
    int64_t H = from->config.n_heads, n = c->n_heads, Dv = c->d_v;
    const hl_real *W = from->out_proj.weight->data;
    hl_real *into = to->out_proj.weight->data;
    for (int64_t i = 0; i < c->d_model * n; i++) {
        memcpy(into + i * Dv, W + (i / n * H + s->heads[i % n]) * Dv, (size_t)Dv * sizeof *into);
    }
}

/* Every parameter that the models have in the same shape under the same name: all but those of attention's heads. */
static void copy_the_rest(const hl_parameters *from, const hl_parameters *to)
{
    for (int i = 0; i < to->n; i++) {
        const hl_parameter *parameter = &to->list[i], *old = hl_parameters_find(from, parameter->name);
        if (old != NULL && hl_shape_equal(old->tensor->shape, parameter->tensor->shape)) {
            memcpy(parameter->tensor->data, old->tensor->data, (size_t)parameter->count * sizeof(hl_real));
        }
    }
}

/* The model of fewer heads, without numbers. */
static hl_status make_smaller(const hl_model_config *whole, const bool *kept, hl_model *pruned)
{
    hl_model_config *config = hl_malloc(sizeof *config); /* too large for a small stack */
    HL_NEED(config != NULL, "a model with fewer heads");
    hl_status status = prune_config(whole, kept, config);
    HL_THEN(status, hl_model_init(pruned, config));
    hl_free(config);
    return status;
}

hl_status hl_prune(const hl_model *model, const bool *kept, hl_model *pruned)
{
    memset(pruned, 0, sizeof *pruned);
    HL_TRY(hl_parameters_check_allocated(&model->parameters));
    HL_TRY(make_smaller(&model->config, kept, pruned));
    HL_TRY(hl_model_reserve(pruned, HL_MODEL_EVALUATED));
    size_t n = (size_t)hl_heads_count(&pruned->config);
    survivors s = { hl_calloc(n, sizeof *s.heads), hl_calloc(n, sizeof *s.kv_heads) };
    bool complete = s.heads != NULL && s.kv_heads != NULL;
    if (complete) {
        copy_the_rest(&model->parameters, &pruned->parameters);
        for (int l = 0; l < model->config.n_layers; l++) {
            const hl_multi_head *from = &model->encoder.layers[l].self_attn, *to = &pruned->encoder.layers[l].self_attn;
            find_survivors(&from->config, &to->config, kept, &s);
            copy_attention(from, to, &s);
            kept += from->config.n_heads;
        }
    }
    hl_free(s.heads);
    hl_free(s.kv_heads);
    return complete ? hl_ok() : hl_error_memory("a model with fewer heads");
}

/* ---- the order ---- */

int64_t hl_prune_next(const hl_model_config *config, const double *importance, const bool *kept)
{
    int64_t next = -1, first = 0;
    for (int l = 0; l < config->n_layers; l++) {
        int64_t H = config->heads[l];
        for (int64_t i = first; i < first + H && hl_head_set_size(kept + first, H) > 1; i++) {
            if (kept[i] && (next < 0 || importance[i] < importance[next])) {
                next = i;
            }
        }
        first += H;
    }
    return next;
}
