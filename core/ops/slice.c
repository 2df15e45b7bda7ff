#include "core/ops/slice.h"

#include "core/base/threads.h"
#include "core/op.h"

#include <inttypes.h>
#include <string.h>

typedef struct attributes {
    int64_t first, width;
} attributes;

static bool infer(hl_tape *tape, hl_node *node)
{
    const attributes *a = node->attributes;
    hl_shape x = node->in[0]->shape;
    if (x.n_dims < 1 || a->first < 0 || a->width < 1 || a->width > hl_shape_last(x) - a->first) {
        return hl_tape_fail(tape, node, "%" PRId64 " columns from %" PRId64 " on are not in x %s", a->width, a->first,
                            HL_SHAPE_SHOWN(x));
    }
    node->out->shape = x;
    node->out->shape.size[x.n_dims - 1] = a->width;
    return true;
}

static void forward_rows(const hl_op_call *call, hl_range rows)
{
    const hl_node *node = call->node;
    const attributes *a = node->attributes;
    int64_t D = hl_shape_last(node->in[0]->shape);
    for (int64_t n = rows.begin; n < rows.end; n++) {
        memcpy(node->out->data + n * a->width, node->in[0]->data + n * D + a->first,
               (size_t)a->width * sizeof(hl_real));
    }
}

/* dx = dy in the columns of the slice, 0 in the others */
static void backward_rows(const hl_op_call *call, hl_range rows)
{
    const attributes *a = call->node->attributes;
    int64_t D = hl_shape_last(call->node->in[0]->shape);
    const hl_real *dy = call->node->out->grad;
    for (int64_t n = rows.begin; n < rows.end; n++) {
        hl_real *dx = call->din[0].at + n * D;
        if (!call->din[0].add) {
            memset(dx, 0, (size_t)D * sizeof *dx);
        }
        for (int64_t i = 0; i < a->width; i++) {
            dx[a->first + i] += dy[n * a->width + i];
        }
    }
}

static void backward(const hl_op_call *call)
{
    const hl_node *node = call->node;
    hl_op_run(call, hl_shape_count(node->in[0]->shape), hl_shape_rows(node->out->shape), 1, backward_rows);
}

const hl_op hl_op_slice = {
    .name = "slice",
    .min_inputs = 1,
    .infer = infer,
    .forward = { .part = forward_rows, .each = 1 },
    .backward = { .whole = backward },
};

hl_tensor *hl_slice(hl_tape *tape, hl_tensor *x, int64_t first, int64_t width)
{
    attributes a = { first, width };
    return hl_tape_apply(tape, &hl_op_slice, &x, 1, &a, sizeof a);
}
