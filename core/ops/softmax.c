#include "core/ops/softmax.h"

#include "core/base/threads.h"
#include "core/op.h"

typedef struct attributes {
    hl_mask mask;
    int64_t head;
} attributes;

/* x (..., Tq, Tk) as (B, Tq, Tk). */
static void sizes_of(hl_shape x, int64_t *B, int64_t *Tq, int64_t *Tk)
{
    *Tk = hl_shape_last(x);
    *Tq = x.n_dims > 1 ? x.size[x.n_dims - 2] : 1;
    *B = hl_shape_rows(x) / *Tq;
}

static bool infer(hl_tape *tape, hl_node *node)
{
    const attributes *a = node->attributes;
    hl_shape x = node->in[0]->shape;
    if (x.n_dims < 1) {
        return hl_tape_fail(tape, node, "there is nothing to normalise in %s", HL_SHAPE_SHOWN(x));
    }
    if (x.n_dims != 3 && a->mask.bias != NULL) {
        return hl_tape_fail(tape, node, "a bias belongs to (B, Tq, Tk), not %s", HL_SHAPE_SHOWN(x));
    }
    int64_t B, Tq, Tk;
    sizes_of(x, &B, &Tq, &Tk);
    int64_t H = a->mask.bias != NULL && a->mask.bias->shape.n_dims > 1 ? a->mask.bias->shape.size[1] : 1;
    hl_status status = hl_mask_check(&a->mask, B, H, Tq, Tk, !tape->options.memory.dry);
    if (status.code == HL_OK && H > 1 && (a->head < 0 || a->head >= H)) {
        status = hl_error(HL_INVALID, "the bias has no head %lld", (long long)a->head);
    }
    if (status.code != HL_OK) {
        return hl_tape_fail(tape, node, "%s", status.text);
    }
    node->out->shape = x;
    return true;
}

static void forward_rows(const hl_op_call *call, hl_range rows)
{
    const hl_node *node = call->node;
    const attributes *a = node->attributes;
    int64_t B, Tq, Tk;
    sizes_of(node->out->shape, &B, &Tq, &Tk);
    for (int64_t row = rows.begin; row < rows.end; row++) {
        int64_t b = row / Tq, i = row % Tq;
        hl_masked_softmax(node->in[0]->data + row * Tk, hl_mask_row_bias(&a->mask, b, a->head, i),
                          hl_mask_row_keys(&a->mask, i, Tk), Tk, node->out->data + row * Tk);
    }
}

/* dx = w * (dw - sum(w * dw)); w is 0 if nothing is permitted, and so is dx */
static void backward_rows(const hl_op_call *call, hl_range rows)
{
    const hl_tensor *w = call->node->out;
    hl_grad dx = call->din[0];
    int64_t Tk = hl_shape_last(w->shape);
    for (int64_t row = rows.begin; row < rows.end; row++) {
        hl_masked_softmax_backward(w->data + row * Tk, w->grad + row * Tk, Tk, 1, dx.at + row * Tk, dx.add);
    }
}

const hl_op hl_op_softmax = {
    .name = "softmax",
    .min_inputs = 1,
    .infer = infer,
    .forward = { .part = forward_rows, .each = 8 },
    .backward = { .part = backward_rows, .each = 4 },
};

hl_tensor *hl_softmax(hl_tape *tape, hl_tensor *x, hl_mask mask, int64_t head)
{
    attributes a = { mask, head };
    return hl_tape_apply(tape, &hl_op_softmax, &x, 1, &a, sizeof a);
}
