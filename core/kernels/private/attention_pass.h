/* What attention works with in forward and backward. For formulas and letters, see core/ops/attention.h. */
#pragma once

#include "core/kernels/mask.h"
#include "core/kernels/private/dropout_mask.h"
#include "core/kernels/sequences.h"
#include "core/kernels/small_matmul.h"

typedef struct hl_attention_sizes {
    int64_t B, Nq, Nk;
    int64_t Tq, Tk; /* the longest sequences */
    int64_t H, Hkv, Dk, Dv;
} hl_attention_sizes;

/* The products of a head. q, A, z, dS and so on are those of a block of queries; K and V hold all keys. */
typedef enum hl_attention_product {
    HL_SCORES,    /* q K^T */
    HL_VALUES,    /* A V */
    HL_D_VALUES,  /* dV += A^T dz */
    HL_D_WEIGHTS, /* dz V^T */
    HL_D_QUERIES, /* dq = dS K */
    HL_D_KEYS,    /* dK += dS^T q */
    HL_ATTENTION_PRODUCTS
} hl_attention_product;

/* The code for the products of the first block, found once per pass, and the sizes that determine their shapes. */
typedef struct hl_attention_usual {
    int64_t n, n_keys, row, z_stride;
    bool staged;
    hl_small_kernel kernels[HL_ATTENTION_PRODUCTS];
} hl_attention_usual;

/* The rows of one head within a wider matrix: row i is at + i * stride. */
typedef struct hl_attention_rows {
    hl_real *at;
    int64_t stride;
} hl_attention_rows;

/* Everything that one attention works with in forward and backward. Nothing is owned. */
typedef struct hl_attention_pass {
    hl_attention_sizes sizes;
    int threads;
    hl_attention_rows q, k, v; /* the columns of all heads: (Nq, H * Dk), (Nk, Hkv * Dk), (Nk, Hkv * Dv) */
    hl_sequences queries, keys;
    hl_mask mask;
    bool backward;  /* whether backward will run */
    bool recompute; /* backward computes the weights again */

    bool drops;
    hl_dropout_rate rate; /* drops nothing if `drops` is false */
    hl_random random;
    const int64_t *places; /* (Nq), read only at each sequence's first row; NULL: row r has the number r */

    const hl_real *gate;           /* (B, H), or NULL */
    int64_t gate_stride;           /* numbers from the gates of one sequence to the next: H, or 0 if all sequences have
                                      the same gates */
    const hl_real *const *replace; /* as in core/ops/attention.h */

    /* The weights before dropout, for backward; dropped weights are stored as negative numbers. NULL without backward,
     * or if backward computes them again. Each row of q has room for H rows of the longest sequence of keys. The heads
     * of a sequence, (H, n_queries, row), lie at the beginning of that sequence's room. */
    hl_real *A;
    hl_real *z;               /* (Nq, H * Dv) before the gate, for backward; NULL without backward or gate */
    hl_attention_usual usual; /* set by hl_attention_prepare */
} hl_attention_pass;
