#include "train/private/trainer_holds.h"

#include "core/base/memory.h"
#include "heads/head_set.h"
#include "layers/head_parts.h"

#include <string.h>

/* ---- the numbers of frozen heads ---- */

/* Whether keys and values of the head's group are frozen, too: whether all heads of the group are. */
static bool group_is_frozen(const hl_holds *frozen, const hl_multi_head_config *c, int layer, int64_t head,
                            int64_t step)
{
    int64_t size = c->n_heads / c->n_kv_heads, first = head - head % size;
    bool all = true;
    for (int64_t h = first; h < first + size; h++) {
        all = all && hl_holds_at(frozen, layer, h, step);
    }
    return all;
}

/* Does it with n numbers from index `at` of the registry's blocks on, after `used` numbers of other rows. */
static void act_on_row(const hl_trainer *trainer, hl_frozen_act act, int64_t at, int64_t n, int64_t used)
{
    hl_real *const blocks[] = { trainer->model.parameters.values, trainer->optimizer.m, trainer->optimizer.v };
    if (act == HL_FROZEN_CLEAR) {
        memset(trainer->model.parameters.grads + at, 0, (size_t)n * sizeof **blocks);
        return;
    }
    for (int i = 0; i < 3; i++) {
        hl_real *kept = trainer->holds->kept + i * trainer->holds->most + used;
        if (blocks[i] != NULL && act == HL_FROZEN_RESTORE) {
            memcpy(blocks[i] + at, kept, (size_t)n * sizeof *kept);
        } else if (blocks[i] != NULL) {
            memcpy(kept, blocks[i] + at, (size_t)n * sizeof *kept);
        }
    }
}

/* Keys and values of a group go with its first head. */
void hl_trainer_holds_act(const hl_trainer *trainer, int64_t step, hl_frozen_act act)
{
    const hl_holds *frozen = trainer->holds != NULL ? &trainer->holds->frozen : &(hl_holds){ .n = 0 };
    int64_t used = 0;
    for (int l = 0; l < trainer->model.encoder.n_layers && frozen->n > 0; l++) {
        const hl_multi_head *layer = &trainer->model.encoder.layers[l].self_attn;
        int64_t shared = layer->config.n_heads / layer->config.n_kv_heads;
        for (int64_t h = 0; h < layer->config.n_heads; h++) {
            if (!hl_holds_at(frozen, l, h, step)) {
                continue;
            }
            bool group = h % shared == 0 && group_is_frozen(frozen, &layer->config, l, h, step);
            hl_head_part parts[HL_HEAD_PARTS];
            int n = hl_head_parts(layer, h, parts);
            for (int i = 0; i < n; i++) {
                bool own = i == HL_PART_Q || i == HL_PART_O || i == HL_PART_Q_BIAS;
                int64_t first = parts[i].x->data - trainer->model.parameters.values;
                for (int64_t row = 0; row < parts[i].n_rows && (own || group); row++) {
                    act_on_row(trainer, act, first + hl_head_part_at(&parts[i], row, 0), parts[i].n_columns, used);
                    used += parts[i].n_columns;
                }
            }
        }
    }
}

/* The numbers of all heads, if any may be frozen. */
static int64_t most_frozen(const hl_holds *frozen, const hl_model *model)
{
    int64_t most = 0;
    for (int l = 0; l < model->encoder.n_layers && frozen->n > 0; l++) {
        const hl_multi_head_config *c = &model->encoder.layers[l].self_attn.config;
        int64_t rows = c->n_heads * c->d_k + c->n_kv_heads * (c->d_k + c->d_v);
        most += rows * (c->d_model + 1) + c->d_model * c->n_heads * c->d_v;
    }
    return most;
}

size_t hl_trainer_holds_bytes(const hl_config *config, const hl_model *model)
{
    hl_holds frozen = hl_holds_of(config, config->train.frozen);
    return hl_size_product(3 * (size_t)most_frozen(&frozen, model), sizeof(hl_real));
}

/* ---- heads that are off ---- */

void hl_trainer_holds_switch(const hl_trainer *trainer)
{
    hl_trainer_holds *holds = trainer->holds;
    if (holds == NULL || holds->off.n == 0) {
        return;
    }
    hl_real *number = holds->numbers;
    for (int l = 0; l < trainer->model.encoder.n_layers; l++) {
        for (int64_t h = 0; h < trainer->model.config.heads[l]; h++) {
            *number++ = hl_holds_at(&holds->off, l, h, trainer->optimizer.step) ? 0 : 1;
        }
    }
}

hl_status hl_trainer_holds_init(hl_trainer *trainer)
{
    const hl_config_train *train = &trainer->config->train;
    hl_holds off = hl_holds_of(trainer->config, train->off), frozen = hl_holds_of(trainer->config, train->frozen);
    hl_model *model = &trainer->model;
    int64_t heads = hl_heads_count(&model->config), most = most_frozen(&frozen, model);
    if (off.n == 0 && frozen.n == 0) {
        return hl_ok();
    }
    size_t numbers = hl_size_product((size_t)heads + 3 * (size_t)most, sizeof(hl_real));
    hl_trainer_holds *holds = trainer->holds = hl_calloc(1, hl_size_sum(sizeof *holds, numbers));
    HL_NEED(holds != NULL, "heads that are held");
    holds->off = off;
    holds->frozen = frozen;
    holds->most = most;
    holds->kept = holds->numbers + heads;
    for (int l = 0; l < model->encoder.n_layers && off.n > 0; l++) {
        holds->switches[l] = (hl_tensor){ .shape = HL_SHAPE(1, model->config.heads[l]),
                                          .data = holds->numbers + hl_heads_before(&model->config, l) };
        model->encoder.layers[l].self_attn.switches = &holds->switches[l];
    }
    hl_trainer_holds_switch(trainer);
    return hl_ok();
}
