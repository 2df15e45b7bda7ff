#include "heads/private/answer_path.h"

#include "core/arena.h"
#include "core/base/memory.h"
#include "core/kernels/matmul.h"
#include "core/tape.h"

#include <math.h>
#include <string.h>

void hl_answer_path_lay_out(hl_answer_path *path, hl_block *block, const hl_model *model, int64_t most)
{
    int64_t D = model->config.d_model, E = model->config.embedding_size, wider = D > E ? D : E;
    path->most = most;
    path->mean_weight = hl_block_take(block, wider, sizeof(hl_real));
    path->scale = hl_block_take(block, most, sizeof(hl_real));
    path->pooler_slope = hl_block_take(block, most * D, sizeof(hl_real));
    path->slope = hl_block_take(block, most * wider, sizeof(hl_real));
    path->normed = hl_block_take(block, most * wider, sizeof(hl_real));
    path->scratch = hl_block_take(block, 2 * most * wider, sizeof(hl_real));
}

void hl_answer_path_begin(hl_answer_path *path, const hl_model *model, int threads)
{
    const hl_output_layer *output = path->output = &model->output;
    const hl_tensor *weight = output->linear.weight, *bias = output->linear.bias;
    int64_t C = path->n_logits = output->targets, E = path->width = weight->shape.size[1];
    path->d_model = model->config.d_model;
    path->threads = threads;
    path->exact = output->pooler == HL_POOLER_NONE && output->head == HL_HEAD_LINEAR;
    for (int64_t e = 0; e < E; e++) {
        double sum = 0;
        for (int64_t c = 0; c < C; c++) {
            sum += (double)weight->data[c * E + e];
        }
        path->mean_weight[e] = (hl_real)(sum / (double)C);
    }
    path->mean_bias = 0;
    for (int64_t c = 0; bias != NULL && c < C; c++) {
        path->mean_bias += (double)bias->data[c] / (double)C;
    }
}

/* ---- f at the answers ---- */

/* y (n, O) = x W^T + b. */
static void map(const hl_answer_path *path, const hl_linear_layer *layer, int64_t n, const hl_real *x, bool bias,
                hl_real *y)
{
    int64_t O = layer->weight->shape.size[0], I = layer->weight->shape.size[1];
    hl_matmul_into(path->threads, n, O, I, (hl_matrix){ x, I, false }, (hl_matrix){ layer->weight->data, I, true }, 0,
                   y, O);
    for (int64_t i = 0; bias && layer->bias != NULL && i < n * O; i++) {
        y[i] += layer->bias->data[i % O];
    }
}

/* x (n, I) = y W, the way back of the map. */
static void map_back(const hl_answer_path *path, const hl_linear_layer *layer, int64_t n, const hl_real *y, hl_real *x)
{
    int64_t O = layer->weight->shape.size[0], I = layer->weight->shape.size[1];
    hl_matmul_into(path->threads, n, I, O, (hl_matrix){ y, O, false }, (hl_matrix){ layer->weight->data, I, false }, 0,
                   x, I);
}

/* Replaces u (n, width) by the function's values and writes its derivatives, both by the function's op. */
static hl_status apply(const hl_answer_path *path, bool pooler, int64_t n, int64_t width, hl_real *u, hl_real *slope)
{
    hl_arena arena = { 0 };
    size_t numbers = hl_size_product((size_t)(n * width), sizeof *u);
    HL_TRY(hl_arena_init(&arena, hl_size_sum(hl_size_product(numbers, 6), 1 << 16)));
    hl_tape tape;
    hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = path->threads, .gradients = true });
    hl_tensor *x = hl_tape_tensor(&tape, HL_SHAPE(n, width), u, true);
    hl_tensor *y =
        pooler ? hl_pooler_function(&tape, path->output->pooler, x) : hl_activate(&tape, path->output->activation, x);
    for (int64_t i = 0; i < n * width; i++) {
        slope[i] = 1;
    }
    hl_status status = hl_tape_backward_from(&tape, y, slope);
    if (status.code == HL_OK) {
        memcpy(slope, x->grad, numbers);
        memcpy(u, y->data, numbers);
    }
    hl_arena_free(&arena);
    return status;
}

/* Replaces x (n, E) by (x - mean) / sigma. */
static void norm_rows(const hl_answer_path *path, int64_t n, hl_real *x)
{
    int64_t E = path->width;
    for (int64_t i = 0; i < n; i++, x += E) {
        double mean = 0, squares = 0;
        for (int64_t e = 0; e < E; e++) {
            mean += (double)x[e] / (double)E;
        }
        for (int64_t e = 0; e < E; e++) {
            squares += ((double)x[e] - mean) * ((double)x[e] - mean);
        }
        double scale = 1 / sqrt(squares / (double)E + (double)path->output->transform_norm.epsilon);
        path->scale[i] = (hl_real)scale;
        for (int64_t e = 0; e < E; e++) {
            x[e] = (hl_real)(((double)x[e] - mean) * scale);
        }
    }
}

hl_status hl_answer_path_at(hl_answer_path *path, int64_t n, const hl_real *h)
{
    if (path->output->pooler != HL_POOLER_NONE) {
        map(path, &path->output->pooler_dense, n, h, true, path->scratch);
        HL_TRY(apply(path, true, n, path->d_model, path->scratch, path->pooler_slope));
        h = path->scratch;
    }
    if (path->output->head == HL_HEAD_TRANSFORM) {
        map(path, &path->output->transform_dense, n, h, true, path->normed);
        HL_TRY(apply(path, false, n, path->width, path->normed, path->slope));
        norm_rows(path, n, path->normed);
    }
    return hl_ok();
}

/* ---- through f ---- */

static void multiply(int64_t n, hl_real *x, const hl_real *factors)
{
    for (int64_t i = 0; i < n; i++) {
        x[i] *= factors[i];
    }
}

static void multiply_rows(int64_t n, int64_t width, hl_real *x, const hl_real *gain)
{
    for (int64_t i = 0; i < n * width; i++) {
        x[i] *= gain[i % width];
    }
}

/* The Jacobian of (x - mean) / sigma, which is symmetric: d = (d - mean(d) - x' mean(d x')) / sigma, x' the output. */
static void norm_jacobian(const hl_answer_path *path, int64_t n, hl_real *d)
{
    int64_t E = path->width;
    for (int64_t i = 0; i < n; i++, d += E) {
        const hl_real *normed = path->normed + i * E;
        double mean = 0, along = 0;
        for (int64_t e = 0; e < E; e++) {
            mean += (double)d[e] / (double)E;
            along += (double)d[e] * (double)normed[e] / (double)E;
        }
        for (int64_t e = 0; e < E; e++) {
            d[e] = (d[e] - (hl_real)mean - normed[e] * (hl_real)along) * path->scale[i];
        }
    }
}

void hl_answer_path_backward(hl_answer_path *path, int64_t n, const int32_t *targets, hl_real *g)
{
    int64_t D = path->d_model, E = path->width;
    hl_real *from = path->exact ? g : path->scratch, *next = path->scratch + path->most * (D > E ? D : E);
    for (int64_t i = 0; i < n; i++) {
        const hl_real *row = path->output->linear.weight->data + targets[i] * E;
        for (int64_t e = 0; e < E; e++) {
            from[i * E + e] = row[e] - path->mean_weight[e];
        }
    }
    if (path->output->head == HL_HEAD_TRANSFORM) {
        multiply_rows(n, E, from, path->output->transform_norm.weight->data);
        norm_jacobian(path, n, from);
        multiply(n * E, from, path->slope);
        hl_real *to = path->output->pooler == HL_POOLER_NONE ? g : next;
        map_back(path, &path->output->transform_dense, n, from, to);
        from = to;
    }
    if (path->output->pooler != HL_POOLER_NONE) {
        multiply(n * D, from, path->pooler_slope);
        map_back(path, &path->output->pooler_dense, n, from, g);
    }
}

void hl_answer_path_forward(hl_answer_path *path, int64_t n, const hl_real *o, hl_real *logits)
{
    int64_t E = path->width;
    if (path->output->head == HL_HEAD_TRANSFORM) {
        map(path, &path->output->transform_dense, n, o, false, path->scratch);
        multiply(n * E, path->scratch, path->slope);
        norm_jacobian(path, n, path->scratch);
        multiply_rows(n, E, path->scratch, path->output->transform_norm.weight->data);
        o = path->scratch;
    }
    hl_matmul_into(path->threads, n, path->n_logits, E, (hl_matrix){ o, E, false },
                   (hl_matrix){ path->output->linear.weight->data, E, true }, 0, logits, path->n_logits);
}

double hl_centred_logit(const hl_real *logits, int64_t n, int32_t id)
{
    double mean = 0;
    for (int64_t c = 0; c < n; c++) {
        mean += (double)logits[c] / (double)n;
    }
    return (double)logits[id] - mean;
}

double hl_answer_path_bias(const hl_answer_path *path, int32_t target)
{
    const hl_tensor *bias = path->output->linear.bias;
    return bias != NULL ? (double)bias->data[target] - path->mean_bias : 0;
}
