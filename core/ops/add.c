#include "core/ops/add.h"

#include "core/base/threads.h"
#include "core/kernels/private/reduce.h"
#include "core/op.h"

static bool infer(hl_tape *tape, hl_node *node)
{
    hl_shape x = node->in[0]->shape, b = node->in[1]->shape;
    int missing = x.n_dims - b.n_dims;
    bool trailing = missing >= 0;
    for (int i = 0; trailing && i < b.n_dims; i++) {
        trailing = b.size[i] == x.size[missing + i];
    }
    if (!trailing) {
        return hl_tape_fail_shapes(tape, node, "the second's shape is no trailing part of the first's", x, b);
    }
    node->out->shape = x;
    return true;
}

/* x as rows of b's size. */
static void rows_of(const hl_node *node, int64_t *N, int64_t *D)
{
    *D = hl_shape_count(node->in[1]->shape);
    *N = hl_shape_count(node->out->shape) / *D;
}

static void forward_columns(const hl_op_call *call, hl_range columns)
{
    const hl_node *node = call->node;
    const hl_real *x = node->in[0]->data, *b = node->in[1]->data;
    hl_real *y = node->out->data;
    int64_t N, D;
    rows_of(node, &N, &D);
    for (int64_t n = 0; n < N; n++) {
#pragma omp simd
        for (int64_t d = columns.begin; d < columns.end; d++) {
            y[n * D + d] = x[n * D + d] + b[d];
        }
    }
}

static void forward(const hl_op_call *call)
{
    int64_t N, D;
    rows_of(call->node, &N, &D);
    hl_op_run(call, N * D, D, HL_CACHE_LINE, forward_columns);
}

/* dx = dy
 * db = sum over rows of dy */
static void backward(const hl_op_call *call)
{
    const hl_node *node = call->node;
    hl_grad db = call->din[1];
    int64_t N, D;
    rows_of(node, &N, &D);
    hl_op_hand_on(call, 0);
    if (db.at != NULL) {
        hl_sum_rows(call->tape->options.threads, N, D, node->out->grad, db.add, db.at, node->scratch);
    }
}

static int64_t scratch_numbers(const hl_tape *tape, const hl_node *node)
{
    (void)tape;
    int64_t N, D;
    rows_of(node, &N, &D);
    return hl_node_has_backward(node) ? hl_sum_rows_scratch(N, D) : 0;
}

const hl_op hl_op_add = {
    .name = "add",
    .min_inputs = 2,
    .in_place = HL_IN_PLACE(0),
    .infer = infer,
    .forward = { .whole = forward },
    .backward = { .whole = backward },
    .scratch = scratch_numbers,
};

hl_tensor *hl_add(hl_tape *tape, hl_tensor *x, hl_tensor *b)
{
    return hl_tape_apply(tape, &hl_op_add, (hl_tensor *[]){ x, b }, 2, NULL, 0);
}
