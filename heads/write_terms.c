#include "heads/private/write_terms.h"

#include "core/base/memory.h"
#include "core/kernels/matmul.h"

#include <string.h>

/* ---- memory ---- */

static int64_t widest(const hl_model *model)
{
    int64_t most = 0;
    for (int l = 0; l < model->config.n_layers; l++) {
        int64_t width = (int64_t)model->config.heads[l] * model->config.d_v[l];
        most = width > most ? width : most;
    }
    return most;
}

size_t hl_write_terms_bytes(const hl_model *model, int64_t most_rows)
{
    size_t reals = (size_t)(3 * model->config.d_model + widest(model)) * sizeof(hl_real);
    size_t doubles = (size_t)(1 + 2 * hl_writers_of(model, NULL)) * sizeof(double);
    return hl_size_product((size_t)most_rows, reals + doubles + sizeof(int32_t));
}

hl_status hl_write_terms_init(hl_write_terms *t, const hl_model *model, int64_t most_rows)
{
    size_t R = (size_t)most_rows, D = (size_t)model->config.d_model;
    *t = (hl_write_terms){ .most = most_rows, .n_writers = hl_writers_of(model, NULL) };
    t->h = hl_malloc(hl_size_product(R, (3 * D + (size_t)widest(model)) * sizeof *t->h));
    t->shifts = hl_malloc(hl_size_product(R, (1 + 2 * (size_t)t->n_writers) * sizeof *t->shifts));
    t->ids = hl_malloc(hl_size_product(R, sizeof *t->ids));
    HL_NEED(t->h != NULL && t->shifts != NULL && t->ids != NULL, "what is written to the answers");
    t->g = t->h + R * D;
    t->answers = t->g + R * D;
    t->u = t->answers + R * D;
    t->rows = t->shifts + R;
    t->terms = t->rows + R * (size_t)t->n_writers;
    return hl_ok();
}

void hl_write_terms_free(hl_write_terms *t)
{
    hl_free(t->h);
    hl_free(t->shifts);
    hl_free(t->ids);
    *t = (hl_write_terms){ 0 };
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
    hl_write_norm_backward(norm, scale, w->n, w->t->g, w->t->shifts);
    if (norm->bias != NULL) {
        --w->writer;
        for (int64_t i = 0; i < w->n; i++) {
            w->t->rows[i * w->t->n_writers + w->writer] = w->t->shifts[i];
        }
    }
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
    for (int64_t i = 0; i < pass->n && path->output->linear.bias != NULL; i++) {
        t->rows[i * t->n_writers + t->n_writers - 1] = 0;
    }
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
