#include "tests/core/op_calls.h"

#include "core/ops/ops.h"
#include "tests/core/op_case_arrays.h"

#include <tgmath.h>

hl_tensor *op_call_one(hl_tape *tape, hl_tensor *const *in, const void *builder)
{
    return (*(op_of_one *const *)builder)(tape, in[0]);
}

hl_tensor *op_call_two(hl_tape *tape, hl_tensor *const *in, const void *builder)
{
    return (*(op_of_two *const *)builder)(tape, in[0], in[1]);
}

hl_tensor *op_call_twice(hl_tape *tape, hl_tensor *const *in, const void *builder)
{
    return (*(op_of_two *const *)builder)(tape, in[0], in[0]);
}

hl_tensor *op_call_scale(hl_tape *tape, hl_tensor *const *in, const void *attributes)
{
    return hl_scale(tape, in[0], *(const hl_real *)attributes);
}

hl_tensor *op_call_far(hl_tape *tape, hl_tensor *const *in, const void *builder)
{
    return (*(op_of_one *const *)builder)(tape, hl_scale(tape, in[0], 4));
}

hl_tensor *op_call_linear(hl_tape *tape, hl_tensor *const *in, const void *attributes)
{
    (void)attributes;
    return hl_linear(tape, in[0], in[1], in[2]); /* in[2] is NULL where the case has two inputs */
}

hl_tensor *op_call_linear_twice(hl_tape *tape, hl_tensor *const *in, const void *attributes)
{
    (void)attributes;
    return hl_linear(tape, in[0], in[0], NULL);
}

hl_tensor *op_call_linear_again(hl_tape *tape, hl_tensor *const *in, const void *attributes)
{
    (void)attributes;
    hl_tensor *W = in[1] != NULL ? hl_scale(tape, in[1], 1 / sqrt((hl_real)in[1]->shape.size[1])) : NULL;
    hl_tensor *h = hl_linear(tape, in[0], W, in[2]);
    return hl_linear_fused(tape, (hl_linear_args){ .x = h, .W = W, .b = in[2], .residual = h });
}

/* 1, -1, 1, ...: biases that keep sums of at most 1/2 off a kink. */
static hl_tensor *signs_of(hl_tape *tape, int64_t O)
{
    static hl_real signs[512];
    for (int i = 0; i < 512; i++) {
        signs[i] = i % 2 == 0 ? 1 : -1;
    }
    return hl_tape_tensor(tape, HL_SHAPE(O), signs, false);
}

hl_tensor *op_call_linear_fused(hl_tape *tape, hl_tensor *const *in, const void *attributes)
{
    const linear_fused_row *row = attributes;
    hl_tensor *x = in[0], *W = in[1], *b = row->bias ? in[2] : NULL;
    if (row->relu && W != NULL) {
        x = hl_scale(tape, x, (hl_real)0.5 / (hl_real)W->shape.size[1]);
        hl_tensor *signs = signs_of(tape, W->shape.size[0]);
        b = b != NULL ? hl_add(tape, hl_scale(tape, b, (hl_real)0.25), signs) : signs;
    }
    return hl_linear_fused(tape, (hl_linear_args){ .x = x,
                                                   .W = W,
                                                   .b = b,
                                                   .relu = row->relu,
                                                   .dropout = row->dropout,
                                                   .dropout_stream = 78,
                                                   .residual = row->residual ? in[row->bias ? 3 : 2] : NULL });
}

hl_tensor *op_call_layer_norm(hl_tape *tape, hl_tensor *const *in, const void *attributes)
{
    (void)attributes;
    return hl_layer_norm(tape, in[0], in[1], in[2], (hl_real)1e-5);
}

hl_tensor *op_call_rms_norm(hl_tape *tape, hl_tensor *const *in, const void *attributes)
{
    (void)attributes;
    return hl_rms_norm(tape, in[0], in[1], (hl_real)1e-5);
}

hl_tensor *op_call_rotate(hl_tape *tape, hl_tensor *const *in, const void *attributes)
{
    enum { POSITIONS = 5, MOST_ROWS = 1000, MOST_WIDTH = 16 };
    static int32_t positions[MOST_ROWS];
    static hl_real tables[MOST_WIDTH + 1][2 * POSITIONS * (MOST_WIDTH / 2)]; /* one for each width: cases may overlap */
    const rotate_row *row = attributes;
    for (int32_t n = 0; n < MOST_ROWS; n++) {
        positions[n] = n % POSITIONS;
    }
    hl_rotate_table(POSITIONS, row->width, 10, tables[row->width]);
    return hl_rotate(tape, (hl_rotate_args){ .x = in[0],
                                             .n_heads = row->n_heads,
                                             .width = row->width,
                                             .table = tables[row->width],
                                             .n_positions = POSITIONS,
                                             .positions = positions,
                                             .longest = POSITIONS });
}

hl_tensor *op_call_slice(hl_tape *tape, hl_tensor *const *in, const void *attributes)
{
    const slice_row *row = attributes;
    return hl_slice(tape, in[0], row->first, row->width);
}

hl_tensor *op_call_matmul(hl_tape *tape, hl_tensor *const *in, const void *attributes)
{
    const matmul_row *row = attributes;
    return hl_matmul(tape, in[0], in[1], row->transpose_A, row->transpose_B);
}

hl_tensor *op_call_gram(hl_tape *tape, hl_tensor *const *in, const void *attributes)
{
    (void)attributes;
    return hl_matmul(tape, in[0], in[0], false, true);
}

hl_tensor *op_call_dropout(hl_tape *tape, hl_tensor *const *in, const void *attributes)
{
    return hl_dropout(tape, in[0], *(const hl_real *)attributes, 77);
}

hl_tensor *op_call_dropout_rows(hl_tape *tape, hl_tensor *const *in, const void *attributes)
{
    const dropout_rows_row *row = attributes;
    return hl_dropout_rows(tape, in[0], row->p, 77, row->rows, row->base);
}

hl_tensor *op_call_embedding(hl_tape *tape, hl_tensor *const *in, const void *attributes)
{
    const embedding_row *row = attributes;
    static int32_t positions[4096];
    for (int64_t i = 0; in[1] != NULL && i < row->n; i++) {
        positions[i] = (int32_t)(i * 3 % in[1]->shape.size[0]);
    }
    return hl_embedding(
        tape, (hl_embedding_args){ .W = in[0],
                                   .scale = row->scale,
                                   .ids = row->ids != NULL ? row->ids : op_case_many((int32_t)in[0]->shape.size[0]),
                                   .P = in[1],
                                   .positions = positions,
                                   .S = in[1] != NULL ? in[2] : NULL,
                                   .types = row->types,
                                   .n = row->n });
}

hl_tensor *op_call_gather_rows(hl_tape *tape, hl_tensor *const *in, const void *attributes)
{
    const gather_rows_row *row = attributes;
    const int32_t *rows = row->rows != NULL || in[0] == NULL ? row->rows : op_case_many((int32_t)in[0]->shape.size[0]);
    return hl_gather_rows(tape, in[0], rows, row->base, row->shape);
}

/* The sequences that end with row N. */
static hl_sequences sequences_of(const int32_t *offsets, int64_t N)
{
    hl_sequences s = { .offsets = offsets };
    while (offsets[s.n] < N) {
        int64_t length = offsets[s.n + 1] - offsets[s.n];
        s.longest = length > s.longest ? length : s.longest;
        s.n++;
    }
    return s;
}

hl_tensor *op_call_mean_rows(hl_tape *tape, hl_tensor *const *in, const void *attributes)
{
    const mean_rows_row *row = attributes;
    hl_sequences sequences = sequences_of(row->offsets, in[0] != NULL ? in[0]->shape.size[0] : 0);
    return hl_mean_rows(tape, in[0], sequences, row->rows != NULL ? row->rows : row->offsets, row->n, row->last);
}

hl_tensor *op_call_cross_entropy(hl_tape *tape, hl_tensor *const *in, const void *attributes)
{
    const cross_entropy_row *row = attributes;
    hl_cross_entropy_args args = {
        .targets = row->targets != NULL ? row->targets : op_case_many((int32_t)hl_shape_last(in[0]->shape)),
        .n = row->n,
        .smoothing = row->smoothing,
    };
    return hl_cross_entropy(tape, in[0], args);
}

static hl_mask mask_of(hl_tape *tape, const mask_row *row)
{
    return (hl_mask){
        .causal = row->causal,
        .window = row->window,
        .bias = row->bias != NULL ? hl_tape_tensor(tape, row->bias_shape, row->bias, false) : NULL,
    };
}

hl_tensor *op_call_softmax(hl_tape *tape, hl_tensor *const *in, const void *attributes)
{
    const softmax_row *row = attributes;
    return hl_softmax(tape, in[0], mask_of(tape, &row->mask), row->head);
}

static void find_sources(const attention_row *row, hl_tensor *const *in, hl_attention_args *args)
{
    int gate = 3;
    switch (row->sources) {
    case SEPARATE:
        args->q.x = in[0];
        args->k.x = in[1];
        args->v.x = in[2];
        break;
    case FUSED: /* one projection: q, k and v side by side */
        args->q = (hl_columns){ in[0], 0 };
        args->k = (hl_columns){ in[0], row->H * row->Dk };
        args->v = (hl_columns){ in[0], row->H * row->Dk + row->Hkv * row->Dk };
        gate = 1;
        break;
    case ONE_TENSOR: /* the same columns three times */
        args->q.x = args->k.x = args->v.x = in[0];
        gate = 1;
        break;
    case SHARED_KV: /* cross-attention's projection, with unused columns in front */
        args->q = (hl_columns){ in[0], 1 };
        args->k = (hl_columns){ in[1], 2 };
        args->v = (hl_columns){ in[1], 2 + row->Hkv * row->Dk };
        gate = 2;
        break;
    }
    args->gate = row->gate ? in[gate] : NULL;
}

/* B sequences of one length, end to end; `offsets` receives where they begin. */
static hl_sequences even_sequences(int64_t B, int64_t N, int32_t *offsets)
{
    for (int64_t b = 0; b <= B; b++) {
        offsets[b] = (int32_t)(b * (N / B));
    }
    return (hl_sequences){ .n = B, .longest = N / B, .offsets = offsets };
}

static void find_sequences(const attention_row *row, hl_attention_args *args)
{
    static int32_t q_offsets[32], k_offsets[32];
    int64_t Nq = args->q.x != NULL ? args->q.x->shape.size[0] : 0,
            Nk = args->k.x != NULL ? args->k.x->shape.size[0] : 0;
    if (row->B > 0) {
        args->queries = even_sequences(row->B, Nq, q_offsets);
        args->keys = even_sequences(row->B, Nk, k_offsets);
    } else {
        args->queries = sequences_of(row->queries, Nq);
        args->keys = sequences_of(row->keys, Nk);
    }
}

hl_tensor *op_call_attention(hl_tape *tape, hl_tensor *const *in, const void *attributes)
{
    const attention_row *row = attributes;
    hl_attention_args args = {
        .n_heads = row->H,
        .n_kv_heads = row->Hkv,
        .d_k = row->Dk,
        .d_v = row->Dv,
        .mask = mask_of(tape, &row->mask),
        .dropout = row->dropout,
        .dropout_stream = 78,
        .replace = row->replace,
        .recompute = row->recompute,
    };
    find_sources(row, in, &args);
    find_sequences(row, &args);
    return hl_attention(tape, args);
}
