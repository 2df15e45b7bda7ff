#include "core/ops/gather_rows.h"

#include "core/base/threads.h"
#include "core/op.h"
#include "core/ops/private/row_copies.h"

#include <string.h>

typedef struct attributes {
    hl_row_list rows;
    hl_shape shape;
} attributes;

static bool infer(hl_tape *tape, hl_node *node)
{
    attributes *a = node->attributes;
    hl_shape x = node->in[0]->shape;
    if (x.n_dims < 1 || a->shape.n_dims >= HL_MAX_DIMS || hl_shape_count(a->shape) < 1) {
        return hl_tape_fail_shapes(tape, node, "rows and x (..., D) do not fit", a->shape, x);
    }
    a->rows.n = hl_shape_count(a->shape);
    a->rows.D = hl_shape_last(x);
    node->out->shape = a->shape;
    node->out->shape.size[node->out->shape.n_dims++] = a->rows.D;
    return tape->options.memory.dry || hl_row_list_check(tape, node, &a->rows, hl_shape_rows(x), "row");
}

static void forward_rows(const hl_op_call *call, hl_range range)
{
    const hl_node *node = call->node;
    const hl_row_list *rows = &((const attributes *)node->attributes)->rows;
    for (int64_t m = range.begin; m < range.end; m++) {
        memcpy(node->out->data + m * rows->D, node->in[0]->data + (rows->list[m] - rows->base) * rows->D,
               (size_t)rows->D * sizeof(hl_real));
    }
}

/* dx[rows[m]] += dy[m] */
static void backward(const hl_op_call *call)
{
    const attributes *a = call->node->attributes;
    hl_row_list_add(call, &a->rows, 1, 0);
}

const hl_op hl_op_gather_rows = {
    .name = "gather_rows",
    .min_inputs = 1,
    .infer = infer,
    .forward = { .part = forward_rows, .each = 1 },
    .backward = { .whole = backward },
};

hl_tensor *hl_gather_rows(hl_tape *tape, hl_tensor *x, const int32_t *rows, int32_t base, hl_shape rows_shape)
{
    attributes a = { .rows = { .list = rows, .base = base }, .shape = rows_shape };
    return hl_tape_apply(tape, &hl_op_gather_rows, &x, 1, &a, sizeof a);
}
