#include "core/op_mean_rows.h"

#include "core/op.h"
#include "core/threads.h"

#include <string.h>

static bool infer(hl_tape *tape, hl_node *node)
{
    const hl_sequences *sequences = node->attributes;
    hl_shape x = node->in[0]->shape;
    if (x.n_dims != 2) {
        char text[HL_SHAPE_TEXT];
        return hl_tape_fail(tape, node, "x (N, D) has no rows: %s", hl_shape_text(x, text));
    }
    hl_status status = hl_sequences_check(sequences, x.size[0], !tape->options.dry);
    node->out->shape = HL_SHAPE(sequences->n, x.size[1]);
    return status.code == HL_OK || hl_tape_fail(tape, node, "%s", status.text);
}

static void forward_sequences(const void *context, hl_range range)
{
    const hl_node *node = context;
    const hl_sequences *sequences = node->attributes;
    int64_t D = node->out->shape.size[1];
    for (int64_t b = range.begin; b < range.end; b++) {
        int64_t n = hl_sequences_length(sequences, b);
        const hl_real *x = node->in[0]->data + hl_sequences_first(sequences, b) * D;
        hl_real *y = node->out->data + b * D;
        memset(y, 0, (size_t)D * sizeof *y);
        for (int64_t i = 0; i < n; i++) {
#pragma omp simd
            for (int64_t d = 0; d < D; d++) {
                y[d] += x[i * D + d];
            }
        }
        for (int64_t d = 0; d < D; d++) {
            y[d] /= (hl_real)n;
        }
    }
}

static int threads_for(const hl_tape *tape, const hl_node *node)
{
    return hl_tape_threads(tape, hl_shape_count(node->in[0]->shape));
}

static void forward(const hl_tape *tape, const hl_node *node, hl_real *scratch)
{
    (void)scratch;
    hl_threads_run(threads_for(tape, node), node->out->shape.size[0], 1, forward_sequences, node);
}

/* dx[r] = dy[b] / length(b) */
static void backward_sequences(const void *context, hl_range range)
{
    const hl_op_call *call = context;
    const hl_sequences *sequences = call->node->attributes;
    hl_grad dx = call->din[0];
    int64_t D = call->node->out->shape.size[1];
    for (int64_t b = range.begin; b < range.end; b++) {
        int64_t first = hl_sequences_first(sequences, b), n = hl_sequences_length(sequences, b);
        const hl_real *dy = call->node->out->grad + b * D;
        for (int64_t r = first; r < first + n; r++) {
            for (int64_t d = 0; d < D; d++) {
                hl_grad_put(&dx.at[r * D + d], dy[d] / (hl_real)n, dx.add);
            }
        }
    }
}

static void backward(const hl_tape *tape, const hl_node *node, const hl_grad *din, hl_real *scratch)
{
    hl_threads_run(threads_for(tape, node), node->out->shape.size[0], 1, backward_sequences,
                   &(hl_op_call){ .tape = tape, .node = node, .din = din, .scratch = scratch });
}

const hl_op hl_op_mean_rows = {
    .name = "mean_rows",
    .min_inputs = 1,
    .in_place = HL_NOT_IN_PLACE,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};

hl_tensor *hl_mean_rows(hl_tape *tape, hl_tensor *x, hl_sequences sequences)
{
    return hl_tape_apply(tape, &hl_op_mean_rows, &x, 1, &sequences, sizeof sequences);
}
