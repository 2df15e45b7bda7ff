#include "heads/private/write_pass.h"

#include "core/op.h"
#include "core/ops/linear.h"

#include <math.h>
#include <string.h>

void hl_write_pass_lay_out(hl_write_pass *pass, hl_block *block, const hl_model *model, int64_t R)
{
    int64_t D = model->config.d_model;
    pass->model = model;
    pass->embedding = hl_block_take(block, R * D, sizeof(hl_real));
    pass->hidden = hl_block_take(block, R * D, sizeof(hl_real));
    for (int l = 0; l < model->encoder.n_layers; l++) {
        const hl_multi_head_config *c = &model->encoder.layers[l].self_attn.config;
        hl_write_layer *layer = &pass->layers[l];
        layer->z = hl_block_take(block, R * c->n_heads * c->d_v, sizeof(hl_real));
        layer->feed_forward = hl_block_take(block, R * D, sizeof(hl_real));
        layer->scale1 = hl_block_take(block, R, sizeof(hl_real));
        layer->scale2 = hl_block_take(block, R, sizeof(hl_real));
    }
}

/* ---- norms ---- */

/* What the norm subtracts: the mean, or 0 of an RMS norm. */
static double centre_of(const hl_norm_layer *norm, const hl_real *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; norm->kind == HL_NORM_LAYER && i < n; i++) {
        sum += (double)x[i];
    }
    return sum / (double)n;
}

static hl_real scale_of(const hl_norm_layer *norm, const hl_real *x, int64_t D)
{
    double mean = centre_of(norm, x, D), squares = 0;
    for (int64_t i = 0; i < D; i++) {
        squares += ((double)x[i] - mean) * ((double)x[i] - mean);
    }
    return (hl_real)(1 / sqrt(squares / (double)D + (double)norm->epsilon));
}

void hl_write_norm_backward(const hl_norm_layer *norm, const hl_real *scale, int64_t n, hl_real *g, double *shifts,
                            int64_t stride)
{
    int64_t D = hl_shape_last(norm->weight->shape);
    for (int64_t i = 0; i < n; i++, g += D) {
        double shift = 0;
        for (int64_t d = 0; d < D; d++) {
            shift += norm->bias != NULL ? (double)g[d] * (double)norm->bias->data[d] : 0;
            g[d] *= norm->weight->data[d];
        }
        if (shifts != NULL) {
            shifts[i * stride] = shift;
        }
        hl_real mean = (hl_real)centre_of(norm, g, D);
        for (int64_t d = 0; d < D; d++) {
            g[d] = (g[d] - mean) * scale[i];
        }
    }
}

void hl_write_norm_forward(const hl_norm_layer *norm, const hl_real *scale, int64_t n, hl_real *o)
{
    int64_t D = hl_shape_last(norm->weight->shape);
    for (int64_t i = 0; i < n; i++, o += D) {
        hl_real mean = (hl_real)centre_of(norm, o, D);
        for (int64_t d = 0; d < D; d++) {
            o[d] = (o[d] - mean) * scale[i] * norm->weight->data[d];
        }
    }
}

/* ---- the observer ---- */

static bool is_post(const hl_model *model)
{
    return model->config.norm == HL_NORM_POST;
}

static bool has_feed_forward(const hl_model *model)
{
    return model->config.feed_forward != HL_FEED_FORWARD_NONE;
}

static void copy_rows(const hl_write_pass *pass, hl_real *to, const hl_real *from, int64_t width)
{
    for (int64_t i = 0; i < pass->n; i++) {
        memcpy(to + i * width, from + pass->rows[i] * width, (size_t)width * sizeof *to);
    }
}

static void keep_scales(const hl_write_pass *pass, hl_real *scales, const hl_norm_layer *norm, const hl_real *x)
{
    int64_t D = pass->model->config.d_model;
    for (int64_t i = 0; i < pass->n; i++) {
        scales[i] = scale_of(norm, x + pass->rows[i] * D, D);
    }
}

/* After the last sum of layer l: the last hidden states, if this is the last layer. `norm` and `scale` are those of the
 * last norm, unless the encoder has one of its own. */
static void keep_end(hl_write_pass *pass, int l, const hl_tensor *sum, const hl_norm_layer *norm, hl_real *scale)
{
    int64_t D = pass->model->config.d_model;
    if (l != pass->model->encoder.n_layers - 1) {
        return;
    }
    if (!is_post(pass->model)) {
        norm = &pass->model->encoder.norm;
        scale = pass->layers[l].scale2;
        keep_scales(pass, scale, norm, sum->data);
    }
    copy_rows(pass, pass->hidden, sum->data, D);
    hl_write_norm_forward(norm, scale, pass->n, pass->hidden);
    for (int64_t i = 0; norm->bias != NULL && i < pass->n * D; i++) {
        pass->hidden[i] += norm->bias->data[i % D];
    }
}

/* x + heads(x) W_O, the first sum of a layer. */
static void keep_attention(hl_write_pass *pass, int l, const hl_linear_args *args, const hl_tensor *sum)
{
    int64_t D = pass->model->config.d_model;
    if (l == 0) {
        copy_rows(pass, pass->embedding, args->residual->data, D);
    }
    copy_rows(pass, pass->layers[l].z, args->x->data, hl_shape_last(args->x->shape));
    if (is_post(pass->model)) {
        keep_scales(pass, pass->layers[l].scale1, &pass->model->encoder.layers[l].norm1, sum->data);
    }
    if (!has_feed_forward(pass->model)) {
        keep_end(pass, l, sum, &pass->model->encoder.layers[l].norm1, pass->layers[l].scale1);
    }
    if (pass->attended != NULL) {
        pass->attended(pass->context, l, hl_shape_count(sum->shape) / D, args->residual->data, args->x->data);
    }
}

/* x + feed_forward(x), the second sum of a layer. */
static void keep_feed_forward(hl_write_pass *pass, int l, const hl_linear_args *args, const hl_tensor *sum)
{
    int64_t D = pass->model->config.d_model;
    hl_write_layer *layer = &pass->layers[l];
    for (int64_t i = 0; i < pass->n; i++) {
        const hl_real *before = args->residual->data + pass->rows[i] * D, *after = sum->data + pass->rows[i] * D;
        for (int64_t d = 0; d < D; d++) {
            layer->feed_forward[i * D + d] = after[d] - before[d];
        }
    }
    if (is_post(pass->model)) {
        keep_scales(pass, layer->scale2, &pass->model->encoder.layers[l].norm2, sum->data);
    }
    keep_end(pass, l, sum, &pass->model->encoder.layers[l].norm2, layer->scale2);
}

/* In the encoder, the linear maps with a residual are the sums of each layer. */
static void keep_sum(void *context, const hl_node *node, bool backward)
{
    const hl_linear_args *args = hl_linear_args_of(node);
    if (backward || args == NULL || args->residual == NULL) {
        return;
    }
    hl_write_pass *pass = context;
    int join = pass->joins++;
    int sums = has_feed_forward(pass->model) ? 2 : 1;
    (join % sums == 0 ? keep_attention : keep_feed_forward)(pass, join / sums, args, node->out);
}

const hl_tape_observer *hl_write_pass_begin(hl_write_pass *pass, const int32_t *rows, int64_t n)
{
    pass->rows = rows;
    pass->n = n;
    pass->joins = 0;
    pass->observer = (hl_tape_observer){ .end = keep_sum, .context = pass };
    return &pass->observer;
}
