#include "core/op_linear.h"

#include "core/matmul.h"
#include "core/op.h"
#include "core/reduce.h"

#include <string.h>

static bool infer(hl_tape *tape, hl_node *node)
{
    hl_shape x = node->in[0]->shape, W = node->in[1]->shape;
    if (x.n_dims < 1 || W.n_dims != 2 || hl_shape_last(x) != W.size[1]) {
        return hl_tape_fail_shapes(tape, node, "x (..., I) does not fit W (O, I)", x, W);
    }
    const hl_tensor *b = node->in[2];
    if (b != NULL && !hl_shape_equal(b->shape, HL_SHAPE(W.size[0]))) {
        return hl_tape_fail_shapes(tape, node, "W (O, I) does not fit b (O)", W, b->shape);
    }
    node->out->shape = x;
    node->out->shape.size[x.n_dims - 1] = W.size[0];
    return true;
}

static void forward(const hl_tape *tape, const hl_node *node, hl_real *scratch)
{
    (void)scratch;
    const hl_tensor *x = node->in[0], *W = node->in[1], *b = node->in[2];
    hl_real *y = node->out->data;
    int64_t N = hl_shape_rows(x->shape), O = W->shape.size[0], I = W->shape.size[1];
    if (b != NULL) { /* begin the sums at b */
#pragma omp parallel for num_threads(hl_tape_threads(tape, N *O)) schedule(static)
        for (int64_t n = 0; n < N; n++) {
            memcpy(y + n * O, b->data, (size_t)O * sizeof *y);
        }
    }
    hl_matmul_into(tape->options.threads, N, O, I, (hl_matrix){ x->data, I, false }, (hl_matrix){ W->data, I, true },
                   b != NULL, y, O);
}

/* dx = dy W
 * dW = dy^T x
 * db = sum over rows of dy */
static void backward(const hl_tape *tape, const hl_node *node, const hl_grad *din, hl_real *scratch)
{
    const hl_tensor *x = node->in[0], *W = node->in[1];
    const hl_real *dy = node->out->grad;
    int threads = tape->options.threads;
    int64_t N = hl_shape_rows(x->shape), O = W->shape.size[0], I = W->shape.size[1];
    if (din[0].at != NULL) {
        hl_matmul_into(threads, N, I, O, (hl_matrix){ dy, O, false }, (hl_matrix){ W->data, I, false }, din[0].add,
                       din[0].at, I);
    }
    if (din[1].at != NULL) {
        hl_matmul_rows_into(threads, O, I, N, dy, x->data, din[1].add, din[1].at, scratch);
    }
    if (din[2].at != NULL) {
        hl_sum_rows(threads, N, O, dy, din[2].add, din[2].at, scratch);
    }
}

static int64_t scratch_numbers(const hl_tape *tape, const hl_node *node)
{
    (void)tape;
    if (!hl_node_has_backward(node)) {
        return 0;
    }
    int64_t N = hl_shape_rows(node->in[0]->shape), O = node->in[1]->shape.size[0], I = node->in[1]->shape.size[1];
    int64_t for_W = hl_matmul_rows_scratch(O, I, N), for_b = hl_sum_rows_scratch(N, O);
    return for_W > for_b ? for_W : for_b;
}

static double flops(const hl_node *node)
{
    return 2.0 * (double)hl_shape_rows(node->in[0]->shape) * (double)hl_shape_count(node->in[1]->shape);
}

const hl_op hl_op_linear = { "linear", 2, false, infer, forward, backward, scratch_numbers, flops };

hl_tensor *hl_linear(hl_tape *tape, hl_tensor *x, hl_tensor *W, hl_tensor *b)
{
    return hl_tape_apply(tape, &hl_op_linear, (hl_tensor *[]){ x, W, b }, 3, NULL, 0);
}
