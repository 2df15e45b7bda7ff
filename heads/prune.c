#include "heads/prune.h"

#include "core/base/memory.h"
#include "heads/head_set.h"
#include "layers/head_parts.h"

#include <string.h>

/* ---- which heads go where ---- */

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

/* ---- copying ---- */

/* All numbers of a head, to another head of the same widths. */
static void copy_head(const hl_multi_head *from, int64_t old, const hl_multi_head *to, int64_t new)
{
    hl_head_part source[HL_HEAD_PARTS], target[HL_HEAD_PARTS];
    int n = hl_head_parts(from, old, source);
    hl_head_parts(to, new, target);
    for (int i = 0; i < n; i++) {
        for (int64_t row = 0; row < source[i].n_rows; row++) {
            memcpy(target[i].x->data + hl_head_part_at(&target[i], row, 0),
                   source[i].x->data + hl_head_part_at(&source[i], row, 0),
                   (size_t)source[i].n_columns * sizeof(hl_real));
        }
    }
}

hl_status hl_prune(const hl_model *model, const bool *kept, hl_model *pruned)
{
    memset(pruned, 0, sizeof *pruned);
    HL_TRY(hl_parameters_check_allocated(&model->parameters));
    /* The model of fewer heads, without numbers. */
    hl_model_config *config = hl_malloc(sizeof *config); /* too large for a small stack */
    HL_NEED(config != NULL, "a model with fewer heads");
    hl_status status = prune_config(&model->config, kept, config);
    HL_THEN(status, hl_model_init(pruned, config));
    hl_free(config);
    HL_TRY(status);
    HL_TRY(hl_model_reserve(pruned, HL_MODEL_EVALUATED));
    /* Every parameter that the models have in the same shape under the same name: all but those of attention's
     * heads. */
    for (int i = 0; i < pruned->parameters.n; i++) {
        const hl_parameter *parameter = &pruned->parameters.list[i],
                           *old = hl_parameters_find(&model->parameters, parameter->name);
        if (old != NULL && hl_shape_equal(old->tensor->shape, parameter->tensor->shape)) {
            memcpy(parameter->tensor->data, old->tensor->data, (size_t)parameter->count * sizeof(hl_real));
        }
    }
    /* The kept heads become the new ones, in order. Those that share keys and values copy these several times. */
    for (int l = 0; l < model->config.n_layers; l++) {
        const hl_multi_head *from = &model->encoder.layers[l].self_attn, *to = &pruned->encoder.layers[l].self_attn;
        int64_t n = 0;
        for (int64_t h = 0; h < from->config.n_heads; h++) {
            if (*kept++) {
                copy_head(from, h, to, n++);
            }
        }
    }
    return hl_ok();
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
