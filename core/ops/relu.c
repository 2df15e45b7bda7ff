#include "core/ops/relu.h"

#include "core/base/threads.h"
#include "core/op.h"

static void forward_numbers(const void *context, hl_range range)
{
    const hl_node *node = context;
    const hl_real *x = node->in[0]->data;
    hl_real *y = node->out->data;
#pragma omp simd
    for (int64_t i = range.begin; i < range.end; i++) {
        y[i] = x[i] < 0 ? 0 : x[i]; /* NaN stays NaN */
    }
}

static void forward(const hl_tape *tape, const hl_node *node, hl_real *scratch)
{
    (void)scratch;
    int64_t n = hl_shape_count(node->out->shape);
    hl_threads_run(hl_tape_threads(tape, n), n, HL_CACHE_LINE, forward_numbers, node);
}

/* dx = dy where x > 0, else 0 */
static void backward_numbers(const void *context, hl_range range)
{
    const hl_op_call *call = context;
    const hl_real *x = call->node->in[0]->data, *dy = call->node->out->grad;
    hl_real *dx = call->din[0].at;
    bool add = call->din[0].add;
#pragma omp simd
    for (int64_t i = range.begin; i < range.end; i++) {
        hl_grad_put(&dx[i], x[i] > 0 ? dy[i] : 0, add);
    }
}

static void backward(const hl_tape *tape, const hl_node *node, const hl_grad *din, hl_real *scratch)
{
    int64_t n = hl_shape_count(node->out->shape);
    hl_threads_run(hl_tape_threads(tape, n), n, HL_CACHE_LINE, backward_numbers,
                   &(hl_op_call){ .tape = tape, .node = node, .din = din, .scratch = scratch });
}

const hl_op hl_op_relu = {
    .name = "relu",
    .min_inputs = 1,
    .in_place = HL_IN_PLACE(0),
    .infer = hl_infer_same_shape,
    .forward = forward,
    .backward = backward,
};

hl_tensor *hl_relu(hl_tape *tape, hl_tensor *x)
{
    return hl_tape_apply(tape, &hl_op_relu, &x, 1, NULL, 0);
}
