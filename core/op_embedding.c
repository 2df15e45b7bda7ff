#include "core/op_embedding.h"

#include "core/op.h"
#include "core/threads.h"

#include <inttypes.h>
#include <string.h>

typedef struct attributes {
    const int32_t *ids;
    hl_shape shape;
} attributes;

static bool infer(hl_tape *tape, hl_node *node)
{
    const attributes *a = node->attributes;
    hl_shape W = node->in[0]->shape;
    if (W.n_dims != 2 || a->shape.n_dims >= HL_MAX_DIMS) {
        return hl_tape_fail_shapes(tape, node, "ids and W (V, D) do not fit", a->shape, W);
    }
    int64_t n = hl_shape_count(a->shape);
    if (n < 1) {
        return hl_tape_fail_shapes(tape, node, "ids of an impossible shape for W (V, D)", a->shape, W);
    }
    if (a->ids == NULL && !tape->options.dry) {
        return hl_tape_fail(tape, node, "no ids are given");
    }
    for (int64_t i = 0; i < n && !tape->options.dry; i++) {
        if (a->ids[i] < 0 || a->ids[i] >= W.size[0]) {
            return hl_tape_fail(tape, node, "id %" PRId32 " at place %" PRId64 " is not below %" PRId64, a->ids[i], i,
                                W.size[0]);
        }
    }
    node->out->shape = a->shape;
    node->out->shape.size[node->out->shape.n_dims++] = W.size[1];
    return true;
}

static void forward_rows(const void *context, hl_range rows)
{
    const hl_node *node = context;
    const attributes *a = node->attributes;
    int64_t D = node->in[0]->shape.size[1];
    for (int64_t n = rows.begin; n < rows.end; n++) {
        memcpy(node->out->data + n * D, node->in[0]->data + a->ids[n] * D, (size_t)D * sizeof(hl_real));
    }
}

static void forward(const hl_tape *tape, const hl_node *node, hl_real *scratch)
{
    (void)scratch;
    int threads = hl_tape_threads(tape, hl_shape_count(node->out->shape));
    hl_threads_run(threads, hl_shape_rows(node->out->shape), 1, forward_rows, node);
}

/* dW[ids[n]] += dy[n]
 * Each thread works on a range of columns, so that every row is summed in the order of n. */
static void backward_columns(const void *context, hl_range columns)
{
    const hl_op_call *call = context;
    const attributes *a = call->node->attributes;
    int64_t N = hl_shape_count(a->shape), D = call->node->in[0]->shape.size[1];
    const hl_real *dy = call->node->out->grad;
    hl_real *dW = call->din[0].at;
    for (int64_t n = 0; n < N; n++) {
        for (int64_t d = columns.begin; d < columns.end; d++) {
            dW[a->ids[n] * D + d] += dy[n * D + d];
        }
    }
}

static void backward(const hl_tape *tape, const hl_node *node, const hl_grad *din, hl_real *scratch)
{
    hl_shape W = node->in[0]->shape;
    if (!din[0].add) {
        memset(din[0].at, 0, (size_t)hl_shape_count(W) * sizeof(hl_real));
    }
    hl_threads_run(hl_tape_threads(tape, hl_shape_count(node->out->shape)), W.size[1], HL_CACHE_LINE, backward_columns,
                   &(hl_op_call){ .tape = tape, .node = node, .din = din, .scratch = scratch });
}

const hl_op hl_op_embedding = {
    .name = "embedding",
    .min_inputs = 1,
    .in_place = HL_NOT_IN_PLACE,
    .infer = infer,
    .forward = forward,
    .backward = backward,
};

hl_tensor *hl_embedding(hl_tape *tape, hl_tensor *W, const int32_t *ids, hl_shape ids_shape)
{
    attributes a = { ids, ids_shape };
    return hl_tape_apply(tape, &hl_op_embedding, &W, 1, &a, sizeof a);
}
