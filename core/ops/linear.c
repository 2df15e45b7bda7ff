#include "core/ops/linear.h"

#include "core/kernels/private/dropout_mask.h"
#include "core/kernels/private/linear_products.h"
#include "core/kernels/private/pass_bits.h"
#include "core/op.h"
#include "core/private/op_parts.h"

#include <math.h>

enum { X, W, B, R, N_INPUTS };

typedef struct attributes {
    hl_linear_args args;
    bool drops;      /* in this pass */
    hl_real *packed; /* W and b in the form that forward reads, if the tape keeps them; or NULL */
} attributes;

static hl_linear_rows rows_of(const hl_node *node)
{
    const hl_shape *w = &node->in[W]->shape;
    return hl_linear_rows_of(hl_shape_rows(node->out->shape), w->size[0], w->size[1], node->in[W]->bf16);
}

static bool infer(hl_tape *tape, hl_node *node)
{
    attributes *a = node->attributes;
    hl_shape x = node->in[X]->shape, w = node->in[W]->shape;
    if (x.n_dims < 1 || w.n_dims != 2 || hl_shape_last(x) != w.size[1]) {
        return hl_tape_fail_shapes(tape, node, "x (..., I) does not fit W (O, I)", x, w);
    }
    const hl_tensor *b = node->in[B], *r = node->in[R];
    if (b != NULL && !hl_shape_equal(b->shape, HL_SHAPE(w.size[0]))) {
        return hl_tape_fail_shapes(tape, node, "W (O, I) does not fit b (O)", w, b->shape);
    }
    if (!(a->args.dropout >= 0 && a->args.dropout < 1)) {
        return hl_tape_fail(tape, node, "a dropout of %g is not in [0, 1)", (double)a->args.dropout);
    }
    if (node->in[W]->bf16 && hl_bf16_missing() != NULL) {
        return hl_tape_fail(tape, node, "no products in bf16: %s", hl_bf16_missing());
    }
    hl_shape *y = &node->out->shape;
    *y = x;
    y->size[x.n_dims - 1] = w.size[0];
    if (r != NULL && !hl_shape_equal(r->shape, *y)) {
        return hl_tape_fail_shapes(tape, node, "the residual does not fit y", r->shape, *y);
    }
    a->drops = tape->options.training && a->args.dropout > 0;
    if (a->drops && !hl_tape_has_places(tape, node, hl_shape_rows(*y))) {
        return false;
    }
    hl_linear_rows rows = rows_of(node);
    if ((a->args.relu || a->drops) && hl_node_has_backward(node)) { /* one bit per number of p: whether it passes */
        node->saved = hl_tape_allocate(tape, node, rows.n_blocks * hl_pass_bytes(HL_LINEAR_BLOCK * rows.O), 1);
    }
    int64_t packed = hl_linear_packed_numbers(&rows);
    if (packed > 0) {
        a->packed = hl_tape_keep(tape, packed);
    }
    if (tape->options.memory.dry && tape->options.memory.prepare) {
        hl_linear_prepare(&rows);
    }
    return hl_tape_status(tape).code == HL_OK;
}

/* The bits of a block: 1 where dp = dy * scale, 0 if dp = 0 (pass_bits.h); NULL if forward saves none. */
static uint8_t *bits_of(const hl_node *node, hl_linear_block block)
{
    int64_t O = hl_shape_last(node->out->shape);
    return node->saved != NULL ? (uint8_t *)node->saved + block.index * hl_pass_bytes(HL_LINEAR_BLOCK * O) : NULL;
}

static hl_dropout_rate rate_of(const attributes *a)
{
    return hl_dropout_rate_of(a->drops ? a->args.dropout : 0);
}

/* y = r + max(y, 0) * m for a block, whose y was x W^T + b. Without a ReLU, -INFINITY replaces 0. */
static void finish(const void *context, hl_linear_block block)
{
    const hl_op_call *call = context;
    const hl_node *node = call->node;
    const attributes *a = node->attributes;
    const hl_tape_options *options = &call->tape->options;
    hl_dropout_draws draws = { .random = { options->seed, a->args.dropout_stream, options->step }, .rate = rate_of(a) };
    hl_real *y = node->out->data + block.first, m[HL_DROPOUT_GROUP];
    const hl_real *r = node->in[R] != NULL ? node->in[R]->data + block.first : NULL;
    uint8_t *bits = bits_of(node, block);
    for (int i = 0; i < HL_DROPOUT_GROUP; i++) {
        m[i] = 1;
    }
    for (int64_t i = 0; i < block.count; i += HL_PASS_GROUP) {
        int n = block.count - i < HL_PASS_GROUP ? (int)(block.count - i) : HL_PASS_GROUP;
        if (a->drops) {
            hl_dropout_draw_rows(&draws, (hl_dropout_places){ .places = options->places },
                                 hl_shape_last(node->out->shape), block.first + i, n, m);
        }
        hl_pass_forward(n, y + i, a->args.relu ? 0 : -INFINITY, m, r != NULL ? r + i : NULL, y + i,
                        bits != NULL ? bits + i / HL_PASS_GROUP * HL_PASS_BYTES : NULL);
    }
}

/* dp = dy * m where p > 0, else 0. */
static void put_dp(const void *context, hl_linear_block block, hl_real *dp)
{
    const hl_node *node = ((const hl_op_call *)context)->node;
    hl_pass_backward(block.count, bits_of(node, block), rate_of(node->attributes).scale, node->out->grad + block.first,
                     dp, false);
}

static hl_linear_products products_of(const hl_op_call *call)
{
    const hl_node *node = call->node;
    const attributes *a = node->attributes;
    return (hl_linear_products){
        .rows = rows_of(node),
        .threads = call->tape->options.threads,
        .x = node->in[X]->data,
        .W = node->in[W]->data,
        .b = node->in[B] != NULL ? node->in[B]->data : NULL,
        .finish = a->args.relu || a->drops || node->in[R] != NULL ? finish : NULL,
        .put_dp = node->saved != NULL ? put_dp : NULL,
        .overwrites = node->in[R] == NULL && hl_tape_reuses(call->tape), /* dr is dy */
        .context = call,
    };
}

/* y = r + dropout(relu(x W^T + b)) */
static void forward(const hl_op_call *call)
{
    const hl_node *node = call->node;
    const attributes *a = node->attributes;
    const hl_linear_products p = products_of(call);
    hl_linear_forward(&p, a->packed, hl_tape_has_kept(call->tape), node->out->data, node->scratch);
}

/* dr = dy,  dx = dp W,  dW = dp^T x,  db = the column sums of dp */
static void backward(const hl_op_call *call)
{
    const hl_node *node = call->node;
    const hl_grad *din = call->din;
    const hl_linear_products p = products_of(call);
    hl_op_hand_on(call, R);
    hl_linear_backward(
        &p, node->out->grad,
        (hl_linear_grads){
            .x = din[X], .W = din[W], .b = din[B], .dW_later = din[W].at == NULL && node->in[W]->requires_grad },
        node->scratch);
}

/* Only dW is large. */
static int cut_parts(const hl_node *node, int most, int64_t *step)
{
    hl_linear_rows rows = rows_of(node);
    return hl_linear_dW_cut(&rows, most, step);
}

static void compute_part(const hl_tape *tape, const hl_node *node, int input, int64_t begin, int64_t end, hl_real *to)
{
    (void)input;
    const hl_linear_products p = products_of(&(hl_op_call){ .tape = tape, .node = node });
    hl_linear_dW_part(&p, node->out->grad, node->scratch, begin, end, to);
}

static int64_t scratch_numbers(const hl_tape *tape, const hl_node *node)
{
    const hl_linear_products p = products_of(&(hl_op_call){ .tape = tape, .node = node });
    return hl_linear_scratch(&p, hl_node_has_backward(node));
}

static double flops(const hl_node *node)
{
    return 2.0 * (double)hl_shape_rows(node->in[X]->shape) * (double)hl_shape_count(node->in[W]->shape);
}

static const hl_op_parts parts = { cut_parts, compute_part };

const hl_op hl_op_linear = {
    .name = "linear",
    .min_inputs = 2,
    .in_place = HL_IN_PLACE(R),
    .infer = infer,
    .forward = { .whole = forward },
    .backward = { .whole = backward },
    .scratch = scratch_numbers,
    .parts = &parts,
    .flops = flops,
};

hl_tensor *hl_linear_fused(hl_tape *tape, hl_linear_args args)
{
    attributes a = { .args = args };
    return hl_tape_apply(tape, &hl_op_linear, (hl_tensor *[]){ args.x, args.W, args.b, args.residual }, N_INPUTS, &a,
                         sizeof a);
}

hl_tensor *hl_linear(hl_tape *tape, hl_tensor *x, hl_tensor *w, hl_tensor *b)
{
    return hl_linear_fused(tape, (hl_linear_args){ .x = x, .W = w, .b = b });
}

const hl_linear_args *hl_linear_args_of(const hl_node *node)
{
    return node->op == &hl_op_linear ? &((const attributes *)node->attributes)->args : NULL;
}
