#include "heads/head_pass.h"

#include "core/arena.h"
#include "core/base/memory.h"
#include "core/op.h"
#include "core/ops/attention.h"
#include "data/batch_storage.h"
#include "heads/evaluator.h"

/* What the tape's observer writes, one layer after the other. */
typedef struct filling {
    hl_head_pass *pass;
    int layer;
    hl_sequences examples;
    hl_tape_observer observer;
} filling;

static void copy(float *to, const hl_real *from, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        to[i] = (float)from[i];
    }
}

/* `width` columns of every row, to (E, T, width). */
static void copy_columns(const filling *f, float *to, hl_columns columns, int64_t width)
{
    int64_t stride = hl_shape_last(columns.x->shape);
    for (int64_t b = 0; b < f->examples.n; b++) {
        const hl_real *from = columns.x->data + hl_sequences_first(&f->examples, b) * stride + columns.first;
        for (int64_t i = 0; i < hl_sequences_length(&f->examples, b); i++) {
            copy(to + (b * f->pass->n_tokens + i) * width, from + i * stride, width);
        }
    }
}

static void copy_attention(void *context, const hl_node *node, bool backward)
{
    const hl_attention_args *args = hl_attention_args_of(node);
    if (args == NULL || backward) {
        return;
    }
    filling *f = context;
    hl_head_pass_layer *layer = &f->pass->layers[f->layer++];
    copy_columns(f, layer->q, args->q, layer->n_heads * layer->d_k);
    copy_columns(f, layer->k, args->k, layer->n_kv_heads * layer->d_k);
    copy_columns(f, layer->v, args->v, layer->n_kv_heads * layer->d_v);
}

static bool begin_pass(void *context, hl_evaluator_slice *slice)
{
    filling *f = context;
    f->examples = hl_batch_sequences(&slice->batch);
    slice->observer = &f->observer;
    return true;
}

size_t hl_head_pass_bytes(const hl_model *model, int64_t n_examples, int64_t n_tokens)
{
    int64_t numbers = 0;
    for (int l = 0; l < model->encoder.n_layers; l++) {
        const hl_multi_head_config *c = &model->encoder.layers[l].self_attn.config;
        numbers += n_examples * n_tokens * (c->n_heads * c->d_k + c->n_kv_heads * (c->d_k + c->d_v));
        numbers += c->d_model * (c->n_heads * c->d_v + 1);
    }
    return (size_t)numbers * sizeof(float);
}

/* Lays the layer's arrays out from `next` on; returns where they end. */
static float *place_layer(hl_head_pass_layer *layer, const hl_head_pass *pass, const hl_multi_head_config *c,
                          float *next)
{
    int64_t rows = pass->n_examples * pass->n_tokens, v = c->n_kv_heads * c->d_v;
    *layer = (hl_head_pass_layer){
        .n_heads = c->n_heads, .n_kv_heads = c->n_kv_heads, .d_k = c->d_k, .d_v = c->d_v, .q = next
    };
    layer->k = layer->q + rows * c->n_heads * c->d_k;
    layer->v = layer->k + rows * c->n_kv_heads * c->d_k;
    layer->w_o = layer->v + rows * v;
    layer->b_o = layer->w_o + c->d_model * c->n_heads * c->d_v;
    return layer->b_o + c->d_model;
}

static hl_status allocate(hl_head_pass *pass, const hl_model *model, const hl_examples *examples)
{
    *pass = (hl_head_pass){ .n_examples = examples->n_examples,
                            .n_tokens = examples->n_tokens,
                            .d_model = model->config.d_model,
                            .n_layers = model->encoder.n_layers,
                            .bytes = hl_head_pass_bytes(model, examples->n_examples, examples->n_tokens) };
    pass->layers = hl_calloc((size_t)pass->n_layers, sizeof *pass->layers);
    float *next = pass->numbers = hl_calloc(pass->bytes, 1);
    HL_NEED(pass->layers != NULL && pass->numbers != NULL, "a pass of the heads");
    for (int l = 0; l < pass->n_layers; l++) {
        next = place_layer(&pass->layers[l], pass, &model->encoder.layers[l].self_attn.config, next);
    }
    return hl_ok();
}

static void copy_outputs(hl_head_pass *pass, const hl_model *model)
{
    for (int l = 0; l < pass->n_layers; l++) {
        const hl_linear_layer *out = &model->encoder.layers[l].self_attn.out_proj;
        copy(pass->layers[l].w_o, out->weight->data, hl_shape_count(out->weight->shape));
        if (out->bias != NULL) {
            copy(pass->layers[l].b_o, out->bias->data, pass->d_model);
        }
    }
}

/* In one slice. */
static hl_status run(const hl_model *model, const hl_batch *batch, int threads, hl_head_pass *pass)
{
    filling f = { .pass = pass, .observer = { .end = copy_attention, .context = &f } };
    const hl_evaluator evaluator = {
        .model = model, .rows = batch->n_rows, .threads = threads, .begin = begin_pass, .context = &f
    };
    return hl_evaluate_once(evaluator, batch, NULL);
}

hl_status hl_head_pass_run(const hl_model *model, const hl_examples *batch, int64_t n_examples, int threads,
                           hl_head_pass *pass)
{
    *pass = (hl_head_pass){ 0 };
    HL_TRY(hl_parameters_check_allocated(&model->parameters));
    if (n_examples < 1 || batch->n_examples < 1) {
        return hl_error(HL_INVALID, "a pass of the heads takes at least one example");
    }
    hl_examples examples = hl_examples_slice(batch, 0, n_examples < batch->n_examples ? n_examples : batch->n_examples);
    hl_batch_storage storage = { 0 };
    hl_status status = allocate(pass, model, &examples);
    if (status.code == HL_OK) {
        copy_outputs(pass, model);
        status = hl_batch_storage_of(&storage, &examples, examples.n_tokens);
    }
    HL_THEN(status, run(model, &storage.batch, threads, pass));
    hl_batch_storage_free(&storage);
    if (status.code != HL_OK) {
        hl_head_pass_free(pass);
    }
    return status;
}

void hl_head_pass_free(hl_head_pass *pass)
{
    hl_free(pass->layers);
    hl_free(pass->numbers);
    *pass = (hl_head_pass){ 0 };
}
