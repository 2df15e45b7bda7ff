#include "core/private/attention_head.h"

#include "core/private/dropout_mask.h"
#include "core/private/lanes.h"

#include <string.h>
#include <tgmath.h>

void hl_attention_head_prepare(hl_attention_state *state)
{
    hl_attention_view head = hl_attention_view_of(state, 0, 0);
    hl_attention_block block = hl_attention_block_of(&head, 0);
    int n = state->A != NULL ? HL_ATTENTION_PRODUCTS : HL_D_VALUES; /* the first are forward's */
    for (int i = 0; i < n; i++) {
        state->usual[i] = hl_small_matmul_kernel(hl_attention_shape((hl_attention_product)i, &block, false));
    }
}

static void clear_rows(hl_attention_rows x, int64_t first, int64_t n, int64_t width)
{
    for (int64_t i = first; i < n; i++) {
        memset(x.at + i * x.stride, 0, (size_t)width * sizeof *x.at);
    }
}

/* ---- forward ---- */

static bool row_replaced(const hl_attention_view *head, int64_t i)
{
    const hl_real *const *replace = head->state->args.replace;
    return replace != NULL && replace[head->h] != NULL &&
           replace[head->h][(head->b * head->s.Tq + i) * head->s.Tk] >= 0;
}

/* P = the given weights of query i, which replace its own. */
static void replace_row(const hl_attention_view *head, int64_t i, hl_real *P)
{
    const hl_mask *mask = &head->state->args.mask;
    const hl_real *bias = hl_mask_row_bias(mask, head->b, head->h, i);
    const hl_real *given = head->state->args.replace[head->h] + (head->b * head->s.Tq + i) * head->s.Tk;
    int64_t n = hl_mask_row_keys(mask, head->b, i, head->s.Tq, head->s.Tk);
    for (int64_t j = 0; j < n; j++) {
        P[j] = bias != NULL && bias[j] == -INFINITY ? 0 : given[j];
    }
}

/* P = dropout(P), drawn by the weights' positions in (B, H, Tq, row) of the whole batch. A weight is never negative, so
 * that in A its sign can say whether it was dropped. */
static void drop_weights(const hl_tape *tape, const hl_attention_block *block, hl_real *P)
{
    const hl_attention_view *head = block->head;
    const hl_attention_args *args = &head->state->args;
    hl_attention_sizes s = head->s;
    const hl_random random = { tape->options.seed, args->dropout_stream, tape->options.step };
    const hl_dropout_rate rate = hl_dropout_rate_of(args->dropout);
    uint64_t first =
        (uint64_t)((((tape->options.first_example + head->b) * s.H + head->h) * s.Tq + block->first) * s.row);
    int64_t count = block->n * s.row;
    for (int64_t i = 0; i < count; i += HL_DROPOUT_GROUP) {
        int n = count - i < HL_DROPOUT_GROUP ? (int)(count - i) : HL_DROPOUT_GROUP;
        hl_real m[HL_DROPOUT_GROUP], *p = P + i;
        hl_dropout_factors(random, rate, first + (uint64_t)i, n, m);
        if (block->A != NULL) {
            hl_real *A = block->A + i;
#pragma omp simd
            for (int j = 0; j < n; j++) {
                A[j] = m[j] > 0 ? p[j] : -p[j];
            }
        }
#pragma omp simd
        for (int j = 0; j < n; j++) {
            p[j] *= m[j];
        }
    }
}

/* Saves z for backward and multiplies it by the gate. */
static void gate_forward(const hl_attention_view *head, int64_t n, hl_attention_rows z)
{
    hl_attention_sizes s = head->s;
    hl_real gate = head->state->args.gate->data[head->b * s.H + head->h];
    hl_real *kept = head->state->z + head->b * s.Tq * s.H * s.Dv + head->h * s.Dv;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t d = 0; d < s.Dv; d++) {
            kept[i * z.stride + d] = z.at[i * z.stride + d];
            z.at[i * z.stride + d] *= gate;
        }
    }
}

/* Copies the weights to args.weights, in rows of Tk numbers. */
static void copy_weights(const hl_attention_block *block, const hl_real *P)
{
    const hl_attention_view *head = block->head;
    hl_attention_sizes s = head->s;
    hl_real *to = head->state->args.weights + ((head->b * s.H + head->h) * s.Tq + block->first) * s.Tk;
    for (int64_t i = 0; i < block->n; i++) {
        memcpy(to + i * s.Tk, P + i * s.row, (size_t)s.Tk * sizeof *to);
    }
}

/* z of a block; K (Dk, n_keys) is k^T / sqrt(Dk), `P` (n, row) scratch. */
static void block_forward(const hl_tape *tape, const hl_attention_block *block, const hl_real *K, hl_real *P,
                          hl_attention_rows z)
{
    const hl_attention_view *head = block->head;
    const hl_attention_state *state = head->state;
    hl_attention_multiply(HL_SCORES, hl_attention_shape(HL_SCORES, block, false), block, block->q.at, K, P);
    hl_masked_softmax_rows(&state->args.mask, head->b, head->h, block->first, block->n, head->s.Tq, head->s.Tk,
                           head->s.row, P);
    for (int64_t i = 0; i < block->n; i++) {
        if (row_replaced(head, block->first + i)) {
            replace_row(head, block->first + i, P + i * head->s.row);
        }
    }
    if (state->args.weights != NULL) {
        copy_weights(block, P);
    }
    if (state->drops) {
        drop_weights(tape, block, P);
    } else if (block->A != NULL) {
        memcpy(block->A, P, (size_t)(block->n * head->s.row) * sizeof *P);
    }
    hl_attention_multiply(HL_VALUES, hl_attention_shape(HL_VALUES, block, false), block, P, head->v.at,
                          hl_attention_rows_from(z, block->first).at);
}

void hl_attention_head_forward(const hl_tape *tape, const hl_attention_state *state, int64_t b, int64_t h, hl_real *y,
                               hl_real *scratch)
{
    hl_attention_view head = hl_attention_view_of(state, b, h);
    hl_attention_sizes s = head.s;
    hl_real *K = scratch, *P = scratch + head.n_keys * s.Dk;
    hl_attention_rows z = { y + b * s.Tq * s.H * s.Dv + h * s.Dv, s.H * s.Dv };
    hl_transpose(head.n_keys, s.Dk, 1 / sqrt((hl_real)s.Dk), head.k.at, head.k.stride, K);
    for (int64_t i = 0; i < head.n_queries; i += HL_ATTENTION_BLOCK) {
        hl_attention_block block = hl_attention_block_of(&head, i);
        block_forward(tape, &block, K, P, z);
    }
    clear_rows(z, head.n_queries, s.Tq, s.Dv);
    if (state->args.weights != NULL) {
        hl_real *weights = state->args.weights + (b * s.H + h) * s.Tq * s.Tk;
        clear_rows((hl_attention_rows){ weights, s.Tk }, head.n_queries, s.Tq, s.Tk);
    }
    if (state->args.gate != NULL) {
        gate_forward(&head, head.n_queries, z);
    }
}

/* ---- backward ---- */

/* dz (n, Dv) = gate * dy of a block; adds the block's sum to dgate. */
static void gate_backward(const hl_attention_block *block, hl_attention_rows dy, hl_real *dz, hl_grad dgate)
{
    const hl_attention_view *head = block->head;
    hl_attention_sizes s = head->s;
    hl_real gate = head->state->args.gate->data[head->b * s.H + head->h], sum = 0;
    const hl_real *z = head->state->z + (head->b * s.Tq + block->first) * s.H * s.Dv + head->h * s.Dv;
    for (int64_t i = 0; i < block->n; i++) {
        for (int64_t d = 0; d < s.Dv; d++) {
            int64_t at = i * dy.stride + d;
            sum += dy.at[at] * z[at];
            dz[i * s.Dv + d] = gate * dy.at[at];
        }
    }
    if (dgate.at != NULL) {
        dgate.at[head->b * s.H + head->h] += sum;
    }
}

/* One row backward through dropout, softmax and scale: overwrites dA by dS. `kept` is the factor of the weights that
 * dropout kept. */
static void row_backward(int64_t n, const hl_real *A, hl_real kept, hl_real scale, hl_real *dA)
{
    hl_real sums[HL_LANES] = { 0 };
    HL_FOR_LANES(n, j, l, {
        dA[j] *= A[j] < 0 ? 0 : kept;
        sums[l] += fabs(A[j]) * dA[j];
    });
    hl_real inner = hl_lanes_sum(sums);
#pragma omp simd
    for (int64_t j = 0; j < n; j++) {
        dA[j] = scale * fabs(A[j]) * (dA[j] - inner);
    }
}

/* dS (n, row) of a block from dz; V (Dv, n_keys) is v^T. */
static void scores_backward(const hl_attention_block *block, hl_attention_rows dz, const hl_real *V, hl_real *dS)
{
    const hl_attention_view *head = block->head;
    hl_attention_sizes s = head->s;
    hl_small_matmul shape = hl_attention_shape(HL_D_WEIGHTS, block, false);
    shape.a_stride = dz.stride;
    hl_attention_multiply(HL_D_WEIGHTS, shape, block, dz.at, V, dS);
    int64_t n_queries = hl_mask_queries(&head->state->args.mask, head->b, s.Tq);
    hl_real kept = head->state->drops ? hl_dropout_rate_of(head->state->args.dropout).scale : 1;
    hl_real scale = 1 / sqrt((hl_real)s.Dk);
    for (int64_t i = 0; i < block->n; i++) {
        hl_real *row = dS + i * s.row;
        if (block->first + i >= n_queries || row_replaced(head, block->first + i)) {
            memset(row, 0, (size_t)s.row * sizeof *row);
        } else {
            memset(row + block->n_keys, 0, (size_t)(s.row - block->n_keys) * sizeof *row);
            row_backward(s.row, block->A + i * s.row, kept, scale, row);
        }
    }
}

/* A block's contribution to dq, dk and dv, where they are wanted; every block but the first adds to dk and dv. */
static void block_backward(const hl_attention_block *block, hl_attention_rows dy, const hl_real *V,
                           const hl_attention_rows d[3], hl_attention_grads grads, hl_real *scratch)
{
    const hl_attention_view *head = block->head;
    int64_t weights = block->n * head->s.row;
    hl_real *dS = scratch, *kept = block->A;
    hl_attention_rows dz = hl_attention_rows_from(dy, block->first);
    if (head->state->drops) {
        kept = scratch + weights; /* dropout(A), from the signs in A */
        hl_real scale = hl_dropout_rate_of(head->state->args.dropout).scale;
        for (int64_t i = 0; i < weights; i++) {
            kept[i] = block->A[i] < 0 ? 0 : block->A[i] * scale;
        }
    }
    if (head->state->args.gate != NULL) {
        hl_real *gated = scratch + 2 * weights;
        gate_backward(block, dz, gated, grads.gate);
        dz = (hl_attention_rows){ gated, head->s.Dv };
    }
    if (grads.v.at != NULL) {
        hl_small_matmul shape = hl_attention_shape(HL_D_VALUES, block, grads.v.add || block->first > 0);
        shape.b_stride = dz.stride;
        hl_attention_multiply(HL_D_VALUES, shape, block, kept, dz.at, d[2].at);
    }
    if (grads.q.at == NULL && grads.k.at == NULL) {
        return;
    }
    scores_backward(block, dz, V, dS);
    if (grads.q.at != NULL) {
        hl_attention_multiply(HL_D_QUERIES, hl_attention_shape(HL_D_QUERIES, block, grads.q.add), block, dS, head->k.at,
                              hl_attention_rows_from(d[0], block->first).at);
    }
    if (grads.k.at != NULL) {
        hl_attention_multiply(HL_D_KEYS, hl_attention_shape(HL_D_KEYS, block, grads.k.add || block->first > 0), block,
                              dS, block->q.at, d[1].at);
    }
}

void hl_attention_head_backward(const hl_attention_state *state, int64_t b, int64_t h, const hl_real *dy,
                                hl_attention_grads grads, hl_real *scratch)
{
    hl_attention_view head = hl_attention_view_of(state, b, h);
    hl_attention_sizes s = head.s;
    const hl_attention_args *args = &state->args;
    bool first = h % (s.H / s.Hkv) == 0;
    grads.k.add = grads.k.add || !first;
    grads.v.add = grads.v.add || !first;
    if (grads.gate.at != NULL && !grads.gate.add) {
        grads.gate.at[b * s.H + h] = 0; /* the blocks add to it; there may be none */
    }
    hl_attention_rows d[3] = { { 0 } };
    int64_t written =
        head.n_queries > 0 ? hl_attention_block_of(&head, 0).n_keys : 0; /* by the first block of queries */
    if (grads.q.at != NULL) {
        d[0] = hl_attention_rows_of(args->q, grads.q.at, b, h, s.Dk);
        clear_rows(d[0], grads.q.add ? s.Tq : head.n_queries, s.Tq, s.Dk);
    }
    if (grads.k.at != NULL) {
        d[1] = hl_attention_rows_of(args->k, grads.k.at, b, head.kv, s.Dk);
        clear_rows(d[1], grads.k.add ? s.Tk : written, s.Tk, s.Dk);
    }
    if (grads.v.at != NULL) {
        d[2] = hl_attention_rows_of(args->v, grads.v.at, b, head.kv, s.Dv);
        clear_rows(d[2], grads.v.add ? s.Tk : written, s.Tk, s.Dv);
    }
    hl_transpose(head.n_keys, s.Dv, 1, head.v.at, head.v.stride, scratch);
    for (int64_t i = 0; i < head.n_queries; i += HL_ATTENTION_BLOCK) {
        hl_attention_block block = hl_attention_block_of(&head, i);
        block_backward(&block, (hl_attention_rows){ (hl_real *)dy + b * s.Tq * s.H * s.Dv + h * s.Dv, s.H * s.Dv },
                       scratch, d, grads, scratch + head.n_keys * s.Dv);
    }
}
