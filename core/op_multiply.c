#include "core/op_multiply.h"

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

static void multiply(const hl_tape *tape, int64_t n, const hl_real *a, const hl_real *b, hl_real *y, bool add)
{
#pragma omp parallel for num_threads(hl_tape_threads(tape, n)) schedule(static)
    for (int64_t i = 0; i < n; i++) {
        hl_grad_put(&y[i], a[i] * b[i], add);
    }
}

static void forward(const hl_tape *tape, const hl_node *node, hl_real *scratch)
{
    (void)scratch;
    multiply(tape, hl_shape_count(node->out->shape), node->in[0]->data, node->in[1]->data, node->out->data, false);
}

/* da = dy * b
 * db = dy * a */
static void backward(const hl_tape *tape, const hl_node *node, const hl_grad *din, hl_real *scratch)
{
    (void)scratch;
    for (int i = 0; i < 2; i++) {
        if (din[i].at != NULL) {
            multiply(tape, hl_shape_count(node->out->shape), node->out->grad, node->in[1 - i]->data, din[i].at,
                     din[i].add);
        }
    }
}

const hl_op hl_op_multiply = { "multiply", 2, HL_NOT_IN_PLACE, infer, forward, backward, NULL, NULL };

hl_tensor *hl_multiply(hl_tape *tape, hl_tensor *a, hl_tensor *b)
{
    return hl_tape_apply(tape, &hl_op_multiply, (hl_tensor *[]){ a, b }, 2, NULL, 0);
}
