/* The product of a few rows and a matrix that is read panel by panel, while each panel is in a core's caches, in float
 * or bf16 (core/kernels/bf16.h). Only linear_panels.c, linear_weight_grad.c and linear_products.c use this. */
#pragma once

#include "core/base/real.h"

#include <stdbool.h>
#include <stdint.h>

enum { HL_PANEL_ROWS = 64 /* the most rows of one kernel */ };

/* C (n, M) = (or +=, if `add`) A (n, K) B (K, M); in bf16 K is even. B is in panels (panel_pack.h), or unpacked with
 * `panel` = HL_PANEL. A is in chunks of `depth` columns, with `chunk` numbers from one to the next; with `transposed`,
 * in float, A is (K, n). K is cut into chunks. The remainder is one piece or, with `halves`, which allows any K, pieces
 * of depth / 2, depth / 4 and so on. */
typedef struct hl_panel_product {
    int64_t n, K, M;
    int64_t depth, chunk;
    int64_t a_stride, c_stride;
    int64_t b_stride, panel; /* from one row of B, and from one of its panels, to the next */
    const hl_real *start;    /* or NULL: M numbers with which each row of C begins */
    bool transposed, halves, add, bf16;
} hl_panel_product;

/* Whether M columns end in a panel of at most one vector. LIBXSMM would add its sums in a different order. */
bool hl_panel_leaves_little(int64_t M);

/* How many columns of C are computed as whole panels. If B is not packed, a small remainder joins the last panel. */
int64_t hl_panel_wide_columns(const hl_panel_product *p);

/* The largest of most, most / 2, most / 4 ... that is at most `left`. So code is generated for few remainders. */
int64_t hl_panel_halved(int64_t most, int64_t left);

/* Computes C; A and B are float or bf16. */
void hl_panel_multiply(const hl_panel_product *p, const void *A, const void *B, hl_real *C);

/* Generates all code that hl_panel_multiply uses for at most p->n rows, and with p->halves for any K. */
void hl_panel_prepare(const hl_panel_product *p);
