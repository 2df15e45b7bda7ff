#include "core/kernels/private/attention_products.h"

#include "core/kernels/private/lanes.h"

#include <string.h>
#include <tgmath.h>

/* ---- matrix products ---- */

/* The shape of a block's product; for HL_SCORES and HL_D_WEIGHTS, the shape for the first panel of keys. */
static hl_small_matmul shape_of(hl_attention_product which, const hl_attention_block *block, int64_t z_stride, bool add)
{
    const hl_attention_view *head = block->head;
    hl_attention_sizes s = head->s;
    int64_t n = block->n, m = block->n_keys, row = head->row,
            panel = hl_attention_panel(head->padded, block->first_key);
    int64_t all = hl_attention_columns(m), columns = all < panel ? all : panel;
    bool transposed = which == HL_D_VALUES || which == HL_D_KEYS;
    switch (which) { /* M, N, K, and the strides of A, B and C; none in bf16 */
    case HL_SCORES:
        return (hl_small_matmul){ n, columns, s.Dk, head->q.stride, panel, row, transposed, false, false };
    case HL_VALUES:
        return (hl_small_matmul){ n, s.Dv, m, row, head->v.stride, z_stride, transposed, false, false };
    case HL_D_VALUES:
        return (hl_small_matmul){ m, s.Dv, n, row, z_stride, head->v.stride, transposed, add, false };
    case HL_D_WEIGHTS:
        return (hl_small_matmul){ n, columns, s.Dv, z_stride, panel, row, transposed, false, false };
    case HL_D_QUERIES:
        return (hl_small_matmul){ n, s.Dk, m, row, head->k.stride, head->q.stride, transposed, add, false };
    default:
        return (hl_small_matmul){ m, s.Dk, n, row, head->q.stride, head->k.stride, transposed, add, false };
    }
}

/* The kernel for the first panel serves all panels except the last. */
static void multiply_panels(const hl_attention_block *block, const hl_small_kernel *first, const hl_real *A,
                            const hl_real *B, hl_real *C)
{
    int64_t columns = hl_attention_columns(block->n_keys), width;
    hl_small_matmul shape = first->shape;
    for (int64_t j = 0; j < columns; j += width) {
        width = hl_attention_panel(block->head->padded, block->first_key + j);
        shape.b_stride = width;
        shape.N = width < columns - j ? width : columns - j;
        if (shape.N == first->shape.N && width == first->shape.b_stride) {
            hl_small_kernel_run(first, A, B + j * shape.K, C + j);
        } else {
            hl_small_matmul_run(shape, A, B + j * shape.K, C + j);
        }
    }
}

void hl_attention_multiply(hl_attention_product which, const hl_attention_block *block, int64_t z_stride, bool add,
                           const hl_real *A, const hl_real *B, hl_real *C)
{
    const hl_attention_view *head = block->head;
    const hl_attention_usual *usual = &head->pass->usual;
    bool is_usual = block->n == usual->n && block->n_keys == usual->n_keys && head->row == usual->row &&
                    head->staged == usual->staged && z_stride == usual->z_stride && !add;
    hl_small_kernel kernel =
        is_usual ? usual->kernels[which] : hl_small_matmul_kernel(shape_of(which, block, z_stride, add));
    if (which == HL_SCORES || which == HL_D_WEIGHTS) {
        multiply_panels(block, &kernel, A, B + block->first_key * kernel.shape.K, C);
    } else {
        hl_small_kernel_run(&kernel, A, B, C);
    }
}

void hl_attention_prepare(hl_attention_pass *pass, hl_real *scratch)
{
    hl_attention_view head;
    hl_attention_view_of(pass, 0, 0, NULL, &scratch, &head);
    hl_attention_block block = hl_attention_block_of(&head, 0);
    pass->usual = (hl_attention_usual){
        .n = block.n,
        .n_keys = block.n_keys,
        .row = head.row,
        .z_stride = head.staged ? head.s.Dv : head.s.H * head.s.Dv,
        .staged = head.staged,
    };
    int n = pass->backward ? HL_ATTENTION_PRODUCTS : HL_D_VALUES; /* the first ones belong to forward */
    for (int i = 0; i < n; i++) {
        pass->usual.kernels[i] =
            hl_small_matmul_kernel(shape_of((hl_attention_product)i, &block, pass->usual.z_stride, false));
    }
}

void hl_attention_prepare_lengths(const hl_attention_pass *pass)
{
    int64_t longest = pass->sizes.Tk < HL_ATTENTION_BLOCK ? pass->sizes.Tk : HL_ATTENTION_BLOCK;
    for (int64_t n = 1; n <= longest; n++) {
        hl_attention_pass one = *pass;
        const int32_t offsets[2] = { 0, (int32_t)n };
        one.queries = one.keys = (hl_sequences){ .n = 1, .longest = n, .offsets = offsets };
        hl_attention_view head;
        hl_attention_view_of(&one, 0, 0, NULL, NULL, &head);
        hl_attention_block block = hl_attention_block_of(&head, 0);
        for (int i = 0; i < HL_ATTENTION_PRODUCTS; i++) {
            for (int add = 0; add < 2; add++) {
                hl_small_matmul_kernel(shape_of((hl_attention_product)i, &block, head.s.H * head.s.Dv, add != 0));
            }
        }
    }
}

/* ---- A and dropout(A) ---- */

/* The weights that replace the head's own for query i; NULL if it keeps its own. */
static const hl_real *given_row(const hl_attention_view *head, int64_t i)
{
    const hl_real *const *replace = head->pass->replace;
    if (replace == NULL || replace[head->h] == NULL) {
        return NULL;
    }
    const hl_real *given = replace[head->h] + (head->b * head->s.Tq + i) * head->s.Tk;
    return *given >= 0 ? given : NULL;
}

/* P = the given weights of query i, which replace its own; P begins with key `first_key`. */
static void replace_row(const hl_attention_view *head, int64_t i, const hl_real *given, int64_t first_key, hl_real *P)
{
    const hl_mask *mask = &head->pass->mask;
    const hl_real *bias = hl_mask_row_bias(mask, head->b, head->h, i);
    hl_keys keys = hl_mask_row_keys(mask, i, head->n_keys);
    for (int64_t j = keys.begin; j < keys.end; j++) {
        P[j - first_key] = bias != NULL && bias[j] == -INFINITY ? 0 : given[j];
    }
}

void hl_attention_weights(const hl_attention_block *block, hl_real *P)
{
    const hl_attention_view *head = block->head;
    hl_attention_multiply(HL_SCORES, block, head->pass->usual.z_stride, false, block->q.at, head->K, P);
    hl_masked_softmax_rows(&head->pass->mask, head->b, head->h, block->first, block->n_real, block->first_key,
                           head->n_keys, head->row, P);
    for (int64_t i = 0; i < block->n_real; i++) {
        const hl_real *given = given_row(head, block->first + i);
        if (given != NULL) {
            replace_row(head, block->first + i, given, block->first_key, P + i * head->row);
        }
    }
}

/* The draws depend on the weights' positions in the sequence's own (H, n_queries, row). These begin at 2^32 times the
 * number of the sequence's first row in `places`. A weight is never negative, so its sign in A can say whether it was
 * dropped. */
void hl_attention_drop(const hl_attention_block *block, hl_real *P)
{
    const hl_attention_view *head = block->head;
    int64_t count = block->n_real * head->row;
    if (!head->pass->drops) {
        if (block->A != NULL && block->A != P) {
            memcpy(block->A, P, (size_t)count * sizeof *P);
        }
        return;
    }
    const int64_t *places = head->pass->places;
    uint64_t place = (uint64_t)(places != NULL ? places[head->first_query] : head->first_query);
    uint64_t first = (place << 32) + (uint64_t)((head->h * head->n_queries + block->first) * head->row);
    for (int64_t i = 0; i < count; i += HL_DROPOUT_GROUP) {
        int n = count - i < HL_DROPOUT_GROUP ? (int)(count - i) : HL_DROPOUT_GROUP;
        hl_real m[HL_DROPOUT_GROUP], *p = P + i;
        hl_dropout_draw(head->draws, first + (uint64_t)i, n, m);
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

void hl_attention_dropped(const hl_attention_block *block, hl_real *P)
{
    const hl_attention_view *head = block->head;
    hl_real scale = head->pass->rate.scale;
    int64_t real = block->n_real * head->row;
    for (int64_t i = 0; i < real; i++) {
        P[i] = block->A[i] < 0 ? 0 : block->A[i] * scale;
    }
    memset(P + real, 0, (size_t)((block->n - block->n_real) * head->row) * sizeof *P);
}

/* ---- dS ---- */

/* Takes one row backward through dropout, softmax and scale: overwrites dA by dS. `kept` is the factor of the weights
 * that dropout kept. */
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

void hl_attention_d_scores(const hl_attention_block *block, hl_attention_rows dz, hl_real *dS)
{
    const hl_attention_view *head = block->head;
    int64_t row = head->row, columns = hl_attention_columns(block->n_keys);
    hl_attention_multiply(HL_D_WEIGHTS, block, dz.stride, false, dz.at, head->V, dS);
    hl_real kept = head->pass->rate.scale;
    hl_real scale = 1 / sqrt((hl_real)head->s.Dk);
    for (int64_t i = 0; i < block->n; i++) {
        hl_real *dA = dS + i * row;
        if (i >= block->n_real || given_row(head, block->first + i) != NULL) {
            memset(dA, 0, (size_t)row * sizeof *dA);
        } else {
            for (int64_t j = columns; j < row; j++) {
                dA[j] = 0;
            }
            if (row == HL_LANES) { /* with a constant count, the row stays in registers */
                row_backward(HL_LANES, block->A + i * row, kept, scale, dA);
            } else {
                row_backward(row, block->A + i * row, kept, scale, dA);
            }
        }
    }
}
