#include "core/op_attention.h"

#include "core/op.h"
#include "core/private/attention_head.h"
#include "core/threads.h"

#include <string.h>

enum { Q, K, V, GATE, N_INPUTS };

static bool check_columns(hl_tape *tape, const hl_node *node, const char *what, hl_columns columns, int64_t width)
{
    hl_shape x = columns.x->shape;
    if (x.n_dims != 2 || columns.first < 0 || width > x.size[1] - columns.first) {
        char text[HL_SHAPE_TEXT];
        return hl_tape_fail(tape, node, "%s: %lld columns from %lld on are not in %s", what, (long long)width,
                            (long long)columns.first, hl_shape_text(x, text));
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
    bool numbers = !tape->options.dry;
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

static bool infer(hl_tape *tape, hl_node *node)
{
    hl_attention_state *a = node->attributes;
    if (!check_shapes(tape, node, &a->args)) {
        return false;
    }
    a->sizes = (hl_attention_sizes){
        .B = a->args.queries.n,
        .Nq = node->in[Q]->shape.size[0],
        .Nk = node->in[K]->shape.size[0],
        .Tq = a->args.queries.longest,
        .Tk = a->args.keys.longest,
        .H = a->args.n_heads,
        .Hkv = a->args.n_kv_heads,
        .Dk = a->args.d_k,
        .Dv = a->args.d_v,
    };
    hl_attention_sizes s = a->sizes;
    node->out->shape = HL_SHAPE(s.Nq, s.H * s.Dv);
    a->drops = tape->options.training && a->args.dropout > 0;
    a->rate = hl_dropout_rate_of(a->drops ? a->args.dropout : 0);
    if (a->drops && !hl_tape_has_places(tape, node, s.Nq)) {
        return false;
    }
    if (hl_node_has_backward(node) && !a->args.recompute) {
        a->A = hl_tape_allocate(tape, node, hl_shape_count(HL_SHAPE(s.Nq, s.H, hl_attention_row(s.Tk))), sizeof *a->A);
    }
    if (a->args.gate != NULL && hl_node_has_backward(node)) {
        a->z = hl_tape_allocate(tape, node, hl_shape_count(node->out->shape), sizeof *a->z);
    }
    if (tape->options.dry && tape->options.prepare) {
        hl_attention_prepare_lengths(a);
    }
    /* Whether q, k and v are the columns of one packed projection, side by side. */
    const hl_columns *q = &a->args.q, *k = &a->args.k, *v = &a->args.v;
    node->disjoint = q->x == k->x && k->x == v->x && q->first == 0 && k->first == s.H * s.Dk &&
                     v->first == (s.H + s.Hkv) * s.Dk && v->first + s.Hkv * s.Dv == q->x->shape.size[1];
    return hl_tape_status(tape).code == HL_OK;
}

/* Multiply-adds of forward and what else a weight costs, in hl_threads_for's unit; backward takes about as long: it has
 * twice the multiply-adds, and draws nothing. */
static int64_t work(hl_attention_sizes s)
{
    return s.Nq * s.H * s.Tk * (5 + (s.Dk + s.Dv) / 32);
}

static int64_t thread_scratch(const hl_node *node)
{
    return hl_attention_scratch(node->attributes, hl_node_has_backward(node));
}

static int64_t scratch_numbers(const hl_tape *tape, const hl_node *node)
{
    int64_t each = thread_scratch(node), all;
    return each < 0 || __builtin_mul_overflow(each, tape->options.threads, &all) ? -1 : all;
}

static void forward_heads(const void *context, hl_range heads)
{
    const hl_op_call *call = context;
    const hl_attention_state *state = call->node->attributes;
    int64_t H = state->sizes.H;
    hl_real *scratch = call->scratch + heads.thread * thread_scratch(call->node);
    hl_dropout_draws draws = hl_attention_draws(call->tape, state);
    for (int64_t head = heads.begin; head < heads.end; head++) {
        hl_attention_head_forward(call->tape, state, head / H, head % H, &draws, call->node->out->data, scratch);
    }
}

static void forward(const hl_tape *tape, const hl_node *node, hl_real *scratch)
{
    hl_attention_state *state = node->attributes;
    hl_attention_sizes s = state->sizes;
    hl_attention_prepare(state, hl_node_has_backward(node), scratch);
    hl_threads_run(hl_tape_threads(tape, work(s)), s.B * s.H, 1, forward_heads,
                   &(hl_op_call){ .tape = tape, .node = node, .scratch = scratch });
}

/* The gradient of a tensor wider than the columns used: zero in the others, to be added to in ours. */
static hl_grad whole_grad(const hl_node *node, hl_grad grad, hl_columns columns, int64_t width)
{
    if (!node->disjoint && grad.at != NULL && !grad.add && width < columns.x->shape.size[1]) {
        memset(grad.at, 0, (size_t)hl_shape_count(columns.x->shape) * sizeof *grad.at);
        grad.add = true;
    }
    return grad;
}

typedef struct backward_work {
    const hl_tape *tape;
    const hl_node *node;
    hl_attention_grads grads;
    hl_real *scratch;
} backward_work;

static void backward_heads(const void *context, hl_range heads)
{
    const backward_work *work = context;
    const hl_attention_state *state = work->node->attributes;
    int64_t H = state->sizes.H;
    hl_real *scratch = work->scratch + heads.thread * thread_scratch(work->node);
    hl_dropout_draws draws = hl_attention_draws(work->tape, state);
    for (int64_t head = heads.begin; head < heads.end; head++) {
        hl_attention_head_backward(work->tape, state, head / H, head % H, &draws, work->node->out->grad, work->grads,
                                   scratch);
    }
}

/* Formulas in the header. Heads that write to the same columns are worked by one thread, in order: those that share
 * keys and values, or, where q, k and v may overlap in one tensor, all heads of a sequence. */
static void backward(const hl_tape *tape, const hl_node *node, const hl_grad *din, hl_real *scratch)
{
    const hl_attention_state *state = node->attributes;
    const hl_attention_args *args = &state->args;
    hl_attention_sizes s = state->sizes;
    const hl_tensor *q = node->in[Q], *k = node->in[K], *v = node->in[V];
    bool apart = node->disjoint || (q != k && k != v && q != v);
    int64_t together = apart ? s.H / s.Hkv : s.H;
    const hl_attention_grads grads = {
        .q = whole_grad(node, din[Q], args->q, s.H * s.Dk),
        .k = whole_grad(node, din[K], args->k, s.Hkv * s.Dk),
        .v = whole_grad(node, din[V], args->v, s.Hkv * s.Dv),
        .gate = din[GATE],
    };
    hl_threads_run(hl_tape_threads(tape, work(s)), s.B * s.H, together, backward_heads,
                   &(backward_work){ .tape = tape, .node = node, .grads = grads, .scratch = scratch });
}

static double flops(const hl_node *node)
{
    const hl_attention_state *a = node->attributes;
    hl_attention_sizes s = a->sizes;
    double pairs = (double)s.Nq * (double)s.Tk; /* of a dry tape's sequences, which are all of the longest length */
    if (a->args.queries.offsets != NULL && a->args.keys.offsets != NULL) {
        pairs = 0;
        for (int64_t b = 0; b < s.B; b++) {
            pairs += (double)hl_sequences_length(&a->args.queries, b) * (double)hl_sequences_length(&a->args.keys, b);
        }
    }
    return 2.0 * pairs * (double)s.H * (double)(s.Dk + s.Dv);
}

const hl_op hl_op_attention = {
    .name = "attention",
    .min_inputs = 3,
    .in_place = HL_NOT_IN_PLACE,
    .infer = infer,
    .forward = forward,
    .backward = backward,
    .scratch = scratch_numbers,
    .flops = flops,
};

hl_tensor *hl_attention(hl_tape *tape, hl_attention_args args)
{
    hl_attention_state state = { .args = args };
    return hl_tape_apply(tape, &hl_op_attention, (hl_tensor *[]){ args.q.x, args.k.x, args.v.x, args.gate }, N_INPUTS,
                         &state, sizeof state);
}

const hl_attention_args *hl_attention_args_of(const hl_node *node)
{
    return node->op == &hl_op_attention ? &((const hl_attention_state *)node->attributes)->args : NULL;
}
