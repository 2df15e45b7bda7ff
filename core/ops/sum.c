#include "core/ops/sum.h"

#include "core/base/threads.h"
#include "core/kernels/private/reduce.h"
#include "core/op.h"
#include "core/ops/scale.h"

static bool infer(hl_tape *tape, hl_node *node)
{
    (void)tape;
    node->out->shape = (hl_shape){ .n_dims = 0 };
    return true;
}

static void forward(const hl_op_call *call)
{
    const hl_node *node = call->node;
    *node->out->data = (hl_real)hl_sum_all(node->in[0]->data, hl_shape_count(node->in[0]->shape));
}

/* dx = dy */
static void backward_numbers(const hl_op_call *call, hl_range range)
{
    hl_real dy = *call->node->out->grad, *dx = call->din[0].at;
    bool add = call->din[0].add;
    for (int64_t i = range.begin; i < range.end; i++) {
        hl_grad_put(&dx[i], dy, add);
    }
}

static void backward(const hl_op_call *call)
{
    int64_t n = hl_shape_count(call->node->in[0]->shape);
    hl_op_run(call, n, n, HL_CACHE_LINE, backward_numbers);
}

const hl_op hl_op_sum = {
    .name = "sum",
    .min_inputs = 1,
    .infer = infer,
    .forward = { .whole = forward },
    .backward = { .whole = backward },
};

hl_tensor *hl_sum(hl_tape *tape, hl_tensor *x)
{
    return hl_tape_apply(tape, &hl_op_sum, &x, 1, NULL, 0);
}

hl_tensor *hl_mean(hl_tape *tape, hl_tensor *x)
{
    return x == NULL ? NULL : hl_scale(tape, hl_sum(tape, x), 1 / (hl_real)hl_shape_count(x->shape));
}
