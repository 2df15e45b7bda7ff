/* The products of a linear map, forward and backward, each behind one call; for core/ops/linear.c.
 *
 *   y = x W^T + b;    dx = dp W,  dW = dp^T x,  db = the column sums of dp,    where dp is the gradient of x W^T + b
 * for x, dx (N, I), W, dW (O, I), b, db (O) and y, dp (N, O): rows, contiguous.
 *
 * Where kernels are generated (LIBXSMM), they work on blocks of rows, with W packed (linear_panels.h). The caller's own
 * work on a block, on y after the product or on dp before the products, follows while the block is in the cache. Else
 * OpenBLAS computes all rows at once (matmul.h), and the caller's work is still called block by block. Blocks are cut
 * into groups. How many there are, and how dW is summed (linear_rows.h), depends on the shape and the build alone: no
 * bit depends on `threads`.
 *
 * Nothing here is owned. Scratch memory is counted in hl_real and begins at a multiple of 64 bytes. */
#ifndef HL_CORE_KERNELS_PRIVATE_LINEAR_PRODUCTS_H
#define HL_CORE_KERNELS_PRIVATE_LINEAR_PRODUCTS_H

#include "core/kernels/grad.h"
#include "core/kernels/private/linear_rows.h"

/* A block of rows: its numbers of y, or of dp, are `count` from `first` on. */
typedef struct hl_linear_block {
    int64_t index; /* below hl_linear_rows.n_blocks */
    int64_t first, count;
} hl_linear_block;

/* Whatever the caller does with a block of y: called on the thread that computed it. */
typedef void hl_linear_finish(const void *context, hl_linear_block block);

/* Sets the block's numbers of dp, from `dp` on, which may be where dy is. */
typedef void hl_linear_put_dp(const void *context, hl_linear_block block, hl_real *dp);

typedef struct hl_linear_products {
    hl_linear_rows rows;
    int threads;
    const hl_real *x, *W, *b; /* b: NULL where there is none */
    hl_linear_finish *finish; /* or NULL: y is done */
    hl_linear_put_dp *put_dp; /* or NULL: dp is dy */
    bool overwrites;          /* dp may take the place of dy */
    const void *context;
} hl_linear_products;

/* The cuts for x (N, I) and W (O, I). */
hl_linear_rows hl_linear_rows_of(int64_t N, int64_t O, int64_t I, bool bf16);

/* Generates the code for these rows and any fewer. */
void hl_linear_prepare(const hl_linear_rows *rows);

/* The numbers of W and b in the form that forward reads; 0 where that is W and b themselves. */
int64_t hl_linear_packed_numbers(const hl_linear_rows *rows);

/* The scratch memory that forward needs, with `backward` also enough for backward. What is enough for these rows is
 * enough for any fewer. */
int64_t hl_linear_scratch(const hl_linear_products *p, bool backward);

/* y = x W^T + b, and p->finish for each block. `packed`: hl_linear_packed_numbers for W and b, which with `made` an
 * earlier call filled; NULL: in scratch memory. */
void hl_linear_forward(const hl_linear_products *p, hl_real *packed, bool made, hl_real *y, hl_real *scratch);

/* dx, dW and db, as far as they are wanted (grad.h), from dy (N, O). With `dW_later`, where W.at is NULL, backward only
 * prepares dW, and hl_linear_dW_part computes it from the scratch memory as backward left it. dy is written only if
 * p->overwrites. */
typedef struct hl_linear_grads {
    hl_grad x, W, b;
    bool dW_later;
} hl_linear_grads;

void hl_linear_backward(const hl_linear_products *p, hl_real *dy, hl_linear_grads grads, hl_real *scratch);

/* Into how many parts, at most `most`, the rows of dW may be cut at multiples of *step, so that no bit changes; and the
 * rows from `begin` to `end` - 1, to `part` (end - begin, I). */
int hl_linear_dW_cut(const hl_linear_rows *rows, int most, int64_t *step);
void hl_linear_dW_part(const hl_linear_products *p, const hl_real *dy, const hl_real *scratch, int64_t begin,
                       int64_t end, hl_real *part);

#endif
