#include "core/ops/scale.h"

#include "core/op.h"

/* to = (or +=) factor * x */
static void scale(const hl_op_call *call, const hl_real *x, hl_grad to)
{
    const hl_node *node = call->node;
    hl_grad_scale(call->tape->options.threads, hl_shape_count(node->out->shape), *(const hl_real *)node->attributes, x,
                  to);
}

static void forward(const hl_op_call *call)
{
    scale(call, call->node->in[0]->data, (hl_grad){ call->node->out->data, false });
}

/* dx = factor * dy */
static void backward(const hl_op_call *call)
{
    scale(call, call->node->out->grad, call->din[0]);
}

const hl_op hl_op_scale = {
    .name = "scale",
    .min_inputs = 1,
    .in_place = HL_IN_PLACE(0),
    .infer = hl_infer_same_shape,
    .forward = { .whole = forward },
    .backward = { .whole = backward },
};

hl_tensor *hl_scale(hl_tape *tape, hl_tensor *x, hl_real factor)
{
    return hl_tape_apply(tape, &hl_op_scale, &x, 1, &factor, sizeof factor);
}
