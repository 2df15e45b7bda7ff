#include "heads/head_pass.h"

#include "core/base/memory.h"
#include "core/op.h"
#include "core/ops/attention.h"
#include "data/batch_storage.h"
#include "heads/evaluator.h"
#include "heads/head_set.h"
#include "heads/private/write_terms.h"
#include "heads/written_norms.h"

#include <math.h>

/* ---- memory ---- */

/* The next `count` numbers of the block. Without a block they are only counted. */
static float *next_part(hl_head_pass *pass, int64_t count)
{
    size_t begin = pass->bytes / sizeof(float);
    pass->bytes += (size_t)count * sizeof(float);
    return pass->numbers != NULL ? pass->numbers + begin : NULL;
}

static void place_layer(hl_head_pass *pass, int l, const hl_multi_head_config *c)
{
    int64_t rows = pass->n_examples * pass->n_tokens, D = pass->d_model;
    hl_head_pass_layer layer = {
        .n_heads = c->n_heads,
        .n_kv_heads = c->n_kv_heads,
        .d_k = c->d_k,
        .d_v = c->d_v,
        .window = c->window,
        .lengths = next_part(pass, rows * c->n_heads),
    };
    if (pass->whole) {
        layer.x = next_part(pass, rows * D);
        layer.q = next_part(pass, rows * c->n_heads * c->d_k);
        layer.k = next_part(pass, rows * c->n_kv_heads * c->d_k);
        layer.v = next_part(pass, rows * c->n_kv_heads * c->d_v);
        layer.u = next_part(pass, rows * c->n_heads * c->d_v);
        layer.w_o = next_part(pass, D * c->n_heads * c->d_v);
        layer.b_o = next_part(pass, D);
        layer.gain = next_part(pass, D);
        layer.shift = next_part(pass, D);
    }
    if (pass->layers != NULL) {
        pass->layers[l] = layer;
    }
}

/* Lays all arrays out and sums their bytes. */
static void place(hl_head_pass *pass, const hl_model *model)
{
    int64_t rows = pass->n_examples * pass->n_tokens;
    pass->bytes = 0;
    for (int l = 0; l < pass->n_layers; l++) {
        place_layer(pass, l, &model->encoder.layers[l].self_attn.config);
    }
    if (pass->whole) {
        pass->hidden = next_part(pass, rows * pass->d_model);
        pass->logits = model->config.head != HL_HEAD_NONE ? next_part(pass, rows) : NULL;
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
    place(&pass, model);
    return pass.bytes;
}

static hl_status allocate(hl_head_pass *pass, const hl_model *model)
{
    place(pass, model);
    pass->layers = hl_calloc((size_t)pass->n_layers, sizeof *pass->layers);
    pass->numbers = hl_calloc(pass->bytes, 1);
    HL_NEED(pass->layers != NULL && pass->numbers != NULL, "a pass of the heads");
    place(pass, model);
    return hl_ok();
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
    int threads, layer;
    hl_sequences examples;
    hl_tape_observer observer;
    hl_written_norms norms;
    hl_real *scratch; /* for hl_written_norms_of */
    double *lengths;  /* (N) */

    hl_write_pass write;
    const hl_tape_observer *writing;
    hl_write_terms terms;
    hl_answer_path path;
    int32_t *rows; /* (N): every row */
    hl_real *states;
    hl_write_answer *answers; /* (N) */
    int64_t n_answers;
    hl_status status;
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

static void measure_lengths(filling *f, const hl_attention_args *args)
{
    const hl_head_pass_layer *layer = &f->pass->layers[f->layer];
    int64_t stride = hl_shape_last(args->v.x->shape), n = hl_shape_count(args->v.x->shape) / stride,
            T = f->pass->n_tokens;
    for (int64_t h = 0; h < layer->n_heads; h++) {
        int64_t group = h / (layer->n_heads / layer->n_kv_heads);
        hl_written_norms_of(f->threads, n, layer->d_v, args->v.x->data + args->v.first + group * layer->d_v, stride,
                            f->norms.layer[f->layer] + h * layer->d_v * layer->d_v, f->scratch, f->lengths, 1);
        for (int64_t b = 0; b < f->examples.n; b++) {
            int64_t first = hl_sequences_first(&f->examples, b);
            for (int64_t i = 0; i < hl_sequences_length(&f->examples, b); i++) {
                layer->lengths[(b * T + i) * layer->n_heads + h] = (float)f->lengths[first + i];
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

static bool begin_pass(void *context, hl_evaluator_slice *slice)
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
    return true;
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

static void end_pass(void *context, const hl_evaluator_slice *slice, const hl_real *logits)
{
    filling *f = context;
    int64_t D = f->pass->d_model, n = slice->batch.n_rows;
    if (!f->pass->whole) {
        return;
    }
    for (int l = 0; l < f->pass->n_layers; l++) {
        copy_rows(f, f->pass->layers[l].x, f->states + l * n * D, D, D);
    }
    copy_rows(f, f->pass->hidden, f->write.hidden, D, D);
    if (f->pass->logits != NULL) {
        f->n_answers = hl_write_answers_of(f->model, &slice->batch, f->answers);
        f->status =
            f->n_answers > 0 ? hl_write_terms_of(&f->terms, &f->write, &f->path, f->answers, f->n_answers) : hl_ok();
        keep_logits(f, slice, logits);
    }
}

static hl_status begin_filling(filling *f, int64_t n_rows)
{
    int64_t D = f->pass->d_model;
    HL_TRY(hl_written_norms_init(&f->norms, f->model, f->threads));
    f->scratch =
        hl_malloc((size_t)hl_written_norms_scratch(n_rows, hl_heads_widest(&f->model->config)) * sizeof(hl_real));
    f->lengths = hl_malloc((size_t)n_rows * sizeof *f->lengths);
    HL_NEED(f->scratch != NULL && f->lengths != NULL, "a pass of the heads");
    if (!f->pass->whole) {
        return hl_ok();
    }
    f->rows = hl_malloc((size_t)n_rows * sizeof *f->rows);
    f->answers = hl_malloc((size_t)n_rows * sizeof *f->answers);
    f->states = hl_malloc((size_t)((f->pass->n_layers + 1) * n_rows * D) * sizeof *f->states);
    HL_NEED(f->rows != NULL && f->answers != NULL && f->states != NULL, "a pass of the heads");
    HL_TRY(hl_write_pass_init(&f->write, f->model, n_rows));
    if (f->pass->logits == NULL) {
        return hl_ok();
    }
    HL_TRY(hl_answer_path_init(&f->path, f->model, n_rows, f->threads));
    f->pass->exact = f->path.exact && !f->model->config.bf16;
    HL_TRY(hl_write_terms_init(&f->terms, f->model, n_rows));
    f->terms.toward = keep_u;
    f->terms.context = f;
    return hl_ok();
}

size_t hl_head_pass_working_bytes(const hl_model *model, int64_t n_examples, int64_t n_tokens, bool whole)
{
    int64_t n = n_examples * n_tokens;
    size_t row = (size_t)hl_heads_widest(&model->config) * sizeof(hl_real) + sizeof(double);
    size_t bytes = hl_size_sum(hl_written_norms_bytes(model), hl_batch_storage_bytes(n_examples, n));
    if (whole) {
        row += sizeof(int32_t) + sizeof(hl_write_answer);
        row += (size_t)((model->encoder.n_layers + 1) * model->config.d_model) * sizeof(hl_real);
        bytes = hl_size_sum(bytes, hl_write_pass_bytes(model, n));
        if (model->config.head != HL_HEAD_NONE) {
            bytes = hl_size_sum(bytes, hl_size_sum(hl_answer_path_bytes(model, n), hl_write_terms_bytes(model, n)));
        }
    }
    return hl_size_sum(bytes, hl_size_product((size_t)n, row));
}

/* Fills the pass, in one slice. */
static hl_status fill(const hl_model *model, const hl_batch *batch, int threads, hl_head_pass *pass)
{
    filling *f = hl_calloc(1, sizeof *f); /* too large for the stack of some threads */
    HL_NEED(f != NULL, "a pass of the heads");
    *f = (filling){ .model = model, .pass = pass, .threads = threads };
    const hl_evaluator evaluator = {
        .model = model, .rows = batch->n_rows, .threads = threads, .begin = begin_pass, .end = end_pass, .context = f
    };
    hl_status status = begin_filling(f, batch->n_rows);
    HL_THEN(status, hl_evaluate_once(evaluator, batch, NULL));
    HL_THEN(status, f->status);
    hl_written_norms_free(&f->norms);
    hl_write_pass_free(&f->write);
    hl_write_terms_free(&f->terms);
    hl_answer_path_free(&f->path);
    void *const blocks[] = { f->scratch, f->lengths, f->rows, f->answers, f->states };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        hl_free(blocks[i]);
    }
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
    hl_free(pass->numbers);
    *pass = (hl_head_pass){ 0 };
}
