#include "core/ops/layer_norm.h"

#include "core/base/threads.h"
#include "core/kernels/private/lanes.h"
#include "core/kernels/private/reduce.h"
#include "core/op.h"

#include <string.h>
#include <tgmath.h>

/* What forward saves of each row for backward. The mean of an RMS norm is 0. */
typedef struct row_statistics {
    hl_real mean, inverse_deviation;
} row_statistics;

typedef struct norm_attributes {
    hl_real epsilon;
    bool centred; /* false: an RMS norm */
} norm_attributes;

static const norm_attributes *attributes_of(const hl_node *node)
{
    return node->attributes;
}

static bool infer(hl_tape *tape, hl_node *node)
{
    hl_shape x = node->in[0]->shape, gamma = node->in[1]->shape;
    const hl_tensor *beta = node->in[2];
    hl_shape row = HL_SHAPE(hl_shape_last(x));
    if (x.n_dims < 1 || !hl_shape_equal(gamma, row)) {
        return hl_tape_fail_shapes(tape, node, "x (..., D) does not fit gamma (D)", x, gamma);
    }
    if (beta != NULL && !hl_shape_equal(beta->shape, row)) {
        return hl_tape_fail_shapes(tape, node, "x (..., D) does not fit beta (D)", x, beta->shape);
    }
    hl_real epsilon = attributes_of(node)->epsilon;
    if (!(epsilon >= 0)) {
        return hl_tape_fail(tape, node, "an epsilon of %g is below 0", (double)epsilon);
    }
    node->out->shape = x;
    node->saved = hl_tape_allocate(tape, node, hl_shape_rows(x), sizeof(row_statistics));
    return node->saved != NULL;
}

/* For a row whose squares overflow. It computes in double, on numbers scaled below 1 by a power of two, which does not
 * round. epsilon is negligible beside such a variance. NaN if the row is not finite. */
static row_statistics statistics_of_large(const hl_real *x, int64_t D, bool centred)
{
    double most = 0, sum = 0, squares = 0;
    for (int64_t d = 0; d < D; d++) {
        most = fmax(most, fabs((double)x[d]));
    }
    int exponent = 0;
    (void)frexp(most, &exponent);
    double scale = ldexp(1.0, -exponent);
    for (int64_t d = 0; d < D; d++) {
        sum += (double)x[d] * scale;
    }
    double mean = centred ? sum / (double)D : 0;
    for (int64_t d = 0; d < D; d++) {
        double deviation = (double)x[d] * scale - mean;
        squares += deviation * deviation;
    }
    return (row_statistics){ (hl_real)ldexp(mean, exponent), (hl_real)(scale / sqrt(squares / (double)D)) };
}

static hl_real mean_of(const hl_real *x, int64_t D)
{
    hl_real sums[HL_LANES] = { 0 };
    HL_FOR_LANES(D, d, l, sums[l] += x[d]);
    return hl_lanes_sum(sums) / (hl_real)D;
}

static row_statistics statistics_of(const hl_real *x, int64_t D, hl_real epsilon, bool centred)
{
    hl_real squares[HL_LANES] = { 0 }, mean = centred ? mean_of(x, D) : 0;
    /* a second pass: x*x - mean*mean would cancel */
    HL_FOR_LANES(D, d, l, squares[l] += (x[d] - mean) * (x[d] - mean));
    hl_real variance = hl_lanes_sum(squares) / (hl_real)D;
    return isfinite(variance) ? (row_statistics){ mean, 1 / sqrt(variance + epsilon) }
                              : statistics_of_large(x, D, centred);
}

static void forward_rows(const hl_op_call *call, hl_range range)
{
    const hl_node *node = call->node;
    const norm_attributes *norm = attributes_of(node);
    const hl_real *gamma = node->in[1]->data, *beta = node->in[2] != NULL ? node->in[2]->data : NULL;
    row_statistics *rows = node->saved;
    int64_t D = hl_shape_last(node->out->shape);
    for (int64_t n = range.begin; n < range.end; n++) {
        const hl_real *x = node->in[0]->data + n * D;
        hl_real *y = node->out->data + n * D;
        const row_statistics row = statistics_of(x, D, norm->epsilon, norm->centred);
        rows[n] = row;
#pragma omp simd
        for (int64_t d = 0; d < D; d++) {
            y[d] = (x[d] - row.mean) * row.inverse_deviation * gamma[d] + (beta != NULL ? beta[d] : 0);
        }
    }
}

/* dx = (g - mean(g) - n * mean(g * n)) * inverse_deviation, where n = (x - mean) * inverse_deviation, g = dy * gamma;
 * of an RMS norm without mean(g) */
static void backward_row(row_statistics row, int64_t D, const hl_real *x, const hl_real *gamma, const hl_real *dy,
                         bool centred, hl_real *dx, bool add)
{
    hl_real sums_g[HL_LANES] = { 0 }, sums_gn[HL_LANES] = { 0 };
    HL_FOR_LANES(D, d, l, {
        hl_real g = dy[d] * gamma[d];
        sums_g[l] += g;
        sums_gn[l] += g * ((x[d] - row.mean) * row.inverse_deviation);
    });
    hl_real mean_g = centred ? hl_lanes_sum(sums_g) / (hl_real)D : 0, mean_gn = hl_lanes_sum(sums_gn) / (hl_real)D;
#pragma omp simd
    for (int64_t d = 0; d < D; d++) {
        hl_real n = (x[d] - row.mean) * row.inverse_deviation, g = dy[d] * gamma[d];
        hl_grad_put(&dx[d], (g - mean_g - n * mean_gn) * row.inverse_deviation, add);
    }
}

/* dgamma = sum of dy * n, dbeta = sum of dy: into partial sums (2, D) of a block of rows */
static void add_parameter_row(row_statistics row, int64_t D, const hl_real *x, const hl_real *dy, hl_real *dgamma,
                              hl_real *dbeta)
{
#pragma omp simd
    for (int64_t d = 0; d < D; d++) {
        dgamma[d] += dy[d] * (x[d] - row.mean) * row.inverse_deviation;
        dbeta[d] += dy[d];
    }
}

/* The gradients of block number `block` of the rows; its partial sums go to scratch (2, blocks, D). */
static void backward_block(const hl_op_call *call, int block, int blocks)
{
    const hl_node *node = call->node;
    const hl_grad *din = call->din;
    const hl_real *x = node->in[0]->data, *gamma = node->in[1]->data, *dy = node->out->grad;
    const row_statistics *rows = node->saved;
    int64_t N = hl_shape_rows(node->out->shape), D = hl_shape_last(node->out->shape), begin, end;
    hl_real *dgamma = node->scratch + block * D, *dbeta = dgamma + blocks * D;
    hl_threads_cut(N, 1, block, blocks, &begin, &end);
    for (int64_t n = begin; n < end; n++) {
        if (din[0].at != NULL) {
            backward_row(rows[n], D, x + n * D, gamma, dy + n * D, attributes_of(node)->centred, din[0].at + n * D,
                         din[0].add);
        }
        if (din[1].at != NULL || din[2].at != NULL) {
            add_parameter_row(rows[n], D, x + n * D, dy + n * D, dgamma, dbeta);
        }
    }
}

static void backward_blocks(const hl_op_call *call, hl_range range)
{
    int blocks = hl_sum_blocks(hl_shape_rows(call->node->out->shape));
    for (int64_t block = range.begin; block < range.end; block++) {
        backward_block(call, (int)block, blocks);
    }
}

static void backward(const hl_op_call *call)
{
    hl_real *scratch = call->node->scratch;
    int64_t N = hl_shape_rows(call->node->out->shape), D = hl_shape_last(call->node->out->shape);
    int blocks = hl_sum_blocks(N);
    memset(scratch, 0, (size_t)(2 * blocks * D) * sizeof *scratch);
    hl_op_run(call, 4 * N * D, blocks, 1, backward_blocks);
    for (int i = 0; i < 2; i++) { /* dgamma, dbeta */
        hl_grad d = call->din[1 + i];
        if (d.at != NULL) {
            hl_sum_partials(1, blocks, D, scratch + i * blocks * D, d.add, d.at);
        }
    }
}

static int64_t scratch_numbers(const hl_tape *tape, const hl_node *node)
{
    (void)tape;
    hl_shape x = node->out->shape;
    return hl_node_has_backward(node) ? 2 * hl_sum_blocks(hl_shape_rows(x)) * hl_shape_last(x) : 0;
}

const hl_op hl_op_layer_norm = {
    .name = "layer_norm",
    .min_inputs = 2,
    .infer = infer,
    .forward = { .part = forward_rows, .each = 4 },
    .backward = { .whole = backward },
    .scratch = scratch_numbers,
};

const hl_op hl_op_rms_norm = {
    .name = "rms_norm",
    .min_inputs = 2,
    .infer = infer,
    .forward = { .part = forward_rows, .each = 4 },
    .backward = { .whole = backward },
    .scratch = scratch_numbers,
};

hl_tensor *hl_rms_norm(hl_tape *tape, hl_tensor *x, hl_tensor *gamma, hl_real epsilon)
{
    return hl_tape_apply(tape, &hl_op_rms_norm, (hl_tensor *[]){ x, gamma, NULL }, 3,
                         &(norm_attributes){ epsilon, false }, sizeof(norm_attributes));
}

hl_tensor *hl_layer_norm(hl_tape *tape, hl_tensor *x, hl_tensor *gamma, hl_tensor *beta, hl_real epsilon)
{
    return hl_tape_apply(tape, &hl_op_layer_norm, (hl_tensor *[]){ x, gamma, beta }, 3,
                         &(norm_attributes){ epsilon, true }, sizeof(norm_attributes));
}
