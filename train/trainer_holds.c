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

/* n numbers from index `at` of the registry's blocks on. */
typedef void row_visit(void *context, int64_t at, int64_t n);

/* Calls `visit` for each run of numbers that is frozen at that step. Keys and values of a group are visited with its
 * first head. */
static void each_frozen_row(const hl_holds *frozen, const hl_model *model, int64_t step, row_visit *visit,
                            void *context)
{
    for (int l = 0; l < model->encoder.n_layers; l++) {
        const hl_multi_head *layer = &model->encoder.layers[l].self_attn;
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
                for (int64_t row = 0; row < parts[i].n_rows && (own || group); row++) {
                    int64_t first = parts[i].x->data - model->parameters.values;
                    visit(context, first + hl_head_part_at(&parts[i], row, 0), parts[i].n_columns);
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
    hl_holds frozen = hl_holds_frozen(config);
    return hl_size_product(3 * (size_t)most_frozen(&frozen, model), sizeof(hl_real));
}

static void clear_row(void *context, int64_t at, int64_t n)
{
    const hl_parameters *parameters = context;
    memset(parameters->grads + at, 0, (size_t)n * sizeof *parameters->grads);
}

void hl_trainer_holds_clear(const hl_trainer *trainer)
{
    if (trainer->holds != NULL) {
        each_frozen_row(&trainer->holds->frozen, &trainer->model, trainer->optimizer.step, clear_row,
                        (void *)&trainer->model.parameters);
    }
}

typedef struct copying {
    const hl_trainer *trainer;
    bool back;
    int64_t used;
} copying;

static void copy_row(void *context, int64_t at, int64_t n)
{
    copying *c = context;
    const hl_trainer *trainer = c->trainer;
    hl_real *const blocks[] = { trainer->model.parameters.values, trainer->optimizer.m, trainer->optimizer.v };
    for (int i = 0; i < 3; i++) {
        hl_real *kept = trainer->holds->kept + i * trainer->holds->most + c->used;
        if (blocks[i] != NULL) {
            memcpy(c->back ? blocks[i] + at : kept, c->back ? kept : blocks[i] + at, (size_t)n * sizeof *kept);
        }
    }
    c->used += n;
}

void hl_trainer_holds_keep(const hl_trainer *trainer, int64_t step)
{
    if (trainer->holds != NULL) {
        each_frozen_row(&trainer->holds->frozen, &trainer->model, step, copy_row, &(copying){ trainer, false, 0 });
    }
}

void hl_trainer_holds_restore(const hl_trainer *trainer, int64_t step)
{
    if (trainer->holds != NULL) {
        each_frozen_row(&trainer->holds->frozen, &trainer->model, step, copy_row, &(copying){ trainer, true, 0 });
    }
}

/* ---- heads that are off ---- */

void hl_trainer_holds_switch(const hl_trainer *trainer)
{
    const hl_trainer_holds *holds = trainer->holds;
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
    hl_holds off = hl_holds_off(trainer->config), frozen = hl_holds_frozen(trainer->config);
    if (off.n == 0 && frozen.n == 0) {
        return hl_ok();
    }
    hl_trainer_holds *holds = trainer->holds = hl_calloc(1, sizeof *holds);
    HL_NEED(holds != NULL, "heads that are held");
    hl_model *model = &trainer->model;
    holds->off = off;
    holds->frozen = frozen;
    holds->most = most_frozen(&frozen, model);
    holds->numbers = hl_calloc((size_t)hl_heads_count(&model->config), sizeof *holds->numbers);
    holds->kept = hl_calloc(3 * (size_t)holds->most + 1, sizeof *holds->kept);
    HL_NEED(holds->numbers != NULL && holds->kept != NULL, "heads that are held");
    for (int l = 0; l < model->encoder.n_layers && off.n > 0; l++) {
        holds->switches[l] = (hl_tensor){ .shape = HL_SHAPE(1, model->config.heads[l]),
                                          .data = holds->numbers + hl_heads_before(&model->config, l) };
        model->encoder.layers[l].self_attn.switches = &holds->switches[l];
    }
    hl_trainer_holds_switch(trainer);
    return hl_ok();
}

void hl_trainer_holds_free(hl_trainer *trainer)
{
    if (trainer->holds != NULL) {
        hl_free(trainer->holds->numbers);
        hl_free(trainer->holds->kept);
        hl_free(trainer->holds);
        trainer->holds = NULL;
    }
}
