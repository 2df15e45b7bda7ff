#include "core/attention_head.h"

#include "core/dropout_mask.h"
#include "core/small_matmul.h"

#include <string.h>
#include <tgmath.h>

/* Rows of one head within a wider matrix: row i is at + i * stride. */
typedef struct rows {
    hl_real *at;
    int64_t stride;
} rows;

/* One head of one example: which, how many of its queries and keys are real, and where its numbers are. */
typedef struct head_view {
    const hl_attention_args *args;
    hl_attention_sizes s;
    int64_t b, h;
    int64_t Lq, Lk; /* real queries and keys */
    int64_t Mq,
        Mk; /* rows and columns that products are made of: the real ones and what fills up to a multiple of 16, so
                       that few shapes occur. Weights are zero in what is filled up */
    rows q, k, v;
    hl_real *A;    /* (Tq, Tk) */
    uint8_t *kept; /* (Tq, Tk); NULL where nothing is dropped */
} head_view;

/* Head `h`'s rows of example b within the columns of q, k, v or their gradients `numbers`. */
static rows rows_of(hl_columns columns, hl_real *numbers, int64_t b, int64_t h, int64_t width)
{
    const int64_t *size = columns.x->shape.size;
    return (rows){ numbers + b * size[1] * size[2] + columns.first + h * width, size[2] };
}

/* The key/value head that head h shares. */
static int64_t kv_of(hl_attention_sizes s, int64_t h)
{
    return h / (s.H / s.Hkv);
}

static int64_t filled_up(int64_t length, int64_t T)
{
    int64_t filled = (length + 15) / 16 * 16;
    return filled < T ? filled : T;
}

static head_view head_of(const hl_attention_state *state, int64_t b, int64_t h)
{
    const hl_attention_args *args = &state->args;
    hl_attention_sizes s = state->sizes;
    int64_t Lq = hl_mask_queries(&args->mask, b, s.Tq), Lk = hl_mask_keys(&args->mask, b, s.Tk);
    return (head_view){
        .args = args,
        .s = s,
        .b = b,
        .h = h,
        .Lq = Lq,
        .Lk = Lk,
        .Mq = filled_up(Lq, s.Tq),
        .Mk = filled_up(Lk, s.Tk),
        .q = rows_of(args->q, args->q.x->data, b, h, s.Dk),
        .k = rows_of(args->k, args->k.x->data, b, kv_of(s, h), s.Dk),
        .v = rows_of(args->v, args->v.x->data, b, kv_of(s, h), s.Dv),
        .A = state->A + (b * s.H + h) * s.Tq * s.Tk,
        .kept = state->kept != NULL ? state->kept + (b * s.H + h) * s.Tq * s.Tk : NULL,
    };
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t hl_attention_head_scratch(const hl_attention_state *state, bool backward)
{
    hl_attention_sizes s = state->sizes;
    int64_t weights, keys, values, gated;
    if (__builtin_mul_overflow(s.Tq, s.Tk, &weights) || __builtin_mul_overflow(s.Tk, s.Dk, &keys) ||
        __builtin_mul_overflow(s.Tk, s.Dv, &values) || __builtin_mul_overflow(s.Tq, s.Dv, &gated) ||
        larger(weights, larger(keys, larger(values, gated))) > INT64_MAX / 8) {
        return -1;
    }
    int64_t dropped = state->kept != NULL ? weights : 0;
    int64_t numbers = larger(keys, dropped);
    if (backward) {
        numbers = larger(numbers, weights + dropped + values + (state->args.gate != NULL ? gated : 0));
    }
    return (numbers + 15) / 16 * 16; /* every thread's begins at a cache line */
}

/* y (width, n) = factor * x^T for x (n, width) */
static void transpose(rows x, int64_t n, int64_t width, hl_real factor, hl_real *y)
{
    for (int64_t d = 0; d < width; d++) {
        for (int64_t i = 0; i < n; i++) {
            y[d * n + i] = factor * x.at[i * x.stride + d];
        }
    }
}

/* ---- forward ---- */

static bool row_replaced(const head_view *head, int64_t i)
{
    const hl_real *const *replace = head->args->replace;
    return replace != NULL && replace[head->h] != NULL &&
           replace[head->h][(head->b * head->s.Tq + i) * head->s.Tk] >= 0;
}

/* Puts the given rows into the place of the head's own. */
static void replace_rows(const head_view *head)
{
    for (int64_t i = 0; i < head->Lq; i++) {
        if (row_replaced(head, i)) {
            const hl_real *given = head->args->replace[head->h] + (head->b * head->s.Tq + i) * head->s.Tk;
            const hl_real *bias = hl_mask_row_bias(&head->args->mask, head->b, head->h, i);
            int64_t n = hl_mask_row_keys(&head->args->mask, head->b, i, head->s.Tq, head->s.Tk);
            for (int64_t j = 0; j < n; j++) {
                head->A[i * head->s.Tk + j] = bias != NULL && bias[j] == -INFINITY ? 0 : given[j];
            }
        }
    }
}

/* A = softmax(q k^T / sqrt(Dk) + bias); `scratch` (Dk, Mk) */
static void compute_weights(const head_view *head, hl_real *scratch)
{
    hl_attention_sizes s = head->s;
    transpose(head->k, head->Mk, s.Dk, 1 / sqrt((hl_real)s.Dk), scratch);
    hl_small_matmul_run((hl_small_matmul){ .M = head->Mq,
                                           .N = head->Mk,
                                           .K = s.Dk,
                                           .a_stride = head->q.stride,
                                           .b_stride = head->Mk,
                                           .c_stride = s.Tk },
                        head->q.at, scratch, head->A);
    const hl_mask *mask = &head->args->mask;
    for (int64_t i = 0; i < s.Tq; i++) {
        hl_real *row = head->A + i * s.Tk;
        hl_masked_softmax(row, hl_mask_row_bias(mask, head->b, head->h, i),
                          hl_mask_row_keys(mask, head->b, i, s.Tq, s.Tk), s.Tk, row);
    }
    replace_rows(head);
}

/* y (Mq, Tk) = dropout(A), by the weights' places in the whole batch's (B, H, Tq, Tk). */
static void drop_weights(const hl_tape *tape, const head_view *head, hl_real *y)
{
    hl_attention_sizes s = head->s;
    const hl_random random = { .seed = tape->options.seed,
                               .stream = head->args->dropout_stream,
                               .step = tape->options.step };
    uint64_t first = (uint64_t)(((tape->options.first_example + head->b) * s.H + head->h) * s.Tq * s.Tk);
    hl_dropout_apply(random, hl_dropout_rate_of(head->args->dropout), first, head->Mq * s.Tk, head->A, y, head->kept);
}

/* The gate's part: keeps z for backward and multiplies. */
static void gate_forward(const hl_attention_state *state, const head_view *head, hl_real *z)
{
    hl_attention_sizes s = head->s;
    hl_real gate = state->args.gate->data[head->b * s.H + head->h];
    hl_real *kept = state->z + head->b * s.Tq * s.H * s.Dv + head->h * s.Dv;
    for (int64_t i = 0; i < s.Tq; i++) {
        for (int64_t d = 0; d < s.Dv; d++) {
            int64_t at = i * s.H * s.Dv + d;
            kept[at] = z[at];
            z[at] *= gate;
        }
    }
}

void hl_attention_head_forward(const hl_tape *tape, const hl_attention_state *state, int64_t b, int64_t h, hl_real *y,
                               hl_real *scratch)
{
    head_view head = head_of(state, b, h);
    hl_attention_sizes s = head.s;
    compute_weights(&head, scratch);
    if (head.args->weights != NULL) {
        memcpy(head.args->weights + (b * s.H + h) * s.Tq * s.Tk, head.A, (size_t)(s.Tq * s.Tk) * sizeof *y);
    }
    const hl_real *kept = head.A;
    if (head.kept != NULL) {
        drop_weights(tape, &head, scratch);
        kept = scratch;
    }
    hl_real *z = y + b * s.Tq * s.H * s.Dv + h * s.Dv;
    hl_small_matmul_run((hl_small_matmul){ .M = head.Mq,
                                           .N = s.Dv,
                                           .K = head.Mk,
                                           .a_stride = s.Tk,
                                           .b_stride = head.v.stride,
                                           .c_stride = s.H * s.Dv },
                        kept, head.v.at, z);
    for (int64_t i = head.Mq; i < s.Tq; i++) {
        memset(z + i * s.H * s.Dv, 0, (size_t)s.Dv * sizeof *z);
    }
    if (head.args->gate != NULL) {
        gate_forward(state, &head, z);
    }
}

/* ---- backward ---- */

/* y = x through the dropout of the weights, (Mq, Tk). */
static void drop_again(const head_view *head, const hl_real *x, hl_real *y)
{
    hl_real scale = hl_dropout_rate_of(head->args->dropout).scale;
    hl_dropout_repeat(head->kept, scale, head->Mq * head->s.Tk, x, y, false);
}

/* dz = gate * dy of one head into `dz` (Tq, Dv); its part of dgate. */
static void gate_backward(const hl_attention_state *state, const head_view *head, const hl_real *dy, hl_real *dz,
                          hl_grad dgate)
{
    hl_attention_sizes s = head->s;
    hl_real gate = state->args.gate->data[head->b * s.H + head->h], sum = 0;
    const hl_real *z = state->z + head->b * s.Tq * s.H * s.Dv + head->h * s.Dv;
    for (int64_t i = 0; i < s.Tq; i++) {
        for (int64_t d = 0; d < s.Dv; d++) {
            int64_t at = i * s.H * s.Dv + d;
            sum += dy[at] * z[at];
            dz[i * s.Dv + d] = gate * dy[at];
        }
    }
    if (dgate.at != NULL) {
        hl_grad_put(&dgate.at[head->b * s.H + head->h], sum, dgate.add);
    }
}

/* dx (n, width) = (or +=) X y for X (n, m) or, `transposed`, (m, n), and y (m, width); rows past n, up to T, get 0. */
static void put_product(hl_grad grad, rows dx, int64_t T, int64_t n, int64_t width, int64_t m, bool transposed,
                        const hl_real *X, int64_t x_stride, rows y)
{
    for (int64_t i = n; !grad.add && i < T; i++) {
        memset(dx.at + i * dx.stride, 0, (size_t)width * sizeof *dx.at);
    }
    hl_small_matmul_run((hl_small_matmul){ .M = n,
                                           .N = width,
                                           .K = m,
                                           .a_stride = x_stride,
                                           .b_stride = y.stride,
                                           .c_stride = dx.stride,
                                           .transposed = transposed,
                                           .add = grad.add },
                        X, y.at, dx.at);
}

/* dS over dA: back through dropout, softmax and scale. */
static void scores_backward(const head_view *head, hl_real *dA)
{
    hl_attention_sizes s = head->s;
    if (head->kept != NULL) {
        drop_again(head, dA, dA);
    }
    for (int64_t i = 0; i < head->Mq; i++) {
        hl_real *row = dA + i * s.Tk;
        if (i >= head->Lq || row_replaced(head, i)) {
            memset(row, 0, (size_t)head->Mk * sizeof *row);
        } else {
            hl_masked_softmax_backward(head->A + i * s.Tk, row, head->Mk, 1 / sqrt((hl_real)s.Dk), row, false);
        }
    }
}

/* dA (Mq, Mk) = dz v^T, 0 in the columns up to Tk; `scratch` (Dv, Mk) */
static void weights_backward(const head_view *head, rows dz, hl_real *dA, hl_real *scratch)
{
    hl_attention_sizes s = head->s;
    transpose(head->v, head->Mk, s.Dv, 1, scratch);
    for (int64_t i = 0; i < head->Mq && head->Mk < s.Tk; i++) {
        memset(dA + i * s.Tk + head->Mk, 0, (size_t)(s.Tk - head->Mk) * sizeof *dA);
    }
    hl_small_matmul_run(
        (hl_small_matmul){
            .M = head->Mq, .N = head->Mk, .K = s.Dv, .a_stride = dz.stride, .b_stride = head->Mk, .c_stride = s.Tk },
        dz.at, scratch, dA);
}

void hl_attention_head_backward(const hl_attention_state *state, int64_t b, int64_t h, const hl_real *dy,
                                hl_attention_grads grads, hl_real *scratch)
{
    head_view head = head_of(state, b, h);
    hl_attention_sizes s = head.s;
    const hl_attention_args *args = head.args;
    int64_t kv = kv_of(s, h);
    bool first = h % (s.H / s.Hkv) == 0;
    grads.k.add = grads.k.add || !first;
    grads.v.add = grads.v.add || !first;

    rows dz = { (hl_real *)dy + b * s.Tq * s.H * s.Dv + h * s.Dv, s.H * s.Dv };
    hl_real *dA = scratch, *kept = head.A;
    scratch += s.Tq * s.Tk;
    if (args->gate != NULL) {
        gate_backward(state, &head, dz.at, scratch, grads.gate);
        dz = (rows){ scratch, s.Dv };
        scratch += s.Tq * s.Dv;
    }
    if (head.kept != NULL) {
        kept = scratch;
        drop_again(&head, head.A, kept);
        scratch += s.Tq * s.Tk;
    }
    if (grads.v.at != NULL) {
        put_product(grads.v, rows_of(args->v, grads.v.at, b, kv, s.Dv), s.Tk, head.Mk, s.Dv, head.Mq, true, kept, s.Tk,
                    dz);
    }
    if (grads.q.at == NULL && grads.k.at == NULL) {
        return;
    }
    weights_backward(&head, dz, dA, scratch);
    scores_backward(&head, dA);
    if (grads.q.at != NULL) {
        put_product(grads.q, rows_of(args->q, grads.q.at, b, h, s.Dk), s.Tq, head.Mq, s.Dk, head.Mk, false, dA, s.Tk,
                    head.k);
    }
    if (grads.k.at != NULL) {
        put_product(grads.k, rows_of(args->k, grads.k.at, b, kv, s.Dk), s.Tk, head.Mk, s.Dk, head.Mq, true, dA, s.Tk,
                    head.q);
    }
}
