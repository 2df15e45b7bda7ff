#include "core/op_sum.h"

#include "core/op.h"
#include "core/op_scale.h"
#include "core/reduce.h"

static bool infer(hl_tape *tape, hl_node *node)
{
    (void)tape;
    node->out->shape = (hl_shape){ .n_dims = 0 };
    return true;
}

static void forward(const hl_tape *tape, const hl_node *node, hl_real *scratch)
{
    (void)tape;
    (void)scratch;
    *node->out->data = (hl_real)hl_sum_all(node->in[0]->data, hl_shape_count(node->in[0]->shape));
}

/* dx = dy */
static void backward(const hl_tape *tape, const hl_node *node, const hl_grad *din, hl_real *scratch)
{
    (void)scratch;
    hl_real dy = *node->out->grad, *dx = din[0].at;
    bool add = din[0].add;
    int64_t n = hl_shape_count(node->in[0]->shape);
#pragma omp parallel for num_threads(hl_tape_threads(tape, n)) schedule(static)
    for (int64_t i = 0; i < n; i++) {
        hl_grad_put(&dx[i], dy, add);
    }
}

const hl_op hl_op_sum = { "sum", 1, HL_NOT_IN_PLACE, infer, forward, backward, NULL, NULL };

hl_tensor *hl_sum(hl_tape *tape, hl_tensor *x)
{
    return hl_tape_apply(tape, &hl_op_sum, &x, 1, NULL, 0);
}

hl_tensor *hl_mean(hl_tape *tape, hl_tensor *x)
{
    return x == NULL ? NULL : hl_scale(tape, hl_sum(tape, x), 1 / (hl_real)hl_shape_count(x->shape));
}
