#include "core/op_gelu.h"

#include "core/op.h"
#include "core/private/exp.h"
#include "core/threads.h"

static const hl_real inverse_sqrt_2pi = (hl_real)0.39894228040143267794;

static void forward_numbers(const void *context, hl_range range)
{
    const hl_node *node = context;
    const hl_real *x = node->in[0]->data;
    hl_real *y = node->out->data;
#pragma omp simd
    for (int64_t i = range.begin; i < range.end; i++) {
        y[i] = x[i] * hl_normal_cdf(x[i], hl_exp((hl_real)-0.5 * x[i] * x[i]));
    }
}

static void forward(const hl_tape *tape, const hl_node *node, hl_real *scratch)
{
    (void)scratch;
    int64_t n = hl_shape_count(node->out->shape);
    hl_threads_run(hl_tape_threads(tape, n), n, HL_CACHE_LINE, forward_numbers, node);
}

/* The derivative: Phi(x) + x * phi(x). */
static inline hl_real slope(hl_real x)
{
    hl_real bell = hl_exp((hl_real)-0.5 * x * x);
    return hl_normal_cdf(x, bell) + x * (inverse_sqrt_2pi * bell);
}

/* Two loops: compilers do not make them of one with so long a body. */
static void put_slopes(int64_t n, const hl_real *x, const hl_real *dy, hl_real *dx)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        dx[i] = dy[i] * slope(x[i]);
    }
}

static void add_slopes(int64_t n, const hl_real *x, const hl_real *dy, hl_real *dx)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        dx[i] += dy[i] * slope(x[i]);
    }
}

/* dx = dy * (Phi(x) + x * phi(x)) */
static void backward_numbers(const void *context, hl_range range)
{
    const hl_op_call *call = context;
    int64_t first = range.begin, n = range.end - first;
    const hl_real *x = call->node->in[0]->data + first, *dy = call->node->out->grad + first;
    (call->din[0].add ? add_slopes : put_slopes)(n, x, dy, call->din[0].at + first);
}

static void backward(const hl_tape *tape, const hl_node *node, const hl_grad *din, hl_real *scratch)
{
    int64_t n = hl_shape_count(node->out->shape);
    hl_threads_run(hl_tape_threads(tape, n), n, HL_CACHE_LINE, backward_numbers,
                   &(hl_op_call){ .tape = tape, .node = node, .din = din, .scratch = scratch });
}

const hl_op hl_op_gelu = {
    .name = "gelu",
    .min_inputs = 1,
    .in_place = 0,
    .infer = hl_infer_same_shape,
    .forward = forward,
    .backward = backward,
};

hl_tensor *hl_gelu(hl_tape *tape, hl_tensor *x)
{
    return hl_tape_apply(tape, &hl_op_gelu, &x, 1, NULL, 0);
}
