#include "core/ops/cross_entropy.h"

#include "core/base/threads.h"
#include "core/examples.h"
#include "core/kernels/private/exp.h"
#include "core/kernels/private/lanes.h"
#include "core/kernels/private/reduce.h"
#include "core/op.h"

#include <inttypes.h>
#include <string.h>
#include <tgmath.h>

/* Forward saves the log of the sum of exponentials for each row, followed by the loss of each row. */
static hl_real *log_sums(const hl_node *node)
{
    return node->saved;
}

static hl_real *row_losses(const hl_node *node)
{
    return (hl_real *)node->saved + hl_shape_rows(node->in[0]->shape);
}

static bool infer(hl_tape *tape, hl_node *node)
{
    const hl_cross_entropy_args *a = node->attributes;
    hl_shape logits = node->in[0]->shape;
    int64_t N = hl_shape_rows(logits), V = hl_shape_last(logits);
    if (logits.n_dims < 1) {
        return hl_tape_fail(tape, node, "the logits have no last dimension: %s", HL_SHAPE_SHOWN(logits));
    }
    if (!(a->smoothing >= 0 && a->smoothing < 1)) {
        return hl_tape_fail(tape, node, "a label smoothing of %g is not in [0, 1)", (double)a->smoothing);
    }
    if (a->n < 0) {
        return hl_tape_fail(tape, node, "%" PRId64 " rows with a target cannot be", a->n);
    }
    if (a->targets == NULL && !tape->options.memory.dry) {
        return hl_tape_fail(tape, node, "no targets are given");
    }
    for (int64_t i = 0; i < N && !tape->options.memory.dry; i++) {
        if (a->targets[i] < HL_IGNORE || a->targets[i] >= V) {
            return hl_tape_fail(tape, node, "target %" PRId32 " at place %" PRId64 " is not below %" PRId64,
                                a->targets[i], i, V);
        }
    }
    node->out->shape = (hl_shape){ .n_dims = 0 };
    node->saved = hl_tape_allocate(tape, node, 2 * N, sizeof(hl_real));
    return node->saved != NULL;
}

static hl_real divisor(const hl_node *node)
{
    const hl_cross_entropy_args *a = node->attributes;
    return (hl_real)(a->n > 0 ? a->n : hl_shape_rows(node->in[0]->shape));
}

/* The index of the first largest number; 0 if all are NaN. */
static int64_t argmax(const hl_real *x, int32_t n)
{
    hl_real largest = hl_largest(n, x);
    int32_t first = n;
#pragma omp simd reduction(min : first) /* the search within a row has no branch to predict */
    for (int32_t i = 0; i < n; i++) {
        int32_t here = x[i] == largest ? i : n;
        first = here < first ? here : first;
    }
    return first < n ? first : 0;
}

/* log sum exp. The largest number is subtracted first, so that nothing overflows. */
static hl_real log_sum_exp(const hl_real *x, int64_t n, hl_real largest)
{
    hl_real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) {
        sum += hl_exp(x[i] - largest);
    }
    return largest + log(sum);
}

static hl_real loss_of_row(const hl_real *x, int64_t V, hl_real log_sum, int32_t target, hl_real smoothing)
{
    if (target == HL_IGNORE) {
        return 0;
    }
    hl_real loss = (1 - smoothing) * (log_sum - x[target]);
    if (smoothing > 0) {
        loss += smoothing * (log_sum - (hl_real)(hl_sum_all(x, V) / (double)V));
    }
    return loss;
}

typedef struct forward_work {
    const hl_node *node;
    int64_t *correct; /* for each thread's rows */
} forward_work;

static void forward_rows(const void *context, hl_range rows)
{
    const forward_work *work = context;
    const hl_node *node = work->node;
    const hl_cross_entropy_args *a = node->attributes;
    int64_t V = hl_shape_last(node->in[0]->shape), correct = 0;
    for (int64_t n = rows.begin; n < rows.end; n++) {
        const hl_real *x = node->in[0]->data + n * V;
        int64_t best = argmax(x, (int32_t)V);
        correct += best == a->targets[n];
        log_sums(node)[n] = log_sum_exp(x, V, x[best]);
        row_losses(node)[n] = loss_of_row(x, V, log_sums(node)[n], a->targets[n], a->smoothing);
    }
    work->correct[rows.thread] = correct;
}

static void forward(const hl_op_call *call)
{
    const hl_node *node = call->node;
    const hl_cross_entropy_args *a = node->attributes;
    int64_t N = hl_shape_rows(node->in[0]->shape), correct[HL_MAX_THREADS] = { 0 };
    int threads = hl_threads_for(call->tape->options.threads, 8 * hl_shape_count(node->in[0]->shape));
    hl_threads_run(threads, N, 1, forward_rows, &(forward_work){ node, correct });
    double loss_sum = hl_sum_all(row_losses(node), N);
    *node->out->data = (hl_real)(loss_sum / (double)divisor(node));
    if (a->result != NULL) {
        a->result->loss_sum = loss_sum;
        a->result->n_scored = N;
        a->result->n_known = a->result->n_correct = 0;
        for (int64_t n = 0; n < N; n++) {
            a->result->n_known += a->targets[n] != HL_IGNORE;
        }
        for (int i = 0; i < HL_MAX_THREADS; i++) {
            a->result->n_correct += correct[i];
        }
        if (a->result->row_loss != NULL) {
            memcpy(a->result->row_loss, row_losses(node), (size_t)N * sizeof(hl_real));
        }
    }
}

/* dlogits = (softmax(logits) - q) * dloss / n */
static void backward_rows(const hl_op_call *call, hl_range rows)
{
    const hl_node *node = call->node;
    const hl_cross_entropy_args *a = node->attributes;
    int64_t V = hl_shape_last(node->in[0]->shape);
    hl_real even = a->smoothing / (hl_real)V, dloss_of_row = *node->out->grad / divisor(node);
    hl_grad dlogits = call->din[0];
    for (int64_t n = rows.begin; n < rows.end; n++) {
        const hl_real *x = node->in[0]->data + n * V;
        hl_real *dx = dlogits.at + n * V, log_sum = log_sums(node)[n];
        hl_real dloss = a->targets[n] != HL_IGNORE ? dloss_of_row : 0;
#pragma omp simd
        for (int64_t v = 0; v < V; v++) {
            hl_grad_put(&dx[v], dloss * (hl_exp(x[v] - log_sum) - even), dlogits.add);
        }
        if (a->targets[n] != HL_IGNORE) {
            dx[a->targets[n]] -= dloss * (1 - a->smoothing);
        }
    }
}

static void backward(const hl_op_call *call)
{
    hl_shape logits = call->node->in[0]->shape;
    hl_op_run(call, 8 * hl_shape_count(logits), hl_shape_rows(logits), 1, backward_rows);
}

const hl_op hl_op_cross_entropy = {
    .name = "cross_entropy",
    .min_inputs = 1,
    .infer = infer,
    .forward = { .whole = forward },
    .backward = { .whole = backward },
};

hl_tensor *hl_cross_entropy(hl_tape *tape, hl_tensor *logits, hl_cross_entropy_args args)
{
    return hl_tape_apply(tape, &hl_op_cross_entropy, &logits, 1, &args, sizeof args);
}
