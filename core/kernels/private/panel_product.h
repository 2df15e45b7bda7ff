/* The product of a few rows and a matrix that is read panel by panel, each in a core's caches, in float or bf16
 * (core/kernels/bf16.h); used by linear_panels.c, linear_weight_grad.c and linear_products.c alone. */
#ifndef HL_CORE_KERNELS_PRIVATE_PANEL_PRODUCT_H
#define HL_CORE_KERNELS_PRIVATE_PANEL_PRODUCT_H

#include "core/base/real.h"

#include <stdbool.h>
#include <stdint.h>

enum { HL_PANEL_ROWS = 64 /* most of one kernel */ };

/* C (n, M) = (or, `add`, +=) A (n, K) B (K, M), in bf16 K even. B stands in panels (panel_pack.h), or with `panel` =
 * HL_PANEL as it is; A in chunks of `depth` columns, `chunk` numbers from one to the next, or with `transposed`, in
 * float, as (K, n). K is cut into chunks; what is left is one piece or, with `halves`, for whatever K, pieces of
 * depth / 2, depth / 4 and so on. */
typedef struct hl_panel_product {
    int64_t n, K, M;
    int64_t depth, chunk;
    int64_t a_stride, c_stride;
    int64_t b_stride, panel; /* of B, and from one of its panels to the next */
    const hl_real *start;    /* or NULL: M numbers that each row of C begins with */
    bool transposed, halves, add, bf16;
} hl_panel_product;

/* Whether M columns end in a panel of at most a vector, whose sums LIBXSMM adds up in an order of their own. */
bool hl_panel_leaves_little(int64_t M);

/* How many columns of C go by whole panels. Where B is not packed, a little that is left goes with the last of them. */
int64_t hl_panel_wide_columns(const hl_panel_product *p);

/* The largest of most, most / 2, most / 4 ... that is at most `left`: code is generated for few remainders. */
int64_t hl_panel_halved(int64_t most, int64_t left);

/* Computes C; A and B are float or bf16. */
void hl_panel_multiply(const hl_panel_product *p, const void *A, const void *B, hl_real *C);

/* Generates the code for all that hl_panel_multiply asks for, for at most p->n rows, and with p->halves for any K. */
void hl_panel_prepare(const hl_panel_product *p);

#endif
