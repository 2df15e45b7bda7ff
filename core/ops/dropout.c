#include "core/ops/dropout.h"

#include "core/base/threads.h"
#include "core/kernels/private/dropout_mask.h"
#include "core/kernels/private/pass_bits.h"
#include "core/op.h"
#include "core/ops/private/row_copies.h"

#include <math.h>

typedef struct attributes {
    hl_real p;
    uint32_t stream;
    hl_row_list rows; /* list NULL: x has all rows */
} attributes;

/* Whether each row of x has a number in the tape's `places`. */
static bool has_places(hl_tape *tape, const hl_node *node)
{
    const attributes *a = node->attributes;
    if (a->rows.list == NULL) {
        return hl_tape_has_places(tape, node, a->rows.n);
    }
    int64_t n_places = tape->options.places != NULL ? tape->options.n_places : INT64_MAX;
    return tape->options.memory.dry || hl_row_list_check(tape, node, &a->rows, n_places, "row");
}

static bool infer(hl_tape *tape, hl_node *node)
{
    attributes *a = node->attributes;
    if (!(a->p >= 0 && a->p < 1)) {
        return hl_tape_fail(tape, node, "a probability of %g is not in [0, 1)", (double)a->p);
    }
    node->out->shape = node->in[0]->shape;
    a->rows.n = hl_shape_rows(node->out->shape);
    if (!has_places(tape, node)) {
        return false;
    }
    node->saved = hl_tape_allocate(tape, node, hl_pass_bytes(hl_shape_count(node->out->shape)), 1);
    return node->saved != NULL;
}

/* The bits of the group that begins at number i. */
static uint8_t *bits_from(const hl_node *node, int64_t i)
{
    return (uint8_t *)node->saved + i / HL_PASS_GROUP * HL_PASS_BYTES;
}

static void forward_groups(const hl_op_call *call, hl_range range)
{
    const hl_tape *tape = call->tape;
    const hl_node *node = call->node;
    const attributes *a = node->attributes;
    hl_dropout_draws draws = { .random = { tape->options.seed, a->stream, tape->options.step },
                               .rate = hl_dropout_rate_of(a->p) };
    hl_dropout_places places = { .places = tape->options.places, .rows = a->rows.list, .base = a->rows.base };
    int64_t D = hl_shape_last(node->out->shape);
    for (int64_t i = range.begin; i < range.end; i += HL_PASS_GROUP) {
        int count = range.end - i < HL_PASS_GROUP ? (int)(range.end - i) : HL_PASS_GROUP;
        hl_real m[HL_DROPOUT_GROUP];
        hl_dropout_draw_rows(&draws, places, D, i, count, m);
        hl_pass_forward(count, node->in[0]->data + i, -INFINITY, m, NULL, node->out->data + i, bits_from(node, i));
    }
}

/* dx = dy * m */
static void backward_groups(const hl_op_call *call, hl_range range)
{
    const attributes *a = call->node->attributes;
    hl_grad dx = call->din[0];
    hl_pass_backward(range.end - range.begin, bits_from(call->node, range.begin), hl_dropout_rate_of(a->p).scale,
                     call->node->out->grad + range.begin, dx.at + range.begin, dx.add);
}

const hl_op hl_op_dropout = {
    .name = "dropout",
    .min_inputs = 1,
    .in_place = HL_IN_PLACE(0),
    .infer = infer,
    .forward = { .part = forward_groups, .each = 4, .step = HL_PASS_GROUP },
    .backward = { .part = backward_groups, .each = 1, .step = HL_PASS_GROUP },
};

hl_tensor *hl_dropout(hl_tape *tape, hl_tensor *x, hl_real p, uint32_t stream)
{
    return hl_dropout_rows(tape, x, p, stream, NULL, 0);
}

hl_tensor *hl_dropout_rows(hl_tape *tape, hl_tensor *x, hl_real p, uint32_t stream, const int32_t *rows, int32_t base)
{
    if (p == 0 || (!tape->options.training && p > 0 && p < 1)) {
        return x;
    }
    attributes a = { .p = p, .stream = stream, .rows = { .list = rows, .base = base } };
    return hl_tape_apply(tape, &hl_op_dropout, &x, 1, &a, sizeof a);
}
