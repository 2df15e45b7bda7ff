#include "core/ops/multiply.h"

#include "core/base/threads.h"
#include "core/op.h"

static bool infer(hl_tape *tape, hl_node *node)
{
    hl_shape a = node->in[0]->shape, b = node->in[1]->shape;
    if (!hl_shape_equal(a, b)) {
        return hl_tape_fail_shapes(tape, node, "the shapes differ", a, b);
    }
    node->out->shape = a;
    return true;
}

/* `to` receives the product: the output in forward, which is overwritten, or an input's gradient in backward. */
typedef struct factors {
    const hl_real *a, *b;
    hl_grad to;
} factors;

static void multiply_numbers(const void *context, hl_range range)
{
    const factors f = *(const factors *)context;
    for (int64_t i = range.begin; i < range.end; i++) {
        hl_grad_put(&f.to.at[i], f.a[i] * f.b[i], f.to.add);
    }
}

static void multiply(const hl_op_call *call, factors f)
{
    int64_t n = hl_shape_count(call->node->out->shape);
    hl_threads_run(hl_threads_for(call->tape->options.threads, n), n, HL_CACHE_LINE, multiply_numbers, &f);
}

static void forward(const hl_op_call *call)
{
    const hl_node *node = call->node;
    multiply(call, (factors){ node->in[0]->data, node->in[1]->data, { node->out->data, false } });
}

/* da = dy * b
 * db = dy * a */
static void backward(const hl_op_call *call)
{
    const hl_node *node = call->node;
    for (int i = 0; i < 2; i++) {
        if (call->din[i].at != NULL) {
            multiply(call, (factors){ node->out->grad, node->in[1 - i]->data, call->din[i] });
        }
    }
}

const hl_op hl_op_multiply = {
    .name = "multiply",
    .min_inputs = 2,
    .infer = infer,
    .forward = { .whole = forward },
    .backward = { .whole = backward },
};

hl_tensor *hl_multiply(hl_tape *tape, hl_tensor *a, hl_tensor *b)
{
    return hl_tape_apply(tape, &hl_op_multiply, (hl_tensor *[]){ a, b }, 2, NULL, 0);
}
