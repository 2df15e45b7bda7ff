#include "core/op_attention.h"

#include "core/dropout_mask.h"
#include "core/matmul.h"
#include "core/op.h"

#include <omp.h>
#include <string.h>
#include <tgmath.h>

enum { Q, K, V, GATE, N_INPUTS };

typedef struct attributes {
    hl_attention_args args;
    hl_real *A; /* (B, H, Tq, Tk), the weights before dropout */
    hl_real *z; /* (B, Tq, H * Dv) before the gate, where there is one */
} attributes;

typedef struct sizes {
    int64_t B, Tq, Tk, H, Hkv, Dk, Dv;
} sizes;

static sizes sizes_of(const hl_node *node)
{
    const hl_attention_args *args = &((const attributes *)node->attributes)->args;
    return (sizes){
        .B = node->in[Q]->shape.size[0],
        .Tq = node->in[Q]->shape.size[1],
        .Tk = node->in[K]->shape.size[1],
        .H = args->n_heads,
        .Hkv = args->n_kv_heads,
        .Dk = args->d_k,
        .Dv = args->d_v,
    };
}

static bool check_columns(hl_tape *tape, const hl_node *node, const char *what, hl_columns columns, int64_t width)
{
    hl_shape x = columns.x->shape;
    if (x.n_dims != 3 || columns.first < 0 || width > x.size[2] - columns.first) {
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
    if (!check_columns(tape, node, "q", args->q, args->n_heads * args->d_k) ||
        !check_columns(tape, node, "k", args->k, args->n_kv_heads * args->d_k) ||
        !check_columns(tape, node, "v", args->v, args->n_kv_heads * args->d_v)) {
        return false;
    }
    hl_shape q = args->q.x->shape, k = args->k.x->shape, v = args->v.x->shape;
    if (q.size[0] != k.size[0]) {
        return hl_tape_fail_shapes(tape, node, "q and k have different batches", q, k);
    }
    if (k.size[0] != v.size[0] || k.size[1] != v.size[1]) {
        return hl_tape_fail_shapes(tape, node, "k and v have different batches or tokens", k, v);
    }
    if (args->gate != NULL && !hl_shape_equal(args->gate->shape, HL_SHAPE(q.size[0], args->n_heads))) {
        return hl_tape_fail_shapes(tape, node, "q does not fit the gate (B, H)", q, args->gate->shape);
    }
    if (!(args->dropout >= 0 && args->dropout < 1)) {
        return hl_tape_fail(tape, node, "a dropout of %g is not in [0, 1)", (double)args->dropout);
    }
    hl_status mask = hl_mask_check(&args->mask, q.size[0], args->n_heads, q.size[1], k.size[1], !tape->options.dry);
    return mask.code == HL_OK || hl_tape_fail(tape, node, "%s", mask.text);
}

static bool infer(hl_tape *tape, hl_node *node)
{
    attributes *a = node->attributes;
    if (!check_shapes(tape, node, &a->args)) {
        return false;
    }
    sizes s = sizes_of(node);
    node->out->shape = HL_SHAPE(s.B, s.Tq, s.H * s.Dv);
    a->A = hl_tape_take(tape, hl_shape_count(HL_SHAPE(s.B, s.H, s.Tq, s.Tk)), sizeof(hl_real));
    if (a->args.gate != NULL) {
        a->z = hl_tape_take(tape, hl_shape_count(node->out->shape), sizeof(hl_real));
    }
    return a->A != NULL && (a->args.gate == NULL || a->z != NULL);
}

static bool drops(const hl_tape *tape, const hl_attention_args *args)
{
    return tape->options.training && args->dropout > 0;
}

/* Scratch of one thread: dropped weights, and in backward dA and dz. */
static int64_t thread_scratch(const hl_tape *tape, const hl_node *node)
{
    const hl_attention_args *args = &((const attributes *)node->attributes)->args;
    sizes s = sizes_of(node);
    int64_t weights = s.Tq * s.Tk, numbers = drops(tape, args) ? weights : 0;
    if (hl_node_has_backward(node)) {
        numbers += weights + (args->gate != NULL ? s.Tq * s.Dv : 0);
    }
    return numbers;
}

static int64_t scratch_numbers(const hl_tape *tape, const hl_node *node)
{
    return tape->options.threads * thread_scratch(tape, node);
}

/* Head `head`'s rows of example b within the columns of q, k, v or their gradients `numbers`. */
static hl_real *head_rows(hl_columns columns, hl_real *numbers, int64_t b, int64_t head, int64_t width)
{
    const int64_t *size = columns.x->shape.size;
    return numbers + b * size[1] * size[2] + columns.first + head * width;
}

static int64_t row_stride(hl_columns columns)
{
    return columns.x->shape.size[2];
}

static hl_matrix head_matrix(hl_columns columns, int64_t b, int64_t head, int64_t width, bool transposed)
{
    return (hl_matrix){ head_rows(columns, columns.x->data, b, head, width), row_stride(columns), transposed };
}

static bool row_replaced(const hl_attention_args *args, sizes s, int64_t b, int64_t h, int64_t i)
{
    return args->replace != NULL && args->replace[h] != NULL && args->replace[h][(b * s.Tq + i) * s.Tk] >= 0;
}

/* Puts the given rows of one head of one example into the place of its own. */
static void replace_rows(const hl_attention_args *args, sizes s, int64_t b, int64_t h, hl_real *A)
{
    for (int64_t i = 0; i < s.Tq; i++) {
        if (row_replaced(args, s, b, h, i)) {
            const hl_real *given = args->replace[h] + (b * s.Tq + i) * s.Tk;
            memcpy(A + i * s.Tk, given, (size_t)hl_mask_row_keys(&args->mask, b, i, s.Tq, s.Tk) * sizeof *A);
        }
    }
}

/* A of one head of one example. */
static void weights_of_head(const hl_attention_args *args, sizes s, int64_t b, int64_t h, hl_real *A)
{
    int64_t Lq = hl_mask_queries(&args->mask, b, s.Tq), Lk = hl_mask_keys(&args->mask, b, s.Tk);
    int64_t kv = h / (s.H / s.Hkv);
    hl_matmul_serial(Lq, Lk, s.Dk, 1 / sqrt((hl_real)s.Dk), head_matrix(args->q, b, h, s.Dk, false),
                     head_matrix(args->k, b, kv, s.Dk, true), 0, A, s.Tk);
    for (int64_t i = 0; i < s.Tq; i++) {
        hl_masked_softmax(A + i * s.Tk, hl_mask_row_bias(&args->mask, b, h, i),
                          hl_mask_row_keys(&args->mask, b, i, s.Tq, s.Tk), s.Tk, A + i * s.Tk);
    }
    replace_rows(args, s, b, h, A);
}

/* y = dropout(x) for the weights (Lq, Tk) of one head of one example: their places in the whole batch's (B, H, Tq, Tk).
 */
static void drop_weights(const hl_tape *tape, const hl_attention_args *args, sizes s, int64_t b, int64_t h, int64_t Lq,
                         const hl_real *x, hl_real *y)
{
    hl_random random = { .seed = tape->options.seed, .stream = args->dropout_stream, .step = tape->options.step };
    uint64_t first = (uint64_t)(((tape->options.first_example + b) * s.H + h) * s.Tq * s.Tk);
    hl_dropout_apply(random, hl_dropout_rate_of(args->dropout), first, Lq * s.Tk, x, y, false);
}

/* The gate's part: keeps z for backward and multiplies. */
static void gate_head(const attributes *a, sizes s, int64_t b, int64_t h, hl_real *z)
{
    hl_real gate = a->args.gate->data[b * s.H + h];
    hl_real *kept = a->z + b * s.Tq * s.H * s.Dv + h * s.Dv;
    for (int64_t i = 0; i < s.Tq; i++) {
        for (int64_t d = 0; d < s.Dv; d++) {
            int64_t at = i * s.H * s.Dv + d;
            kept[at] = z[at];
            z[at] *= gate;
        }
    }
}

static void forward_head(const hl_tape *tape, const hl_node *node, int64_t b, int64_t h, hl_real *scratch)
{
    const attributes *a = node->attributes;
    const hl_attention_args *args = &a->args;
    sizes s = sizes_of(node);
    int64_t Lq = hl_mask_queries(&args->mask, b, s.Tq), Lk = hl_mask_keys(&args->mask, b, s.Tk);
    hl_real *A = a->A + (b * s.H + h) * s.Tq * s.Tk;
    hl_real *z = node->out->data + b * s.Tq * s.H * s.Dv + h * s.Dv;
    weights_of_head(args, s, b, h, A);
    if (args->weights != NULL) {
        memcpy(args->weights + (b * s.H + h) * s.Tq * s.Tk, A, (size_t)(s.Tq * s.Tk) * sizeof *A);
    }
    const hl_real *kept = A;
    if (drops(tape, args)) {
        drop_weights(tape, args, s, b, h, Lq, A, scratch);
        kept = scratch;
    }
    hl_matmul_serial(Lq, s.Dv, Lk, 1, (hl_matrix){ kept, s.Tk, false },
                     head_matrix(args->v, b, h / (s.H / s.Hkv), s.Dv, false), 0, z, s.H * s.Dv);
    for (int64_t i = Lq; i < s.Tq; i++) {
        memset(z + i * s.H * s.Dv, 0, (size_t)s.Dv * sizeof *z);
    }
    if (args->gate != NULL) {
        gate_head(a, s, b, h, z);
    }
}

static int64_t work(sizes s)
{
    return s.B * s.H * s.Tq * s.Tk * (8 + (s.Dk + s.Dv) / 32);
}

static void forward(const hl_tape *tape, const hl_node *node, hl_real *scratch)
{
    sizes s = sizes_of(node);
    int64_t each = thread_scratch(tape, node);
#pragma omp parallel for num_threads(hl_tape_threads(tape, work(s))) schedule(static)
    for (int64_t head = 0; head < s.B * s.H; head++) {
        forward_head(tape, node, head / s.H, head % s.H, scratch + omp_get_thread_num() * each);
    }
}

/* dz = gate * dy of one head into `dz` (Tq, Dv); its part of dgate. */
static void backward_gate(const attributes *a, sizes s, int64_t b, int64_t h, const hl_real *dy, hl_real *dz,
                          hl_grad dgate)
{
    hl_real gate = a->args.gate->data[b * s.H + h], sum = 0;
    const hl_real *z = a->z + b * s.Tq * s.H * s.Dv + h * s.Dv;
    for (int64_t i = 0; i < s.Tq; i++) {
        for (int64_t d = 0; d < s.Dv; d++) {
            int64_t at = i * s.H * s.Dv + d;
            sum += dy[at] * z[at];
            dz[i * s.Dv + d] = gate * dy[at];
        }
    }
    if (dgate.at != NULL) {
        hl_grad_put(&dgate.at[b * s.H + h], sum, dgate.add);
    }
}

/* Where one head's dq, dk or dv goes, and whether it is added. */
typedef struct target {
    hl_real *at;
    int64_t stride;
    bool add;
} target;

static target target_of(hl_grad grad, hl_columns columns, int64_t b, int64_t head, int64_t width)
{
    if (grad.at == NULL) {
        return (target){ 0 };
    }
    return (target){ head_rows(columns, grad.at, b, head, width), row_stride(columns), grad.add };
}

/* Rows that no product writes have gradient zero. */
static void zero_rows(target t, int64_t begin, int64_t end, int64_t width)
{
    for (int64_t i = begin; t.at != NULL && !t.add && i < end; i++) {
        memset(t.at + i * t.stride, 0, (size_t)width * sizeof *t.at);
    }
}

/* dS of one head, over dA: dA = dz v^T through dropout, then back through the softmax and the scale. */
static void scores_backward(const hl_tape *tape, const hl_node *node, int64_t b, int64_t h, hl_matrix dz, hl_real *dA)
{
    const attributes *a = node->attributes;
    const hl_attention_args *args = &a->args;
    sizes s = sizes_of(node);
    int64_t Lq = hl_mask_queries(&args->mask, b, s.Tq), Lk = hl_mask_keys(&args->mask, b, s.Tk);
    const hl_real *A = a->A + (b * s.H + h) * s.Tq * s.Tk;
    hl_matmul_serial(Lq, Lk, s.Dv, 1, dz, head_matrix(args->v, b, h / (s.H / s.Hkv), s.Dv, true), 0, dA, s.Tk);
    if (drops(tape, args)) {
        for (int64_t i = 0; i < Lq && Lk < s.Tk; i++) {
            memset(dA + i * s.Tk + Lk, 0, (size_t)(s.Tk - Lk) * sizeof *dA);
        }
        drop_weights(tape, args, s, b, h, Lq, dA, dA);
    }
    for (int64_t i = 0; i < Lq; i++) {
        if (row_replaced(args, s, b, h, i)) {
            memset(dA + i * s.Tk, 0, (size_t)Lk * sizeof *dA);
        } else {
            hl_masked_softmax_backward(A + i * s.Tk, dA + i * s.Tk, Lk, 1 / sqrt((hl_real)s.Dk), dA + i * s.Tk, false);
        }
    }
}

static void backward_head(const hl_tape *tape, const hl_node *node, const hl_grad *din, int64_t b, int64_t h,
                          hl_real *scratch)
{
    const attributes *a = node->attributes;
    const hl_attention_args *args = &a->args;
    sizes s = sizes_of(node);
    int64_t Lq = hl_mask_queries(&args->mask, b, s.Tq), Lk = hl_mask_keys(&args->mask, b, s.Tk);
    int64_t shared = s.H / s.Hkv, kv = h / shared;
    const hl_real *dy = node->out->grad + b * s.Tq * s.H * s.Dv + h * s.Dv;
    hl_matrix dz = { dy, s.H * s.Dv, false };
    hl_real *dA = scratch;
    scratch += s.Tq * s.Tk;
    const hl_real *kept = a->A + (b * s.H + h) * s.Tq * s.Tk;
    if (drops(tape, args)) {
        drop_weights(tape, args, s, b, h, Lq, kept, scratch);
        kept = scratch;
        scratch += s.Tq * s.Tk;
    }
    if (args->gate != NULL) {
        backward_gate(a, s, b, h, dy, scratch, din[GATE]);
        dz = (hl_matrix){ scratch, s.Dv, false };
    }
    target dq = target_of(din[Q], args->q, b, h, s.Dk);
    target dk = target_of(din[K], args->k, b, kv, s.Dk), dv = target_of(din[V], args->v, b, kv, s.Dv);
    dk.add = dk.add || h % shared != 0; /* the first of the heads that share it has written it */
    dv.add = dv.add || h % shared != 0;
    zero_rows(dq, Lq, s.Tq, s.Dk);
    zero_rows(dk, Lk, s.Tk, s.Dk);
    zero_rows(dv, Lk, s.Tk, s.Dv);
    if (dv.at != NULL) {
        hl_matmul_serial(Lk, s.Dv, Lq, 1, (hl_matrix){ kept, s.Tk, true }, dz, dv.add, dv.at, dv.stride);
    }
    if (dq.at == NULL && dk.at == NULL) {
        return;
    }
    scores_backward(tape, node, b, h, dz, dA);
    if (dq.at != NULL) {
        hl_matmul_serial(Lq, s.Dk, Lk, 1, (hl_matrix){ dA, s.Tk, false }, head_matrix(args->k, b, kv, s.Dk, false),
                         dq.add, dq.at, dq.stride);
    }
    if (dk.at != NULL) {
        hl_matmul_serial(Lk, s.Dk, Lq, 1, (hl_matrix){ dA, s.Tk, true }, head_matrix(args->q, b, h, s.Dk, false),
                         dk.add, dk.at, dk.stride);
    }
}

/* Columns of a wider tensor that are none of ours get no gradient here. */
static hl_grad whole_grad(hl_grad grad, hl_columns columns, int64_t width)
{
    if (grad.at != NULL && !grad.add && width < row_stride(columns)) {
        memset(grad.at, 0, (size_t)hl_shape_count(columns.x->shape) * sizeof *grad.at);
        grad.add = true;
    }
    return grad;
}

/* Formulas in the header. Heads that share keys and values are worked by one thread, in order. */
static void backward(const hl_tape *tape, const hl_node *node, const hl_grad *din, hl_real *scratch)
{
    const hl_attention_args *args = &((const attributes *)node->attributes)->args;
    sizes s = sizes_of(node);
    int64_t each = thread_scratch(tape, node), shared = s.H / s.Hkv;
    const hl_grad grads[N_INPUTS] = {
        [Q] = whole_grad(din[Q], args->q, s.H * s.Dk),
        [K] = whole_grad(din[K], args->k, s.Hkv * s.Dk),
        [V] = whole_grad(din[V], args->v, s.Hkv * s.Dv),
        [GATE] = din[GATE],
    };
#pragma omp parallel for num_threads(hl_tape_threads(tape, 2 * work(s))) schedule(static)
    for (int64_t group = 0; group < s.B * s.Hkv; group++) {
        int64_t b = group / s.Hkv, first = group % s.Hkv * shared;
        for (int64_t h = first; h < first + shared; h++) {
            backward_head(tape, node, grads, b, h, scratch + omp_get_thread_num() * each);
        }
    }
}

static double flops(const hl_node *node)
{
    sizes s = sizes_of(node);
    return 2.0 * (double)(s.B * s.H) * (double)s.Tq * (double)s.Tk * (double)(s.Dk + s.Dv);
}

const hl_op hl_op_attention = { "attention", 3, infer, forward, backward, scratch_numbers, flops };

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
