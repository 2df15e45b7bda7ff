#include "tests/pretrained/pass.h"

#include "core/base/memory.h"
#include "layers/encoder_layer.h"

#include <string.h>

static hl_status keep(const hl_tape *tape, const hl_tensor *x, hl_real **copy)
{
    HL_TRY(hl_tape_status(tape));
    size_t count = (size_t)hl_shape_count(x->shape);
    *copy = hl_calloc(count, sizeof **copy);
    if (*copy == NULL) {
        return hl_error_memory("hidden states");
    }
    memcpy(*copy, x->data, count * sizeof **copy);
    return hl_ok();
}

static hl_status run_layer(pass *p, const hl_model *model, const hl_batch *batch, hl_tape *tape, int l)
{
    hl_attention_rules rules = hl_model_rules(model, batch);
    int64_t H = model->config.heads[l], T = batch->longest;
    p->attention[l] = hl_calloc((size_t)(batch->n_examples * H * T * T), sizeof(hl_real));
    if (p->attention[l] == NULL) {
        return hl_error_memory("attention weights");
    }
    hl_head_weights weights = { .at = p->attention[l], .n_heads = H, .n_tokens = T };
    hl_head_probe probe = { .observe = hl_head_weights_observe, .observe_context = &weights };
    hl_tensor *x = hl_tape_tensor(tape, HL_SHAPE(batch->n_rows, model->config.d_model), p->hidden[l], false);
    x = hl_encoder_layer_forward(tape, &model->encoder.layers[l], x, &rules, &probe);
    if (l == model->config.n_layers - 1) {
        x = hl_encoder_end(tape, &model->encoder, x);
    }
    return keep(tape, x, &p->hidden[l + 1]);
}

hl_status pass_run(pass *p, const hl_model *model, const hl_batch *batch, hl_arena *arena)
{
    const hl_tape_options options = { .threads = 1 };
    hl_tape tape;
    hl_arena_rewind(arena, 0);
    hl_tape_begin(&tape, arena, options);
    HL_TRY(keep(&tape, hl_model_embed(&tape, model, batch), &p->hidden[0]));
    for (int l = 0; l < model->config.n_layers; l++) {
        hl_arena_rewind(arena, 0);
        hl_tape_begin(&tape, arena, options);
        HL_TRY(run_layer(p, model, batch, &tape, l));
    }
    if (model->config.head == HL_HEAD_NONE) {
        return hl_ok();
    }
    hl_arena_rewind(arena, 0);
    hl_tape_begin(&tape, arena, options);
    hl_tensor *logits = hl_model_logits(&tape, model, batch, NULL);
    p->n_logits = logits != NULL ? hl_shape_count(logits->shape) : 0;
    return keep(&tape, logits, &p->logits);
}

void pass_free(pass *p)
{
    for (int l = 0; l < HL_MAX_LAYERS; l++) {
        hl_free(p->hidden[l]);
        hl_free(p->attention[l]);
    }
    hl_free(p->hidden[HL_MAX_LAYERS]);
    hl_free(p->logits);
    memset(p, 0, sizeof *p);
}
