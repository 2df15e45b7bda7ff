#include "core/op_gelu.h"

#include "core/op.h"
#include "core/threads.h"

#include <tgmath.h>

static const hl_real sqrt_half = (hl_real)0.70710678118654752440;
static const hl_real inverse_sqrt_2pi = (hl_real)0.39894228040143267794;

/* Phi(x) */
static hl_real distribution(hl_real x)
{
    return (hl_real)0.5 * (1 + erf(x * sqrt_half));
}

static void forward_numbers(const void *context, hl_share share)
{
    const hl_node *node = context;
    const hl_real *x = node->in[0]->data;
    hl_real *y = node->out->data;
    for (int64_t i = share.begin; i < share.end; i++) {
        y[i] = x[i] * distribution(x[i]);
    }
}

static void forward(const hl_tape *tape, const hl_node *node, hl_real *scratch)
{
    (void)scratch;
    int64_t n = hl_shape_count(node->out->shape);
    hl_threads_run(hl_tape_threads(tape, n), n, HL_CACHE_LINE, forward_numbers, node);
}

/* dx = dy * (Phi(x) + x * phi(x)) */
static void backward_numbers(const void *context, hl_share share)
{
    const hl_op_call *call = context;
    const hl_real *x = call->node->in[0]->data, *dy = call->node->out->grad;
    hl_real *dx = call->din[0].at;
    bool add = call->din[0].add;
    for (int64_t i = share.begin; i < share.end; i++) {
        hl_real density = inverse_sqrt_2pi * exp((hl_real)-0.5 * x[i] * x[i]);
        hl_grad_put(&dx[i], dy[i] * (distribution(x[i]) + x[i] * density), add);
    }
}

static void backward(const hl_tape *tape, const hl_node *node, const hl_grad *din, hl_real *scratch)
{
    int64_t n = hl_shape_count(node->out->shape);
    hl_threads_run(hl_tape_threads(tape, n), n, HL_CACHE_LINE, backward_numbers,
                   &(hl_op_call){ tape, node, din, scratch });
}

const hl_op hl_op_gelu = { "gelu", 1, 0, hl_infer_same_shape, forward, backward, NULL, NULL };

hl_tensor *hl_gelu(hl_tape *tape, hl_tensor *x)
{
    return hl_tape_apply(tape, &hl_op_gelu, &x, 1, NULL, 0);
}
