#include "core/ops/matmul.h"

#include "core/base/threads.h"
#include "core/kernels/matmul.h"
#include "core/op.h"

typedef struct attributes {
    bool transpose_A, transpose_B;
} attributes;

typedef struct sizes {
    int64_t n_matrices, M, N, K;
} sizes;

static sizes sizes_of(const hl_node *node)
{
    const attributes *a = node->attributes;
    hl_shape A = node->in[0]->shape, B = node->in[1]->shape;
    const int64_t *a_size = A.size + A.n_dims - 2, *b_size = B.size + B.n_dims - 2;
    return (sizes){
        .n_matrices = hl_shape_rows(A) / a_size[0],
        .M = a_size[a->transpose_A],
        .K = a_size[!a->transpose_A],
        .N = b_size[!a->transpose_B],
    };
}

static bool infer(hl_tape *tape, hl_node *node)
{
    const attributes *a = node->attributes;
    hl_shape A = node->in[0]->shape, B = node->in[1]->shape;
    bool fits = A.n_dims >= 2 && A.n_dims == B.n_dims;
    for (int i = 0; fits && i < A.n_dims - 2; i++) {
        fits = A.size[i] == B.size[i];
    }
    if (!fits || A.size[A.n_dims - 1 - a->transpose_A] != B.size[B.n_dims - 2 + a->transpose_B]) {
        return hl_tape_fail_shapes(tape, node, "the factors do not fit", A, B);
    }
    sizes s = sizes_of(node);
    node->out->shape = A;
    node->out->shape.size[A.n_dims - 2] = s.M;
    node->out->shape.size[A.n_dims - 1] = s.N;
    return true;
}

/* Matrix i of a tensor, possibly transposed. */
static hl_matrix matrix(const hl_tensor *x, const hl_real *numbers, int64_t i, bool transposed)
{
    int64_t columns = hl_shape_last(x->shape);
    int64_t rows = x->shape.size[x->shape.n_dims - 2];
    return (hl_matrix){ numbers + i * rows * columns, columns, transposed };
}

static void run_matrices(const hl_op_call *call, hl_op_part *run)
{
    sizes s = sizes_of(call->node);
    hl_op_run(call, s.n_matrices * s.M * s.N * s.K / 32, s.n_matrices, 1, run);
}

static void forward_matrices(const hl_op_call *call, hl_range range)
{
    const hl_node *node = call->node;
    const attributes *a = node->attributes;
    sizes s = sizes_of(node);
    for (int64_t i = range.begin; i < range.end; i++) {
        hl_matmul_serial(s.M, s.N, s.K, matrix(node->in[0], node->in[0]->data, i, a->transpose_A),
                         matrix(node->in[1], node->in[1]->data, i, a->transpose_B), 0, node->out->data + i * s.M * s.N,
                         s.N);
    }
}

static void forward(const hl_op_call *call)
{
    run_matrices(call, forward_matrices);
}

/* dA = dC B^T, or if A is transposed dA = B dC^T
 *
 * dB = A^T dC, or if B is transposed dB = dC^T A */
static void backward_matrices(const hl_op_call *call, hl_range range)
{
    const hl_grad *din = call->din;
    const attributes *a = call->node->attributes;
    const hl_tensor *A = call->node->in[0], *B = call->node->in[1], *C = call->node->out;
    sizes s = sizes_of(call->node);
    for (int64_t i = range.begin; i < range.end; i++) {
        hl_matrix dC = matrix(C, C->grad, i, false), dC_T = matrix(C, C->grad, i, true);
        if (din[0].at != NULL) {
            hl_real *dA = din[0].at + i * s.M * s.K;
            hl_matrix b = matrix(B, B->data, i, a->transpose_B), b_T = matrix(B, B->data, i, !a->transpose_B);
            if (a->transpose_A) {
                hl_matmul_serial(s.K, s.M, s.N, b, dC_T, din[0].add, dA, s.M);
            } else {
                hl_matmul_serial(s.M, s.K, s.N, dC, b_T, din[0].add, dA, s.K);
            }
        }
        if (din[1].at != NULL) {
            hl_real *dB = din[1].at + i * s.K * s.N;
            hl_matrix a_T = matrix(A, A->data, i, !a->transpose_A), a_ = matrix(A, A->data, i, a->transpose_A);
            if (a->transpose_B) {
                hl_matmul_serial(s.N, s.K, s.M, dC_T, a_, din[1].add, dB, s.K);
            } else {
                hl_matmul_serial(s.K, s.N, s.M, a_T, dC, din[1].add, dB, s.N);
            }
        }
    }
}

static void backward(const hl_op_call *call)
{
    run_matrices(call, backward_matrices);
}

static double flops(const hl_node *node)
{
    sizes s = sizes_of(node);
    return 2.0 * (double)s.n_matrices * (double)s.M * (double)s.N * (double)s.K;
}

const hl_op hl_op_matmul = {
    .name = "matmul",
    .min_inputs = 2,
    .infer = infer,
    .forward = { .whole = forward },
    .backward = { .whole = backward },
    .flops = flops,
};

hl_tensor *hl_matmul(hl_tape *tape, hl_tensor *A, hl_tensor *B, bool transpose_A, bool transpose_B)
{
    attributes a = { transpose_A, transpose_B };
    return hl_tape_apply(tape, &hl_op_matmul, (hl_tensor *[]){ A, B }, 2, &a, sizeof a);
}
