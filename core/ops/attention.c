#include "core/ops/attention.h"

#include "core/base/private/least.h"
#include "core/kernels/private/attention_head.h"
#include "core/op.h"

#include <string.h>

enum { Q, K, V, GATE, N_INPUTS };

typedef struct attributes {
    hl_attention_args args;
    hl_attention_pass pass;
} attributes;

static bool check_columns(hl_tape *tape, const hl_node *node, const char *what, hl_columns columns, int64_t width)
{
    hl_shape x = columns.x->shape;
    if (x.n_dims != 2 || columns.first < 0 || width > x.size[1] - columns.first) {
        return hl_tape_fail(tape, node, "%s: %lld columns from %lld on are not in %s", what, (long long)width,
                            (long long)columns.first, HL_SHAPE_SHOWN(x));
    }
    return true;
}

static bool check_shapes(hl_tape *tape, const hl_node *node, const hl_attention_args *args)
{
    if (args->n_heads < 1 || args->n_kv_heads < 1 || args->n_heads % args->n_kv_heads != 0 || args->d_k < 1 ||
        args->d_v < 1) {
        return hl_tape_fail(tape, node, "%lld heads of widths %lld and %lld cannot share %lld key/value heads",
                            (long long)args->n_heads, (long long)args->d_k, (long long)args->d_v,
                            (long long)args->n_kv_heads);
    }
    int64_t widest = args->d_k > args->d_v ? args->d_k : args->d_v, product;
    if (__builtin_mul_overflow(args->n_heads, widest, &product)) {
        return hl_tape_fail(tape, node, "%lld heads of width %lld are too wide", (long long)args->n_heads,
                            (long long)widest);
    }
    if (!check_columns(tape, node, "q", args->q, args->n_heads * args->d_k) ||
        !check_columns(tape, node, "k", args->k, args->n_kv_heads * args->d_k) ||
        !check_columns(tape, node, "v", args->v, args->n_kv_heads * args->d_v)) {
        return false;
    }
    hl_shape q = args->q.x->shape, k = args->k.x->shape, v = args->v.x->shape;
    if (k.size[0] != v.size[0]) {
        return hl_tape_fail_shapes(tape, node, "k and v have different rows", k, v);
    }
    bool numbers = !tape->options.memory.dry;
    int64_t B = args->queries.n;
    hl_status status = hl_sequences_check(&args->queries, q.size[0], numbers);
    HL_THEN(status, hl_sequences_check(&args->keys, k.size[0], numbers));
    if (status.code == HL_OK && args->keys.n != B) {
        status = hl_error(HL_INVALID, "%lld sequences of queries, %lld of keys", (long long)B, (long long)args->keys.n);
    }
    HL_THEN(status, hl_mask_check(&args->mask, B, args->n_heads, args->queries.longest, args->keys.longest, numbers));
    if (status.code != HL_OK) {
        return hl_tape_fail(tape, node, "%s", status.text);
    }
    const hl_tensor *gate = args->gate;
    if (gate != NULL && !hl_shape_equal(gate->shape, HL_SHAPE(B, args->n_heads)) &&
        (gate->requires_grad || !hl_shape_equal(gate->shape, HL_SHAPE(1, args->n_heads)))) {
        return hl_tape_fail_shapes(tape, node, "the gate is not (B, H)", gate->shape, HL_SHAPE(B, args->n_heads));
    }
    return (args->dropout >= 0 && args->dropout < 1) ||
           hl_tape_fail(tape, node, "a dropout of %g is not in [0, 1)", (double)args->dropout);
}

/* On a dry tape there are no numbers, so no address is computed either. */
static hl_attention_rows rows_of(const hl_tape *tape, hl_columns columns)
{
    return (hl_attention_rows){ tape->options.memory.dry ? NULL : columns.x->data + columns.first,
                                columns.x->shape.size[1] };
}

static bool infer(hl_tape *tape, hl_node *node)
{
    attributes *a = node->attributes;
    const hl_attention_args *args = &a->args;
    const hl_tape_options *options = &tape->options;
    const hl_columns *q = &args->q, *k = &args->k, *v = &args->v;
    if (!check_shapes(tape, node, args)) {
        return false;
    }
    const hl_attention_sizes s = {
        .B = args->queries.n,
        .Nq = q->x->shape.size[0],
        .Nk = k->x->shape.size[0],
        .Tq = args->queries.longest,
        .Tk = args->keys.longest,
        .H = args->n_heads,
        .Hkv = args->n_kv_heads,
        .Dk = args->d_k,
        .Dv = args->d_v,
    };
    bool backward = hl_node_has_backward(node), drops = options->training && args->dropout > 0;
    node->out->shape = HL_SHAPE(s.Nq, s.H * s.Dv);
    if (drops && !hl_tape_has_places(tape, node, s.Nq)) {
        return false;
    }
    hl_attention_pass *pass = &a->pass;
    *pass = (hl_attention_pass){
        .sizes = s,
        .threads = options->threads,
        .q = rows_of(tape, *q),
        .k = rows_of(tape, *k),
        .v = rows_of(tape, *v),
        .queries = args->queries,
        .keys = args->keys,
        .mask = args->mask,
        .backward = backward,
        .recompute = args->recompute,
        .drops = drops,
        .rate = hl_dropout_rate_of(drops ? args->dropout : 0),
        .random = { options->seed, args->dropout_stream, options->step },
        .places = options->places,
        .gate = args->gate != NULL ? args->gate->data : NULL,
        .gate_stride = args->gate != NULL && args->gate->shape.size[0] > 1 ? s.H : 0,
        .replace = args->replace,
    };
    if (backward && !args->recompute) {
        pass->A = hl_tape_allocate(tape, node,
                                   hl_shape_count(HL_SHAPE(s.Nq, s.H, hl_attention_weights_row(&args->mask, s.Tk))),
                                   sizeof *pass->A);
    }
    if (backward && args->gate != NULL && args->gate->requires_grad) {
        pass->z = hl_tape_allocate(tape, node, hl_shape_count(node->out->shape), sizeof *pass->z);
    }
    if (options->memory.dry && options->memory.prepare) {
        hl_attention_prepare_lengths(pass);
    }
    /* Whether q, k and v are the columns of one packed projection, side by side. */
    node->disjoint = q->x == k->x && k->x == v->x && q->first == 0 && k->first == s.H * s.Dk &&
                     v->first == (s.H + s.Hkv) * s.Dk && v->first + s.Hkv * s.Dv == q->x->shape.size[1];
    return hl_tape_status(tape).code == HL_OK;
}

static int64_t scratch_numbers(const hl_tape *tape, const hl_node *node)
{
    (void)tape;
    return hl_attention_scratch(&((const attributes *)node->attributes)->pass);
}

/* z = dropout(A) v,  A = softmax(q k^T / sqrt(Dk) + bias). P is memory for the weights of one block of queries: first
 * A, then dropout(A). The gate multiplies z afterwards, in hl_attention_forward. */
static void forward_block(const void *context, const hl_attention_block *block, hl_real *P, hl_attention_rows z)
{
    const hl_attention_args *args = context;
    const hl_attention_view *head = block->head;
    hl_attention_weights(block, P); /* P = A */
    if (args->observe != NULL) {
        args->observe(args->observe_context,
                      &(hl_attention_seen){
                          .b = head->b,
                          .h = head->h,
                          .first = block->first,
                          .n_queries = block->n_real,
                          .n_keys = head->n_keys,
                          .keys = { block->first_key, hl_least(block->first_key + block->n_keys, head->n_keys) },
                          .last = block->first + block->n_real == head->n_queries,
                          .A = P,
                          .stride = head->row });
    }
    hl_attention_drop(block, P); /* P = dropout(A) */
    /* z = P v */
    hl_attention_multiply(HL_VALUES, block, z.stride, false, P, block->v.at, z.at);
}

static void forward(const hl_op_call *call)
{
    attributes *a = call->node->attributes;
    hl_attention_forward(&a->pass, forward_block, &a->args, call->node->out->data, call->node->scratch);
}

/* The block's contribution to each gradient; P is dropout(A). */
static void backward_block(const hl_attention_block *block, const hl_real *P, hl_attention_rows dz, hl_real *dS,
                           const hl_attention_grads *d)
{
    if (d->v.at != NULL) { /* dv = P^T dz */
        hl_attention_multiply(HL_D_VALUES, block, dz.stride, d->v.add, P, dz.at, d->v.at);
    }
    if (d->q.at != NULL || d->k.at != NULL) { /* dS = A * (dA - rowsum(dA * A)) / sqrt(Dk) */
        hl_attention_d_scores(block, dz, dS);
    }
    if (d->q.at != NULL) { /* dq = dS k */
        hl_attention_multiply(HL_D_QUERIES, block, dz.stride, d->q.add, dS, block->k.at, d->q.at);
    }
    if (d->k.at != NULL) { /* dk = dS^T q */
        hl_attention_multiply(HL_D_KEYS, block, dz.stride, d->k.add, dS, block->q.at, d->k.at);
    }
}

/* The gradient of our columns. In a wider tensor, the other columns are zeroed first, and ours are then added. */
static hl_grad columns_grad(const hl_node *node, hl_grad grad, hl_columns columns, int64_t width)
{
    if (grad.at == NULL) {
        return grad;
    }
    if (!node->disjoint && !grad.add && width < columns.x->shape.size[1]) {
        memset(grad.at, 0, (size_t)hl_shape_count(columns.x->shape) * sizeof *grad.at);
        grad.add = true;
    }
    grad.at += columns.first;
    return grad;
}

static void backward(const hl_op_call *call)
{
    const hl_node *node = call->node;
    const hl_grad *din = call->din;
    const attributes *a = node->attributes;
    const hl_attention_args *args = &a->args;
    const hl_tensor *q = node->in[Q], *k = node->in[K], *v = node->in[V];
    const hl_attention_grads grads = {
        .q = columns_grad(node, din[Q], args->q, args->n_heads * args->d_k),
        .k = columns_grad(node, din[K], args->k, args->n_kv_heads * args->d_k),
        .v = columns_grad(node, din[V], args->v, args->n_kv_heads * args->d_v),
        .gate = din[GATE],
        .overlap = !node->disjoint && (q == k || k == v || q == v),
    };
    hl_attention_backward(&a->pass, backward_block, grads, node->out->grad, node->scratch);
}

static double flops(const hl_node *node)
{
    const attributes *a = node->attributes;
    hl_attention_sizes s = a->pass.sizes;
    const hl_mask *mask = &a->args.mask;
    /* a dry tape's sequences all have the longest length */
    double pairs = (double)s.Nq * (double)hl_mask_keys(mask, s.Tk);
    if (a->args.queries.offsets != NULL && a->args.keys.offsets != NULL) {
        pairs = 0;
        for (int64_t b = 0; b < s.B; b++) {
            pairs += (double)hl_sequences_length(&a->args.queries, b) *
                     (double)hl_mask_keys(mask, hl_sequences_length(&a->args.keys, b));
        }
    }
    return 2.0 * pairs * (double)s.H * (double)(s.Dk + s.Dv);
}

const hl_op hl_op_attention = {
    .name = "attention",
    .min_inputs = 3,
    .infer = infer,
    .forward = { .whole = forward },
    .backward = { .whole = backward },
    .scratch = scratch_numbers,
    .flops = flops,
};

hl_tensor *hl_attention(hl_tape *tape, hl_attention_args args)
{
    attributes a = { .args = args };
    return hl_tape_apply(tape, &hl_op_attention, (hl_tensor *[]){ args.q.x, args.k.x, args.v.x, args.gate }, N_INPUTS,
                         &a, sizeof a);
}

const hl_attention_args *hl_attention_args_of(const hl_node *node)
{
    return node->op == &hl_op_attention ? &((const attributes *)node->attributes)->args : NULL;
}

void hl_attention_seen_row(const hl_attention_seen *seen, int64_t i, hl_real *row)
{
    hl_keys keys = seen->keys;
    memset(row, 0, (size_t)seen->n_keys * sizeof *row);
    memcpy(row + keys.begin, seen->A + i * seen->stride, (size_t)(keys.end - keys.begin) * sizeof *row);
}
