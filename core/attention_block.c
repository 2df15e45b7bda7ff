#include "core/private/attention_block.h"

enum { LANES = 16 };

hl_attention_rows hl_attention_rows_of(hl_columns columns, hl_real *numbers, int64_t b, int64_t h, int64_t width)
{
    const int64_t *size = columns.x->shape.size;
    return (hl_attention_rows){ numbers + b * size[1] * size[2] + columns.first + h * width, size[2] };
}

hl_attention_rows hl_attention_rows_from(hl_attention_rows x, int64_t i)
{
    return (hl_attention_rows){ x.at + i * x.stride, x.stride };
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t hl_attention_row(int64_t length)
{
    return (length + LANES - 1) / LANES * LANES;
}

/* `length` rounded up to whole vectors, or to whole blocks where it is long, so that few lengths occur; at most
 * `most`. */
static int64_t round_up(int64_t length, int64_t most)
{
    int64_t step = length <= HL_ATTENTION_BLOCK ? LANES : HL_ATTENTION_BLOCK;
    return smaller((length + step - 1) / step * step, most);
}

hl_attention_view hl_attention_view_of(const hl_attention_state *state, int64_t b, int64_t h)
{
    const hl_attention_args *args = &state->args;
    hl_attention_sizes s = state->sizes;
    int64_t kv = h / (s.H / s.Hkv);
    return (hl_attention_view){
        .state = state,
        .s = s,
        .b = b,
        .h = h,
        .kv = kv,
        .n_queries = round_up(hl_mask_queries(&args->mask, b, s.Tq), s.Tq),
        .n_keys = round_up(hl_mask_keys(&args->mask, b, s.Tk), s.Tk),
        .q = hl_attention_rows_of(args->q, args->q.x->data, b, h, s.Dk),
        .k = hl_attention_rows_of(args->k, args->k.x->data, b, kv, s.Dk),
        .v = hl_attention_rows_of(args->v, args->v.x->data, b, kv, s.Dv),
    };
}

hl_attention_block hl_attention_block_of(const hl_attention_view *head, int64_t first)
{
    hl_attention_sizes s = head->s;
    int64_t n = smaller(HL_ATTENTION_BLOCK, head->n_queries - first);
    int64_t n_keys = head->state->args.mask.causal ? round_up(first + n, head->n_keys) : head->n_keys;
    hl_real *A = head->state->A;
    return (hl_attention_block){
        .head = head,
        .first = first,
        .n = n,
        .n_keys = n_keys,
        .q = hl_attention_rows_from(head->q, first),
        .A = A != NULL ? A + ((head->b * s.H + head->h) * s.Tq + first) * s.row : NULL,
    };
}

int64_t hl_attention_scratch(const hl_attention_state *state, bool backward)
{
    hl_attention_sizes s = state->sizes;
    int64_t block = smaller(HL_ATTENTION_BLOCK, s.Tq), width = larger(s.Dk, s.Dv), keys, weights;
    if (__builtin_mul_overflow(s.Tk, width, &keys) || __builtin_mul_overflow(block, larger(s.row, width), &weights) ||
        larger(keys, weights) > INT64_MAX / 8) {
        return -1;
    }
    int64_t numbers = keys + (backward ? 3 : 1) * weights; /* backward: dA, dropout(A), dz */
    return (numbers + LANES - 1) / LANES * LANES;          /* so that every thread's scratch begins at a cache line */
}

/* ---- products ---- */

hl_small_matmul hl_attention_shape(hl_attention_product which, const hl_attention_block *block, bool add)
{
    const hl_attention_view *head = block->head;
    hl_attention_sizes s = head->s;
    int64_t n = block->n, m = block->n_keys, z_stride = s.H * s.Dv;
    switch (which) {
    case HL_SCORES:
        return (hl_small_matmul){ n, m, s.Dk, head->q.stride, head->n_keys, s.row, false, false };
    case HL_VALUES:
        return (hl_small_matmul){ n, s.Dv, m, s.row, head->v.stride, z_stride, false, false };
    case HL_D_VALUES:
        return (hl_small_matmul){ m, s.Dv, n, s.row, z_stride, head->v.stride, true, add };
    case HL_D_WEIGHTS:
        return (hl_small_matmul){ n, m, s.Dv, z_stride, head->n_keys, s.row, false, false };
    case HL_D_QUERIES:
        return (hl_small_matmul){ n, s.Dk, m, s.row, head->k.stride, head->q.stride, false, add };
    default:
        return (hl_small_matmul){ m, s.Dk, n, s.row, head->q.stride, head->k.stride, true, add };
    }
}

void hl_attention_multiply(hl_attention_product which, hl_small_matmul shape, const hl_attention_block *block,
                           const hl_real *A, const hl_real *B, hl_real *C)
{
    const hl_small_kernel *usual = &block->head->state->usual[which];
    const hl_small_matmul *s = &usual->shape; /* its `transposed` depends on `which` alone */
    if (s->M == shape.M && s->N == shape.N && s->K == shape.K && s->a_stride == shape.a_stride &&
        s->b_stride == shape.b_stride && s->c_stride == shape.c_stride && s->add == shape.add) {
        hl_small_kernel_run(usual, A, B, C);
    } else {
        hl_small_matmul_run(shape, A, B, C);
    }
}
