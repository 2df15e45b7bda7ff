#include "heads/head_pass.h"

#include "core/base/memory.h"
#include "core/op.h"
#include "core/ops/attention.h"
#include "data/batch_storage.h"
#include "heads/evaluator.h"
#include "heads/private/write_terms.h"
#include "heads/private/written_norms.h"

#include <math.h>

/* ---- memory ---- */

static void lay_out_layer(const hl_head_pass *pass, hl_block *block, const hl_multi_head_config *c,
                          hl_head_pass_layer *layer)
{
    int64_t rows = pass->n_examples * pass->n_tokens, D = pass->d_model;
    *layer = (hl_head_pass_layer){ .n_heads = c->n_heads,
                                   .n_kv_heads = c->n_kv_heads,
                                   .d_k = c->d_k,
                                   .d_v = c->d_v,
                                   .window = c->window,
                                   .lengths = hl_block_take(block, rows * c->n_heads, sizeof(float)) };
    if (pass->whole) {
        layer->x = hl_block_take(block, rows * D, sizeof(float));
        layer->q = hl_block_take(block, rows * c->n_heads * c->d_k, sizeof(float));
        layer->k = hl_block_take(block, rows * c->n_kv_heads * c->d_k, sizeof(float));
        layer->v = hl_block_take(block, rows * c->n_kv_heads * c->d_v, sizeof(float));
        layer->u = hl_block_take(block, rows * c->n_heads * c->d_v, sizeof(float));
        layer->w_o = hl_block_take(block, D * c->n_heads * c->d_v, sizeof(float));
        layer->b_o = hl_block_take(block, D, sizeof(float));
        layer->gain = hl_block_take(block, D, sizeof(float));
        layer->shift = hl_block_take(block, D, sizeof(float));
    }
}

/* A pass that is laid out. */
typedef struct made {
    hl_head_pass *pass;
    const hl_model *model;
} made;

static void lay_out(void *context, hl_block *block)
{
    const made *m = context;
    hl_head_pass *pass = m->pass;
    int64_t rows = pass->n_examples * pass->n_tokens;
    for (int l = 0; l < pass->n_layers; l++) {
        hl_head_pass_layer counted;
        lay_out_layer(pass, block, &m->model->encoder.layers[l].self_attn.config,
                      block->memory != NULL ? &pass->layers[l] : &counted);
    }
    if (pass->whole) {
        pass->hidden = hl_block_take(block, rows * pass->d_model, sizeof(float));
        pass->logits = m->model->config.head != HL_HEAD_NONE ? hl_block_take(block, rows, sizeof(float)) : NULL;
    }
}

static hl_head_pass sizes(const hl_model *model, int64_t n_examples, int64_t n_tokens, bool whole)
{
    return (hl_head_pass){ .whole = whole,
                           .post = model->config.norm == HL_NORM_POST,
                           .n_layers = model->encoder.n_layers,
                           .n_examples = n_examples,
                           .n_tokens = n_tokens,
                           .d_model = model->config.d_model };
}

size_t hl_head_pass_bytes(const hl_model *model, int64_t n_examples, int64_t n_tokens, bool whole)
{
    hl_head_pass pass = sizes(model, n_examples, n_tokens, whole);
    return hl_block_bytes(lay_out, &(made){ &pass, model });
}

static hl_status allocate(hl_head_pass *pass, const hl_model *model)
{
    pass->layers = hl_calloc((size_t)pass->n_layers, sizeof *pass->layers);
    HL_NEED(pass->layers != NULL, "a pass of the heads");
    return hl_block_make(&pass->memory, lay_out, &(made){ pass, model }, "a pass of the heads");
}

/* ---- the model's own numbers ---- */

static void copy(float *to, const hl_real *from, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        to[i] = (float)from[i];
    }
}

static void copy_parameter(float *to, const hl_tensor *parameter)
{
    if (parameter != NULL) {
        copy(to, parameter->data, hl_shape_count(parameter->shape));
    }
}

static void copy_parameters(hl_head_pass *pass, const hl_model *model)
{
    for (int l = 0; l < pass->n_layers && pass->whole; l++) {
        const hl_encoder_layer *from = &model->encoder.layers[l];
        hl_head_pass_layer *layer = &pass->layers[l];
        copy_parameter(layer->w_o, from->self_attn.out_proj.weight);
        copy_parameter(layer->b_o, from->self_attn.out_proj.bias);
        copy_parameter(layer->gain, from->norm1.weight);
        copy_parameter(layer->shift, from->norm1.bias);
        layer->epsilon = (double)from->norm1.epsilon;
        layer->rms = from->norm1.kind == HL_NORM_RMS;
        layer->has_norm1 = from->norm1.weight != NULL;
    }
}

/* ---- the pass ---- */

/* What is filled while the model runs, in one slice. The rest serves a whole pass. */
typedef struct filling {
    const hl_model *model;
    hl_head_pass *pass;
    int layer;
    hl_sequences examples;
    hl_tape_observer observer;
    hl_written_norms norms;

    hl_write_pass write;
    const hl_tape_observer *writing;
    hl_write_terms terms;
    hl_answer_path path;
    int32_t *rows; /* (N): every row */
    hl_real *states;
    hl_write_answer *answers; /* (N) */
    int64_t n_answers;
} filling;

/* `width` numbers of every row, to (E, T, width). */
static void copy_rows(const filling *f, float *to, const hl_real *from, int64_t stride, int64_t width)
{
    for (int64_t b = 0; b < f->examples.n; b++) {
        int64_t first = hl_sequences_first(&f->examples, b);
        for (int64_t i = 0; i < hl_sequences_length(&f->examples, b); i++) {
            copy(to + (b * f->pass->n_tokens + i) * width, from + (first + i) * stride, width);
        }
    }
}

static void copy_columns(const filling *f, float *to, hl_columns columns, int64_t width)
{
    copy_rows(f, to, columns.x->data + columns.first, hl_shape_last(columns.x->shape), width);
}

static void measure_lengths(const filling *f, const hl_attention_args *args)
{
    const hl_head_pass_layer *layer = &f->pass->layers[f->layer];
    int64_t T = f->pass->n_tokens;
    for (int64_t h = 0; h < layer->n_heads; h++) {
        hl_written_norms_of_values(&f->norms, f->layer, h, args);
        for (int64_t b = 0; b < f->examples.n; b++) {
            int64_t first = hl_sequences_first(&f->examples, b);
            for (int64_t i = 0; i < hl_sequences_length(&f->examples, b); i++) {
                layer->lengths[(b * T + i) * layer->n_heads + h] = (float)f->norms.lengths[first + i];
            }
        }
    }
}

static void observe(void *context, const hl_node *node, bool backward)
{
    filling *f = context;
    const hl_attention_args *args = hl_attention_args_of(node);
    if (f->pass->whole) {
        f->writing->end(f->writing->context, node, backward);
    }
    if (args == NULL || backward) {
        return;
    }
    hl_head_pass_layer *layer = &f->pass->layers[f->layer];
    measure_lengths(f, args);
    if (f->pass->whole) {
        copy_columns(f, layer->q, args->q, layer->n_heads * layer->d_k);
        copy_columns(f, layer->k, args->k, layer->n_kv_heads * layer->d_k);
        copy_columns(f, layer->v, args->v, layer->n_kv_heads * layer->d_v);
    }
    f->layer++;
}

static void keep_u(void *context, int layer, const hl_real *u)
{
    filling *f = context;
    int64_t width = f->pass->layers[layer].n_heads * f->pass->layers[layer].d_v;
    copy_rows(f, f->pass->layers[layer].u, u, width, width);
}

static hl_status begin_pass(void *context, hl_evaluator_slice *slice)
{
    filling *f = context;
    f->examples = hl_batch_sequences(&slice->batch);
    f->observer = (hl_tape_observer){ .end = observe, .context = f };
    slice->observer = &f->observer;
    if (f->pass->whole) {
        for (int64_t i = 0; i < slice->batch.n_rows; i++) {
            f->rows[i] = (int32_t)i;
        }
        f->writing = hl_write_pass_begin(&f->write, f->rows, slice->batch.n_rows);
        slice->states = f->states;
    }
    return hl_ok();
}

/* The centred logits of the answers, at the positions of their targets. */
static void keep_logits(const filling *f, const hl_evaluator_slice *slice, const hl_real *logits)
{
    int64_t C = f->path.n_logits;
    for (int64_t i = 0; i < f->pass->n_examples * f->pass->n_tokens; i++) {
        f->pass->logits[i] = NAN;
    }
    for (int64_t a = 0; a < f->n_answers; a++) {
        const hl_write_answer *answer = &f->answers[a];
        int64_t row = slice->batch.target_rows[answer->target];
        int64_t at = answer->example * f->pass->n_tokens + row - hl_sequences_first(&f->examples, answer->example);
        f->pass->logits[at] = (float)hl_centred_logit(logits + answer->target * C, C, answer->id);
    }
}

static hl_status end_pass(void *context, const hl_evaluator_slice *slice, const hl_real *logits)
{
    filling *f = context;
    int64_t D = f->pass->d_model, n = slice->batch.n_rows;
    for (int l = 0; l < f->pass->n_layers && f->pass->whole; l++) {
        copy_rows(f, f->pass->layers[l].x, f->states + l * n * D, D, D);
    }
    if (f->pass->whole) {
        copy_rows(f, f->pass->hidden, f->write.hidden, D, D);
    }
    if (f->pass->logits == NULL) {
        return hl_ok();
    }
    f->n_answers = hl_write_answers_of(f->model, &slice->batch, f->answers);
    keep_logits(f, slice, logits);
    return f->n_answers > 0 ? hl_write_terms_of(&f->terms, &f->write, &f->path, f->answers, f->n_answers) : hl_ok();
}

/* In memory of its own: it is too large for the stack of some threads. NULL when out of memory. */
static filling *begin_filling(const hl_model *model, hl_head_pass *pass)
{
    filling *f = hl_calloc(1, sizeof *f);
    if (f != NULL) {
        f->model = model;
        f->pass = pass;
    }
    return f;
}

static void lay_out_filling(void *context, hl_block *block)
{
    filling *f = context;
    const hl_model *model = f->model;
    int64_t N = f->pass->n_examples * f->pass->n_tokens;
    hl_written_norms_lay_out(&f->norms, block, model, N);
    if (!f->pass->whole) {
        return;
    }
    f->answers = hl_block_take(block, N, sizeof *f->answers);
    f->states = hl_block_take(block, (f->pass->n_layers + 1) * N * f->pass->d_model, sizeof *f->states);
    f->rows = hl_block_take(block, N, sizeof *f->rows);
    hl_write_pass_lay_out(&f->write, block, model, N);
    if (model->config.head != HL_HEAD_NONE) {
        hl_answer_path_lay_out(&f->path, block, model, N);
        hl_write_terms_lay_out(&f->terms, block, model, N);
    }
}

hl_status hl_head_pass_working_bytes(const hl_model *model, int64_t n_examples, int64_t n_tokens, bool whole,
                                     size_t *bytes)
{
    hl_head_pass pass = sizes(model, n_examples, n_tokens, whole);
    filling *f = begin_filling(model, &pass);
    HL_NEED(f != NULL, "the computations of heads");
    *bytes = hl_size_sum(hl_block_bytes(lay_out_filling, f), hl_batch_storage_bytes(n_examples, n_examples * n_tokens));
    hl_free(f);
    return hl_ok();
}

/* Runs the model in one slice, with the working memory in place. */
static hl_status run(filling *f, const hl_batch *batch, int threads)
{
    hl_written_norms_begin(&f->norms, threads);
    if (f->pass->logits != NULL) {
        hl_answer_path_begin(&f->path, f->model, threads);
        f->pass->exact = f->path.exact && !f->model->config.bf16;
        f->terms.toward = keep_u;
        f->terms.context = f;
    }
    const hl_evaluator evaluator = {
        .model = f->model, .rows = batch->n_rows, .threads = threads, .begin = begin_pass, .end = end_pass, .context = f
    };
    return hl_evaluate_once(evaluator, batch, NULL);
}

static hl_status fill(const hl_model *model, const hl_batch *batch, int threads, hl_head_pass *pass)
{
    void *memory = NULL;
    filling *f = begin_filling(model, pass);
    HL_NEED(f != NULL, "a pass of the heads");
    hl_status status = hl_block_make(&memory, lay_out_filling, f, "a pass of the heads");
    HL_THEN(status, run(f, batch, threads));
    hl_free(memory);
    hl_free(f);
    return status;
}

hl_status hl_head_pass_run(const hl_model *model, const hl_examples *batch, int64_t n_examples, bool whole, int threads,
                           hl_head_pass *pass)
{
    *pass = (hl_head_pass){ 0 };
    HL_TRY(hl_parameters_check_allocated(&model->parameters));
    if (n_examples < 1 || batch->n_examples < 1) {
        return hl_error(HL_INVALID, "a pass of the heads takes at least one example");
    }
    hl_examples examples = hl_examples_slice(batch, 0, n_examples < batch->n_examples ? n_examples : batch->n_examples);
    hl_batch_storage storage = { 0 };
    *pass = sizes(model, examples.n_examples, examples.n_tokens, whole);
    hl_status status = allocate(pass, model);
    if (status.code == HL_OK) {
        copy_parameters(pass, model);
        status = hl_batch_storage_of(&storage, &examples, examples.n_tokens);
    }
    HL_THEN(status, fill(model, &storage.batch, threads, pass));
    hl_batch_storage_free(&storage);
    if (status.code != HL_OK) {
        hl_head_pass_free(pass);
    }
    return status;
}

void hl_head_pass_free(hl_head_pass *pass)
{
    hl_free(pass->layers);
    hl_free(pass->memory);
    *pass = (hl_head_pass){ 0 };
}
