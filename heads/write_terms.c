#include "heads/private/write_terms.h"

#include "core/kernels/matmul.h"
#include "heads/head_set.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void hl_write_terms_lay_out(hl_write_terms *t, hl_block *block, const hl_model *model, int64_t R)
{
    int64_t D = model->config.d_model, W = t->n_writers = hl_writers_of(model, NULL);
    t->rows = hl_block_take(block, R * W, sizeof *t->rows);
    t->terms = hl_block_take(block, R * W, sizeof *t->terms);
    t->h = hl_block_take(block, R * D, sizeof *t->h);
    t->g = hl_block_take(block, R * D, sizeof *t->g);
    t->answers = hl_block_take(block, R * D, sizeof *t->answers);
    t->u = hl_block_take(block, R * hl_heads_width(&model->config), sizeof *t->u);
    t->ids = hl_block_take(block, R, sizeof *t->ids);
}

/* ---- which answers ---- */

static int64_t example_of(const hl_sequences *sequences, int64_t row, int64_t from)
{
    while (row >= hl_sequences_first(sequences, from) + hl_sequences_length(sequences, from)) {
        from++;
    }
    return from;
}

int64_t hl_write_answers_of(const hl_model *model, const hl_batch *batch, hl_write_answer *answers)
{
    hl_sequences sequences = hl_batch_sequences(batch);
    hl_pooling pooling = model->config.pooling;
    int64_t n = 0, e = 0;
    for (int64_t t = 0; t < batch->n_targets; t++) {
        if (batch->target_ids[t] == HL_IGNORE) {
            continue;
        }
        int64_t row = batch->target_rows[t] - batch->offsets[0];
        e = example_of(&sequences, row, e);
        int64_t first = hl_sequences_first(&sequences, e), length = hl_sequences_length(&sequences, e);
        hl_write_answer answer = { .example = e, .target = t, .id = batch->target_ids[t], .first = row, .n = 1 };
        if (pooling == HL_POOLING_LAST) {
            answer.first = first + length - 1;
        } else if (pooling != HL_POOLING_ROWS) {
            answer.first = first;
            answer.n = length;
        }
        answers[n++] = answer;
    }
    return n;
}

/* ---- from the answers down ---- */

/* The way down: the next writer, counted from the last one, whose terms are set. */
typedef struct walk {
    hl_write_terms *t;
    const hl_write_pass *pass;
    int64_t n, D; /* rows of the pass */
    int writer;
    int threads;
} walk;

/* Of each row its term, sum over `width` of x y. */
static void set_products(walk *w, const hl_real *x, const hl_real *y, int64_t x_stride, int64_t y_stride, int64_t width)
{
    double *term = w->t->rows + --w->writer;
    for (int64_t i = 0; i < w->n; i++, x += x_stride, y += y_stride, term += w->t->n_writers) {
        *term = 0;
        for (int64_t k = 0; k < width; k++) {
            *term += (double)x[k] * (double)y[k];
        }
    }
}

static void walk_norm(walk *w, const hl_norm_layer *norm, const hl_real *scale)
{
    double *terms = norm->bias != NULL ? w->t->rows + --w->writer : NULL;
    hl_write_norm_backward(norm, scale, w->n, w->t->g, terms, w->t->n_writers);
}

/* The heads' terms z . (g W_O), and before them the bias's. */
static void walk_attention(walk *w, int l)
{
    const hl_multi_head *attention = &w->pass->model->encoder.layers[l].self_attn;
    int64_t d_v = attention->config.d_v, width = attention->config.n_heads * d_v;
    if (attention->out_proj.bias != NULL) {
        set_products(w, w->t->g, attention->out_proj.bias->data, w->D, 0, w->D);
    }
    hl_matmul_into(w->threads, w->n, width, w->D, (hl_matrix){ w->t->g, w->D, false },
                   (hl_matrix){ attention->out_proj.weight->data, width, false }, 0, w->t->u, width);
    if (w->t->toward != NULL) {
        w->t->toward(w->t->context, l, w->t->u);
    }
    for (int64_t h = attention->config.n_heads - 1; h >= 0; h--) {
        set_products(w, w->pass->layers[l].z + h * d_v, w->t->u + h * d_v, width, width, d_v);
    }
}

/* From the gradients at the last norm's output down to the embedding. */
static void walk_down(walk *w)
{
    const hl_encoder *encoder = &w->pass->model->encoder;
    bool post = w->pass->model->config.norm == HL_NORM_POST;
    bool feeds = w->pass->model->config.feed_forward != HL_FEED_FORWARD_NONE;
    if (!post) {
        walk_norm(w, &encoder->norm, w->pass->layers[encoder->n_layers - 1].scale2);
    }
    for (int l = encoder->n_layers - 1; l >= 0; l--) {
        if (feeds && post) {
            walk_norm(w, &encoder->layers[l].norm2, w->pass->layers[l].scale2);
        }
        if (feeds) {
            set_products(w, w->pass->layers[l].feed_forward, w->t->g, w->D, w->D, w->D);
        }
        if (post) {
            walk_norm(w, &encoder->layers[l].norm1, w->pass->layers[l].scale1);
        }
        walk_attention(w, l);
    }
    set_products(w, w->pass->embedding, w->t->g, w->D, w->D, w->D);
}

/* The hidden state of each answer, the mean of its rows. */
static void average_rows(hl_write_terms *t, const hl_write_pass *pass, const hl_write_answer *answers, int64_t n)
{
    int64_t D = pass->model->config.d_model;
    memset(t->h, 0, (size_t)(n * D) * sizeof *t->h);
    for (int64_t a = 0; a < n; a++) {
        for (int64_t i = 0; i < answers[a].n * D; i++) {
            t->h[a * D + i % D] += pass->hidden[answers[a].first * D + i] / (hl_real)answers[a].n;
        }
    }
}

hl_status hl_write_terms_of(hl_write_terms *t, const hl_write_pass *pass, hl_answer_path *path,
                            const hl_write_answer *answers, int64_t n)
{
    int64_t D = pass->model->config.d_model;
    average_rows(t, pass, answers, n);
    HL_TRY(hl_answer_path_at(path, n, t->h));
    for (int64_t a = 0; a < n; a++) {
        t->ids[a] = answers[a].id;
    }
    memset(t->g, 0, (size_t)(pass->n * D) * sizeof *t->g);
    hl_answer_path_backward(path, n, t->ids, t->answers);
    /* g of each row: its share of the answer's. */
    for (int64_t a = 0; a < n; a++) {
        for (int64_t i = 0; i < answers[a].n * D; i++) {
            t->g[answers[a].first * D + i] = t->answers[a * D + i % D] / (hl_real)answers[a].n;
        }
    }
    walk w = { t, pass, pass->n, D, t->n_writers, path->threads };
    w.writer -= path->output->linear.bias != NULL;
    walk_down(&w);
    int W = t->n_writers;
    for (int64_t a = 0; a < n; a++) {
        double *terms = t->terms + a * W;
        memset(terms, 0, (size_t)W * sizeof *terms);
        for (int64_t i = 0; i < answers[a].n * W; i++) {
            terms[i % W] += t->rows[answers[a].first * W + i];
        }
        if (path->output->linear.bias != NULL) {
            terms[W - 1] = hl_answer_path_bias(path, answers[a].id);
        }
    }
    return hl_ok();
}

/* ---- writers ---- */

static void add_writer(hl_writer *writers, int *n, hl_writer_kind kind, int layer, int64_t number)
{
    if (writers != NULL) {
        writers[*n] = (hl_writer){ .kind = kind, .layer = layer, .number = number };
    }
    ++*n;
}

int hl_writers_of(const hl_model *model, hl_writer *writers)
{
    int n = 0;
    bool post = model->config.norm == HL_NORM_POST, bias = model->config.attention_bias == HL_BIAS_TRUE;
    bool norm_bias = model->config.norm_bias == HL_BIAS_TRUE && model->config.norm_kind == HL_NORM_LAYER;
    bool feeds = model->config.feed_forward != HL_FEED_FORWARD_NONE;
    add_writer(writers, &n, HL_WRITER_EMBEDDING, -1, 0);
    for (int l = 0; l < model->encoder.n_layers; l++) {
        for (int64_t h = 0; h < model->config.heads[l]; h++) {
            add_writer(writers, &n, HL_WRITER_HEAD, l, h);
        }
        if (bias) {
            add_writer(writers, &n, HL_WRITER_ATTENTION_BIAS, l, 0);
        }
        if (norm_bias && post) {
            add_writer(writers, &n, HL_WRITER_NORM_BIAS, l, 1);
        }
        if (feeds) {
            add_writer(writers, &n, HL_WRITER_FEED_FORWARD, l, 0);
        }
        if (feeds && norm_bias && post) {
            add_writer(writers, &n, HL_WRITER_NORM_BIAS, l, 2);
        }
    }
    if (norm_bias && !post) {
        add_writer(writers, &n, HL_WRITER_NORM_BIAS, -1, 0);
    }
    if (model->output.linear.bias != NULL) {
        add_writer(writers, &n, HL_WRITER_OUTPUT_BIAS, -1, 0);
    }
    return n;
}

/* ---- names ---- */

void hl_writer_name(const hl_writer *writer, char name[HL_WRITER_NAME])
{
    int l = writer->layer, number = (int)writer->number;
    switch (writer->kind) {
    case HL_WRITER_EMBEDDING:
        snprintf(name, HL_WRITER_NAME, "embedding");
        break;
    case HL_WRITER_HEAD:
        snprintf(name, HL_WRITER_NAME, "L%dH%d", l, number);
        break;
    case HL_WRITER_ATTENTION_BIAS:
        snprintf(name, HL_WRITER_NAME, "L%d attention bias", l);
        break;
    case HL_WRITER_FEED_FORWARD:
        snprintf(name, HL_WRITER_NAME, "L%d feed-forward", l);
        break;
    case HL_WRITER_NORM_BIAS:
        if (l < 0) {
            snprintf(name, HL_WRITER_NAME, "last norm bias");
        } else {
            snprintf(name, HL_WRITER_NAME, "L%d norm%d bias", l, number);
        }
        break;
    case HL_WRITER_OUTPUT_BIAS:
        snprintf(name, HL_WRITER_NAME, "output bias");
        break;
    }
}

double hl_writes_share(const hl_writes *writes, const hl_writer *writer)
{
    bool clear = writes->has_answers && fabs(writes->logit.mean) > 3 * writes->logit.error;
    return clear ? writer->direct.mean / writes->logit.mean : NAN;
}
