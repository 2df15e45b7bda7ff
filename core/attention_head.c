#include "core/private/attention_head.h"

#include "core/private/dropout_mask.h"
#include "core/private/lanes.h"

#include <string.h>
#include <tgmath.h>

/* The head's columns of z, dz or what is saved of it, in the sequence's rows. */
static hl_attention_rows outputs_of(const hl_attention_view *head, hl_real *z)
{
    int64_t stride = head->s.H * head->s.Dv;
    return (hl_attention_rows){ z + head->first_query * stride + head->h * head->s.Dv, stride };
}

/* The head's gate; one row of gates serves every sequence. */
static int64_t gate_of(const hl_attention_view *head)
{
    int64_t b = head->state->args.gate->shape.size[0] > 1 ? head->b : 0;
    return b * head->s.H + head->h;
}

/* ---- A, in forward and where backward makes it again ---- */

/* factor * x^T for the rows of all keys, in panels, in scratch memory, which moves behind it; zeros fill them up to
 * `row` keys. */
static const hl_real *transposed_keys(const hl_attention_view *head, hl_attention_rows x, int64_t width, hl_real factor,
                                      hl_real **scratch)
{
    hl_real *y = hl_attention_take(scratch, head->row * width);
    for (int64_t j = 0, panel; j < head->row; j += panel) {
        panel = hl_attention_panel(head->row, j);
        int64_t n = head->keys - j < panel ? head->keys - j : panel;
        hl_transpose(n, width, factor, hl_attention_rows_from(x, j).at, x.stride, y + j * width, panel);
    }
    return y;
}

/* k^T / sqrt(Dk). */
static void scale_keys(hl_attention_view *head, hl_real **scratch)
{
    head->K = transposed_keys(head, head->k, head->s.Dk, 1 / sqrt((hl_real)head->s.Dk), scratch);
}

/* The weights given for query i in the place of the head's own, NULL where it keeps these. */
static const hl_real *given_row(const hl_attention_view *head, int64_t i)
{
    const hl_real *const *replace = head->state->args.replace;
    if (replace == NULL || replace[head->h] == NULL) {
        return NULL;
    }
    const hl_real *given = replace[head->h] + (head->b * head->s.Tq + i) * head->s.Tk;
    return *given >= 0 ? given : NULL;
}

/* P = the given weights of query i, which replace its own. */
static void replace_row(const hl_attention_view *head, int64_t i, const hl_real *given, hl_real *P)
{
    const hl_mask *mask = &head->state->args.mask;
    const hl_real *bias = hl_mask_row_bias(mask, head->b, head->h, i);
    int64_t n = hl_mask_row_keys(mask, i, head->n_keys);
    for (int64_t j = 0; j < n; j++) {
        P[j] = bias != NULL && bias[j] == -INFINITY ? 0 : given[j];
    }
}

/* P (n, row) = A of a block; rows of padding are whatever they are. */
static void block_weights(const hl_attention_block *block, hl_real *P)
{
    const hl_attention_view *head = block->head;
    hl_attention_multiply(HL_SCORES, block, head->state->usual.z_stride, false, block->q.at, head->K, P);
    hl_masked_softmax_rows(&head->state->args.mask, head->b, head->h, block->first, block->n_real, head->n_keys,
                           head->row, P);
    for (int64_t i = 0; i < block->n_real; i++) {
        const hl_real *given = given_row(head, block->first + i);
        if (given != NULL) {
            replace_row(head, block->first + i, given, P + i * head->row);
        }
    }
}

hl_dropout_draws hl_attention_draws(const hl_tape *tape, const hl_attention_state *state)
{
    return (hl_dropout_draws){ .random = { tape->options.seed, state->args.dropout_stream, tape->options.step },
                               .rate = state->rate };
}

/* P = dropout(P), drawn by the weights' places in the sequence's own (H, n_queries, row), which begin at the place of
 * its first row times 2^32. A weight is never negative, so that in A its sign can say whether it was dropped. */
static void drop_weights(const hl_tape *tape, const hl_attention_block *block, hl_dropout_draws *draws, hl_real *P)
{
    const hl_attention_view *head = block->head;
    const int64_t *places = tape->options.places;
    uint64_t place = (uint64_t)(places != NULL ? places[head->first_query] : head->first_query);
    uint64_t first = (place << 32) + (uint64_t)((head->h * head->n_queries + block->first) * head->row);
    int64_t count = block->n_real * head->row;
    for (int64_t i = 0; i < count; i += HL_DROPOUT_GROUP) {
        int n = count - i < HL_DROPOUT_GROUP ? (int)(count - i) : HL_DROPOUT_GROUP;
        hl_real m[HL_DROPOUT_GROUP], *p = P + i;
        hl_dropout_draw(draws, first + (uint64_t)i, n, m);
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

/* ---- forward ---- */

/* z of a block; `P` (n, row) is scratch memory, or A where the weights that are kept are those of z. */
static void block_forward(const hl_tape *tape, const hl_attention_block *block, hl_dropout_draws *draws, hl_real *P,
                          hl_attention_rows z)
{
    const hl_attention_view *head = block->head;
    const hl_attention_state *state = head->state;
    const hl_attention_args *args = &state->args;
    block_weights(block, P);
    if (args->observe != NULL) {
        args->observe(args->observe_context,
                      &(hl_attention_seen){ .b = head->b,
                                            .h = head->h,
                                            .first = block->first,
                                            .n_queries = block->n_real,
                                            .n_keys = head->n_keys,
                                            .last = block->first + block->n_real == head->n_queries,
                                            .A = P,
                                            .stride = head->row });
    }
    if (state->drops) {
        drop_weights(tape, block, draws, P);
    } else if (block->A != NULL && block->A != P) {
        memcpy(block->A, P, (size_t)(block->n_real * head->row) * sizeof *P);
    }
    hl_attention_multiply(HL_VALUES, block, z.stride, false, P, head->v.at, hl_attention_rows_from(z, block->first).at);
}

static void copy_rows(hl_attention_rows from, int64_t n, int64_t width, hl_attention_rows to)
{
    for (int64_t i = 0; i < n; i++) {
        memcpy(to.at + i * to.stride, from.at + i * from.stride, (size_t)width * sizeof *to.at);
    }
}

void hl_attention_head_forward(const hl_tape *tape, const hl_attention_state *state, int64_t b, int64_t h,
                               hl_dropout_draws *draws, hl_real *y, hl_real *scratch)
{
    hl_attention_view head;
    hl_attention_view_of(state, b, h, &scratch, &head);
    int64_t Dv = head.s.Dv;
    hl_attention_rows out = outputs_of(&head, y), z = out;
    if (head.staged) {
        z = (hl_attention_rows){ hl_attention_take(&scratch, head.queries * Dv), Dv };
    }
    scale_keys(&head, &scratch);
    hl_real *P = scratch;
    for (int64_t i = 0; i < head.queries; i += HL_ATTENTION_BLOCK) {
        hl_attention_block block = hl_attention_block_of(&head, i);
        bool in_place = block.A != NULL && !state->drops && block.n == block.n_real;
        block_forward(tape, &block, draws, in_place ? block.A : P, z);
    }
    if (head.staged) {
        copy_rows(z, head.n_queries, Dv, out);
    }
    if (state->args.gate != NULL) {
        hl_real gate = state->args.gate->data[gate_of(&head)];
        if (state->z != NULL) {
            copy_rows(out, head.n_queries, Dv, outputs_of(&head, state->z));
        }
        for (int64_t i = 0; i < head.n_queries; i++) {
            for (int64_t d = 0; d < Dv; d++) {
                out.at[i * out.stride + d] *= gate;
            }
        }
    }
}

/* ---- backward ---- */

/* dz = gate * dy of a block, whose rows of padding stay 0; adds the block's sum to dgate. */
static void gate_backward(const hl_attention_block *block, hl_attention_rows dy, hl_real *dz, hl_grad dgate)
{
    const hl_attention_view *head = block->head;
    int64_t Dv = head->s.Dv, at = gate_of(head);
    hl_real gate = head->state->args.gate->data[at], sum = 0;
    hl_attention_rows z = hl_attention_rows_from(outputs_of(head, head->state->z), block->first);
    for (int64_t i = 0; i < block->n; i++) {
        for (int64_t d = 0; d < Dv; d++) {
            hl_real dy_id = dy.at[i * dy.stride + d];
            sum += i < block->n_real ? dy_id * z.at[i * z.stride + d] : 0;
            dz[i * Dv + d] = gate * dy_id;
        }
    }
    if (dgate.at != NULL) {
        dgate.at[at] += sum;
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

/* dS (n, row) of a block from dz. */
static void scores_backward(const hl_attention_block *block, hl_attention_rows dz, hl_real *dS)
{
    const hl_attention_view *head = block->head;
    int64_t row = head->row, columns = hl_attention_columns(block->n_keys);
    hl_attention_multiply(HL_D_WEIGHTS, block, dz.stride, false, dz.at, head->V, dS);
    hl_real kept = head->state->rate.scale;
    hl_real scale = 1 / sqrt((hl_real)head->s.Dk);
    for (int64_t i = 0; i < block->n; i++) {
        hl_real *dA = dS + i * row;
        if (i >= block->n_real || given_row(head, block->first + i) != NULL) {
            memset(dA, 0, (size_t)row * sizeof *dA);
        } else {
            for (int64_t j = columns; j < row; j++) {
                dA[j] = 0;
            }
            if (row == HL_LANES) { /* a constant count stays in registers */
                row_backward(HL_LANES, block->A + i * row, kept, scale, dA);
            } else {
                row_backward(row, block->A + i * row, kept, scale, dA);
            }
        }
    }
}

/* dropout(A) of a block, (n, row), from the signs in A; rows of padding are 0. */
static void dropped_weights(const hl_attention_block *block, hl_real *dropped)
{
    const hl_attention_view *head = block->head;
    hl_real scale = head->state->rate.scale;
    int64_t real = block->n_real * head->row;
    for (int64_t i = 0; i < real; i++) {
        dropped[i] = block->A[i] < 0 ? 0 : block->A[i] * scale;
    }
    memset(dropped + real, 0, (size_t)((block->n - block->n_real) * head->row) * sizeof *dropped);
}

/* Makes the A of a block again, in `A`, as forward would have kept it; `P` (n, row) is scratch memory. */
static void weights_again(const hl_tape *tape, hl_attention_block *block, hl_dropout_draws *draws, hl_real *A,
                          hl_real *P)
{
    block->A = A;
    if (block->head->state->drops) {
        block_weights(block, P);
        drop_weights(tape, block, draws, P);
    } else {
        block_weights(block, A);
    }
}

/* A block's contribution to dq, dk and dv, where they are wanted (`at` is not NULL); every block but the first adds to
 * dk and dv. */
static void block_backward(const hl_tape *tape, hl_attention_block *block, hl_attention_rows dz,
                           const hl_attention_rows d[3], hl_attention_grads grads, hl_dropout_draws *draws,
                           hl_real *scratch)
{
    const hl_attention_view *head = block->head;
    int64_t weights = block->n * head->row;
    hl_real *dS = hl_attention_take(&scratch, weights);
    if (head->state->args.recompute) {
        weights_again(tape, block, draws, hl_attention_take(&scratch, weights), dS);
    }
    hl_real *kept = block->A;
    if (head->state->drops || block->n > block->n_real) {
        kept = hl_attention_take(&scratch, weights);
        dropped_weights(block, kept);
    }
    if (head->state->args.gate != NULL) {
        gate_backward(block, dz, scratch, grads.gate);
        dz = (hl_attention_rows){ scratch, head->s.Dv };
    }
    if (d[2].at != NULL) {
        hl_attention_multiply(HL_D_VALUES, block, dz.stride, grads.v.add || block->first > 0, kept, dz.at, d[2].at);
    }
    if (d[0].at == NULL && d[1].at == NULL) {
        return;
    }
    scores_backward(block, dz, dS);
    if (d[0].at != NULL) {
        hl_attention_multiply(HL_D_QUERIES, block, dz.stride, grads.q.add, dS, head->k.at,
                              hl_attention_rows_from(d[0], block->first).at);
    }
    if (d[1].at != NULL) {
        hl_attention_multiply(HL_D_KEYS, block, dz.stride, grads.k.add || block->first > 0, dS, block->q.at, d[1].at);
    }
}

static void clear_rows(hl_attention_rows x, int64_t first, int64_t n, int64_t width)
{
    for (int64_t i = first; i < n; i++) {
        memset(x.at + i * x.stride, 0, (size_t)width * sizeof *x.at);
    }
}

/* Where the gradient of one of q, k, v is computed: in its place, or in scratch memory, whence end_grad brings it. */
static hl_attention_rows begin_grad(const hl_attention_view *head, hl_attention_rows place, int64_t rows, int64_t width,
                                    hl_real **scratch)
{
    return !head->staged || place.at == NULL ? place
                                             : (hl_attention_rows){ hl_attention_take(scratch, rows * width), width };
}

static void end_grad(const hl_attention_view *head, hl_attention_rows from, int64_t n, int64_t width, bool add,
                     hl_attention_rows place)
{
    for (int64_t i = 0; head->staged && place.at != NULL && i < n; i++) {
        for (int64_t d = 0; d < width; d++) {
            hl_grad_put(&place.at[i * place.stride + d], from.at[i * from.stride + d], add);
        }
    }
}

void hl_attention_head_backward(const hl_tape *tape, const hl_attention_state *state, int64_t b, int64_t h,
                                hl_dropout_draws *draws, const hl_real *dy, hl_attention_grads grads, hl_real *scratch)
{
    hl_attention_view head;
    hl_attention_view_of(state, b, h, &scratch, &head);
    hl_attention_sizes s = head.s;
    const hl_attention_args *args = &state->args;
    bool first = h % (s.H / s.Hkv) == 0;
    grads.k.add = grads.k.add || !first;
    grads.v.add = grads.v.add || !first;
    if (grads.gate.at != NULL && !grads.gate.add) {
        grads.gate.at[gate_of(&head)] = 0; /* the blocks add to it */
    }
    hl_attention_rows dz = outputs_of(&head, (hl_real *)dy), places[3] = { { 0 } }, d[3];
    if (grads.q.at != NULL) {
        places[0] = hl_attention_rows_of(args->q, grads.q.at, head.first_query, h, s.Dk);
    }
    if (grads.k.at != NULL) {
        places[1] = hl_attention_rows_of(args->k, grads.k.at, head.first_key, head.kv, s.Dk);
    }
    if (grads.v.at != NULL) {
        places[2] = hl_attention_rows_of(args->v, grads.v.at, head.first_key, head.kv, s.Dv);
    }
    d[0] = begin_grad(&head, places[0], head.queries, s.Dk, &scratch);
    d[1] = begin_grad(&head, places[1], head.keys, s.Dk, &scratch);
    d[2] = begin_grad(&head, places[2], head.keys, s.Dv, &scratch);
    hl_attention_grads computed = grads;
    if (head.staged) {
        dz = hl_attention_stage(dz, head.n_queries, head.queries, s.Dv, &scratch);
        computed.q.add = computed.k.add = computed.v.add = false;
    }
    /* The first block of queries may see fewer keys than the others, which add to what is there. */
    int64_t written = hl_attention_block_of(&head, 0).n_keys;
    clear_rows(d[1], computed.k.add || d[1].at == NULL ? head.keys : written, head.keys, s.Dk);
    clear_rows(d[2], computed.v.add || d[2].at == NULL ? head.keys : written, head.keys, s.Dv);
    head.V = transposed_keys(&head, head.v, s.Dv, 1, &scratch);
    if (args->recompute) {
        scale_keys(&head, &scratch);
    }
    for (int64_t i = 0; i < head.queries; i += HL_ATTENTION_BLOCK) {
        hl_attention_block block = hl_attention_block_of(&head, i);
        block_backward(tape, &block, hl_attention_rows_from(dz, i), d, computed, draws, scratch);
    }
    end_grad(&head, d[0], head.n_queries, s.Dk, grads.q.add, places[0]);
    end_grad(&head, d[1], head.n_keys, s.Dk, grads.k.add, places[1]);
    end_grad(&head, d[2], head.n_keys, s.Dv, grads.v.add, places[2]);
}
