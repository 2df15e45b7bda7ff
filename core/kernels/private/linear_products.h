/* The products of a linear map, forward and backward, each behind one call. For core/ops/linear.c.
 *
 *   y = x W^T + b;    dx = dp W,  dW = dp^T x,  db = the column sums of dp,    where dp is the gradient of x W^T + b
 * for x, dx (N, I), W, dW (O, I), b, db (O) and y, dp (N, O), all in contiguous rows.
 *
 * Generated kernels (LIBXSMM) work on blocks of rows, with W packed (linear_panels.h). The caller does its own work on
 * a block, on y after the product or on dp before the products, while the block is in the cache. Without generated
 * kernels, OpenBLAS computes all rows at once (matmul.h), and the caller's work is still called block by block. Blocks
 * form groups. The number of groups and the way in which dW is summed (linear_rows.h) depend on the shape and the build
 * alone. So no bit depends on `threads`.
 *
 * Nothing here is owned. Scratch memory is counted in hl_real and aligned to 64 bytes. */
#pragma once

#include "core/kernels/grad.h"
#include "core/kernels/private/linear_rows.h"

/* A block of rows. Its numbers in y or dp are the `count` numbers from `first` on. */
typedef struct hl_linear_block {
    int64_t index; /* below hl_linear_rows.n_blocks */
    int64_t first, count;
} hl_linear_block;

/* The caller's work on a block of y. It runs on the thread that computed the block. */
typedef void hl_linear_finish(const void *context, hl_linear_block block);

/* Writes the block's numbers of dp to `dp`, which may be the memory of dy. */
typedef void hl_linear_put_dp(const void *context, hl_linear_block block, hl_real *dp);

typedef struct hl_linear_products {
    hl_linear_rows rows;
    int threads;
    const hl_real *x, *W, *b; /* b: NULL if there is none */
    hl_linear_finish *finish; /* or NULL: y is done */
    hl_linear_put_dp *put_dp; /* or NULL: dp is dy */
    bool overwrites;          /* dp may overwrite dy */
    const void *context;
} hl_linear_products;

/* The cuts for x (N, I) and W (O, I). */
hl_linear_rows hl_linear_rows_of(int64_t N, int64_t O, int64_t I, bool bf16);

/* Generates the code for these rows and any smaller number of rows. */
void hl_linear_prepare(const hl_linear_rows *rows);

/* How many numbers W and b need in the form that forward reads; 0 if that form is W and b themselves. */
int64_t hl_linear_packed_numbers(const hl_linear_rows *rows);

/* The scratch memory that forward needs; with `backward`, enough for backward too. It is also enough for any smaller
 * number of rows. */
int64_t hl_linear_scratch(const hl_linear_products *p, bool backward);

/* y = x W^T + b, then p->finish for each block. `packed`: hl_linear_packed_numbers for W and b; with `made`, an earlier
 * call has filled it; NULL: scratch memory is used. */
void hl_linear_forward(const hl_linear_products *p, hl_real *packed, bool made, hl_real *y, hl_real *scratch);

/* Computes dx, dW and db, as far as they are wanted (grad.h), from dy (N, O). If `dW_later` is set, W.at is NULL.
 * Backward then only prepares dW, and hl_linear_dW_part computes it from the scratch memory that backward left. dy is
 * written only if p->overwrites. */
typedef struct hl_linear_grads {
    hl_grad x, W, b;
    bool dW_later;
} hl_linear_grads;

void hl_linear_backward(const hl_linear_products *p, hl_real *dy, hl_linear_grads grads, hl_real *scratch);

/* _cut: into how many parts, at most `most`, the rows of dW may be cut at multiples of *step without changing a bit.
 * _part: writes the rows from `begin` to `end` - 1 to `part` (end - begin, I). */
int hl_linear_dW_cut(const hl_linear_rows *rows, int most, int64_t *step);
void hl_linear_dW_part(const hl_linear_products *p, const hl_real *dy, const hl_real *scratch, int64_t begin,
                       int64_t end, hl_real *part);
