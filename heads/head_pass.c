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

static float *numbers(int64_t rows, int64_t width)
{
    size_t count;
    return hl_multiply_sizes((size_t)rows, (size_t)width, &count) ? hl_calloc(count, sizeof(float)) : NULL;
}

static hl_head_pass_layer shape_of(const hl_multi_head *module)
{
    const hl_multi_head_config *c = &module->config;
    return (hl_head_pass_layer){ .n_heads = c->n_heads, .n_kv_heads = c->n_kv_heads, .d_k = c->d_k, .d_v = c->d_v };
}

static bool allocate_layer(hl_head_pass_layer *layer, const hl_head_pass *pass, const hl_multi_head *module)
{
    *layer = shape_of(module);
    int64_t rows = pass->n_examples * pass->n_tokens;
    layer->q = numbers(rows, layer->n_heads * layer->d_k);
    layer->k = numbers(rows, layer->n_kv_heads * layer->d_k);
    layer->v = numbers(rows, layer->n_kv_heads * layer->d_v);
    layer->w_o = numbers(pass->d_model, layer->n_heads * layer->d_v);
    layer->b_o = numbers(pass->d_model, 1);
    return layer->q != NULL && layer->k != NULL && layer->v != NULL && layer->w_o != NULL && layer->b_o != NULL;
}

static hl_status allocate(hl_head_pass *pass, const hl_model *model, const hl_examples *examples)
{
    *pass = (hl_head_pass){ .n_examples = examples->n_examples,
                            .n_tokens = examples->n_tokens,
                            .d_model = model->config.d_model };
    pass->layers = hl_calloc((size_t)model->encoder.n_layers, sizeof *pass->layers);
    HL_NEED(pass->layers != NULL, "a pass of the heads");
    pass->n_layers = model->encoder.n_layers;
    for (int l = 0; l < pass->n_layers; l++) {
        HL_NEED(allocate_layer(&pass->layers[l], pass, &model->encoder.layers[l].self_attn), "a pass of the heads");
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
    hl_arena arena = { 0 };
    hl_tape_plan plan;
    hl_evaluator evaluator = { .model = model,
                               .arena = &arena,
                               .plan = &plan,
                               .rows = batch->n_rows,
                               .threads = threads,
                               .begin = begin_pass,
                               .context = &f };
    HL_TRY(hl_evaluator_plan(&evaluator, batch->longest, &plan));
    hl_status status = hl_arena_init(&arena, plan.bytes);
    HL_THEN(status, hl_evaluate(&evaluator, batch, NULL));
    hl_arena_free(&arena);
    hl_tape_plan_free(&plan);
    return status;
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

static size_t layer_bytes(const hl_head_pass_layer *layer, int64_t rows, int64_t d_model)
{
    int64_t width = layer->n_heads * layer->d_k + layer->n_kv_heads * (layer->d_k + layer->d_v);
    return (size_t)(rows * width + d_model * (layer->n_heads * layer->d_v + 1)) * sizeof(float);
}

size_t hl_head_pass_bytes_of(const hl_model *model, int64_t n_examples, int64_t n_tokens)
{
    size_t bytes = 0;
    for (int l = 0; l < model->encoder.n_layers; l++) {
        hl_head_pass_layer layer = shape_of(&model->encoder.layers[l].self_attn);
        bytes += layer_bytes(&layer, n_examples * n_tokens, model->config.d_model);
    }
    return bytes;
}

size_t hl_head_pass_bytes(const hl_head_pass *pass)
{
    size_t bytes = 0;
    for (int l = 0; l < pass->n_layers; l++) {
        bytes += layer_bytes(&pass->layers[l], pass->n_examples * pass->n_tokens, pass->d_model);
    }
    return bytes;
}

void hl_head_pass_free(hl_head_pass *pass)
{
    for (int l = 0; l < pass->n_layers; l++) {
        hl_free(pass->layers[l].q);
        hl_free(pass->layers[l].k);
        hl_free(pass->layers[l].v);
        hl_free(pass->layers[l].w_o);
        hl_free(pass->layers[l].b_o);
    }
    hl_free(pass->layers);
    *pass = (hl_head_pass){ 0 };
}
