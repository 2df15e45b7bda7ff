#include "core/private/attention_products.h"

hl_small_matmul hl_attention_shape(hl_attention_product which, const hl_attention_block *block, int64_t z_stride,
                                   bool add)
{
    const hl_attention_view *head = block->head;
    hl_attention_sizes s = head->s;
    int64_t n = block->n, m = block->n_keys, row = head->row, panel = hl_attention_panel(row, 0);
    int64_t all = hl_attention_columns(m), columns = all < panel ? all : panel;
    switch (which) {
    case HL_SCORES:
        return (hl_small_matmul){
            .M = n, .N = columns, .K = s.Dk, .a_stride = head->q.stride, .b_stride = panel, .c_stride = row
        };
    case HL_VALUES:
        return (hl_small_matmul){
            .M = n, .N = s.Dv, .K = m, .a_stride = row, .b_stride = head->v.stride, .c_stride = z_stride
        };
    case HL_D_VALUES:
        return (hl_small_matmul){ .M = m,
                                  .N = s.Dv,
                                  .K = n,
                                  .a_stride = row,
                                  .b_stride = z_stride,
                                  .c_stride = head->v.stride,
                                  .transposed = true,
                                  .add = add };
    case HL_D_WEIGHTS:
        return (hl_small_matmul){
            .M = n, .N = columns, .K = s.Dv, .a_stride = z_stride, .b_stride = panel, .c_stride = row
        };
    case HL_D_QUERIES:
        return (hl_small_matmul){ .M = n,
                                  .N = s.Dk,
                                  .K = m,
                                  .a_stride = row,
                                  .b_stride = head->k.stride,
                                  .c_stride = head->q.stride,
                                  .add = add };
    default:
        return (hl_small_matmul){ .M = m,
                                  .N = s.Dk,
                                  .K = n,
                                  .a_stride = row,
                                  .b_stride = head->q.stride,
                                  .c_stride = head->k.stride,
                                  .transposed = true,
                                  .add = add };
    }
}

/* The kernel for the first panel serves all but the last. */
static void multiply_panels(const hl_attention_block *block, const hl_small_kernel *first, const hl_real *A,
                            const hl_real *B, hl_real *C)
{
    int64_t columns = hl_attention_columns(block->n_keys), width;
    hl_small_matmul shape = first->shape;
    for (int64_t j = 0; j < columns; j += width) {
        width = hl_attention_panel(block->head->row, j);
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
    const hl_attention_usual *usual = &head->state->usual;
    bool is_usual = block->n == usual->n && block->n_keys == usual->n_keys && head->row == usual->row &&
                    head->staged == usual->staged && z_stride == usual->z_stride && !add;
    hl_small_kernel kernel =
        is_usual ? usual->kernels[which] : hl_small_matmul_kernel(hl_attention_shape(which, block, z_stride, add));
    if (which == HL_SCORES || which == HL_D_WEIGHTS) {
        multiply_panels(block, &kernel, A, B, C);
    } else {
        hl_small_kernel_run(&kernel, A, B, C);
    }
}

void hl_attention_prepare(hl_attention_state *state, bool backward, hl_real *scratch)
{
    hl_attention_view head;
    hl_attention_view_of(state, 0, 0, &scratch, &head);
    hl_attention_block block = hl_attention_block_of(&head, 0);
    state->usual = (hl_attention_usual){
        .n = block.n,
        .n_keys = block.n_keys,
        .row = head.row,
        .z_stride = head.staged ? head.s.Dv : head.s.H * head.s.Dv,
        .staged = head.staged,
    };
    int n = backward ? HL_ATTENTION_PRODUCTS : HL_D_VALUES; /* the first are forward's */
    for (int i = 0; i < n; i++) {
        state->usual.kernels[i] =
            hl_small_matmul_kernel(hl_attention_shape((hl_attention_product)i, &block, state->usual.z_stride, false));
    }
}

void hl_attention_prepare_lengths(const hl_attention_state *state)
{
    int64_t longest = state->sizes.Tk < HL_ATTENTION_BLOCK ? state->sizes.Tk : HL_ATTENTION_BLOCK;
    for (int64_t n = 1; n <= longest; n++) {
        hl_attention_state one = *state;
        const int32_t offsets[2] = { 0, (int32_t)n };
        one.args.queries = one.args.keys = (hl_sequences){ .n = 1, .longest = n, .offsets = offsets };
        hl_attention_view head;
        hl_attention_view_of(&one, 0, 0, NULL, &head);
        hl_attention_block block = hl_attention_block_of(&head, 0);
        for (int i = 0; i < HL_ATTENTION_PRODUCTS; i++) {
            for (int add = 0; add < 2; add++) {
                hl_small_matmul_kernel(
                    hl_attention_shape((hl_attention_product)i, &block, head.s.H * head.s.Dv, add != 0));
            }
        }
    }
}
