/* What attention works with, forward and backward. Formulas and letters: core/ops/attention.h. */
#ifndef HL_CORE_KERNELS_PRIVATE_ATTENTION_PASS_H
#define HL_CORE_KERNELS_PRIVATE_ATTENTION_PASS_H

#include "core/kernels/mask.h"
#include "core/kernels/private/dropout_mask.h"
#include "core/kernels/sequences.h"
#include "core/kernels/small_matmul.h"

typedef struct hl_attention_sizes {
    int64_t B, Nq, Nk;
    int64_t Tq, Tk; /* the longest sequences */
    int64_t H, Hkv, Dk, Dv;
} hl_attention_sizes;

/* The products of a head; q and so on are blocks of queries, K and V all the keys. */
typedef enum hl_attention_product {
    HL_SCORES,    /* q K^T */
    HL_VALUES,    /* A V */
    HL_D_VALUES,  /* dV += A^T dz */
    HL_D_WEIGHTS, /* dz V^T */
    HL_D_QUERIES, /* dq = dS K */
    HL_D_KEYS,    /* dK += dS^T q */
    HL_ATTENTION_PRODUCTS
} hl_attention_product;

/* The code for the products of the first block, found once for each pass, and what their shapes depend on. */
typedef struct hl_attention_usual {
    int64_t n, n_keys, row, z_stride;
    bool staged;
    hl_small_kernel kernels[HL_ATTENTION_PRODUCTS];
} hl_attention_usual;

/* Rows of one head within a wider matrix: row i is at + i * stride. */
typedef struct hl_attention_rows {
    hl_real *at;
    int64_t stride;
} hl_attention_rows;

/* All that one attention works with, forward and backward. Nothing is owned. */
typedef struct hl_attention_pass {
    hl_attention_sizes sizes;
    int threads;
    hl_attention_rows q, k, v; /* the columns of all heads: (Nq, H * Dk), (Nk, Hkv * Dk), (Nk, Hkv * Dv) */
    hl_sequences queries, keys;
    hl_mask mask;
    bool backward;  /* whether it will run */
    bool recompute; /* backward makes the weights again */

    bool drops;
    hl_dropout_rate rate; /* drops nothing where `drops` is false */
    hl_random random;
    const int64_t *places; /* (Nq), of which that of a sequence's first row counts; NULL: row r has place r */

    const hl_real *gate;           /* (B, H), or NULL */
    int64_t gate_stride;           /* from the gates of one sequence to the next: H, or 0 where all have the same */
    const hl_real *const *replace; /* as in core/ops/attention.h */

    /* The weights before dropout, for backward; those that were dropped are negative. NULL without backward, and where
     * it makes them again. Each row of q has room for H rows of the longest sequence of keys; a sequence's heads, (H,
     * n_queries, row), lie at the beginning of its rows' room. */
    hl_real *A;
    hl_real *z;               /* (Nq, H * Dv) before the gate, for backward; NULL without backward or gate */
    hl_attention_usual usual; /* hl_attention_prepare's */
} hl_attention_pass;

#endif
