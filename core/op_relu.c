#include "core/op_relu.h"

#include "core/op.h"

static void forward(const hl_tape *tape, const hl_node *node, hl_real *scratch)
{
    (void)scratch;
    const hl_real *x = node->in[0]->data;
    hl_real *y = node->out->data;
    int64_t n = hl_shape_count(node->out->shape);
#pragma omp parallel for simd num_threads(hl_tape_threads(tape, n)) schedule(static)
    for (int64_t i = 0; i < n; i++) {
        y[i] = x[i] < 0 ? 0 : x[i]; /* NaN stays NaN */
    }
}

/* dx = dy where x > 0, else 0 */
static void backward(const hl_tape *tape, const hl_node *node, const hl_grad *din, hl_real *scratch)
{
    (void)scratch;
    const hl_real *x = node->in[0]->data, *dy = node->out->grad;
    hl_real *dx = din[0].at;
    bool add = din[0].add;
    int64_t n = hl_shape_count(node->out->shape);
#pragma omp parallel for simd num_threads(hl_tape_threads(tape, n)) schedule(static)
    for (int64_t i = 0; i < n; i++) {
        hl_grad_put(&dx[i], x[i] > 0 ? dy[i] : 0, add);
    }
}

const hl_op hl_op_relu = { "relu", 1, 0, hl_infer_same_shape, forward, backward, NULL, NULL };

hl_tensor *hl_relu(hl_tape *tape, hl_tensor *x)
{
    return hl_tape_apply(tape, &hl_op_relu, &x, 1, NULL, 0);
}
