/* How attention works on a head of one sequence: in blocks of queries. */
#ifndef HL_CORE_PRIVATE_ATTENTION_BLOCK_H
#define HL_CORE_PRIVATE_ATTENTION_BLOCK_H

#include "core/op.h"
#include "core/op_attention.h"
#include "core/private/dropout_mask.h"
#include "core/small_matmul.h"

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

/* The code for the products of the first block, found once for each node, and what their shapes depend on. */
typedef struct hl_attention_usual {
    int64_t n, n_keys, row, z_stride;
    bool staged;
    hl_small_kernel kernels[HL_ATTENTION_PRODUCTS];
} hl_attention_usual;

/* What an attention node works with. */
typedef struct hl_attention_state {
    hl_attention_args args;
    hl_attention_sizes sizes;
    /* The weights before dropout, for backward; those that were dropped are negative. NULL on a tape without gradients,
     * and where backward makes them again. Each row of q has room for H rows of the longest sequence of keys; a
     * sequence's heads, (H, n_queries, row), lie at the beginning of its rows' room. */
    hl_real *A;
    bool drops;
    hl_dropout_rate rate; /* drops nothing where `drops` is false */
    hl_real *z;           /* (Nq, H * Dv) before the gate, for backward; NULL as above, or without a gate */
    hl_attention_usual usual;
} hl_attention_state;

/* The queries of a block. With 512 keys their weights are 128 kB; larger blocks are not faster. */
enum { HL_ATTENTION_BLOCK = 64 };

/* Rows of one head within a wider matrix: row i is at + i * stride. */
typedef struct hl_attention_rows {
    hl_real *at;
    int64_t stride;
} hl_attention_rows;

/* One head of one sequence: its indices, how many queries and keys it has, and where its numbers are. A long one is
 * worked in copies (`staged`), whose rows share no places of a cache. They end in rows of zeros, up to whole vectors,
 * since code is generated for each shape of a product: `queries` and `keys` are the numbers of rows with these. */
typedef struct hl_attention_view {
    const hl_attention_state *state;
    hl_attention_sizes s;
    int64_t b, h, kv;
    int64_t first_query, first_key; /* rows of the whole tensors */
    int64_t n_queries, n_keys;
    bool staged;
    int64_t queries, keys;
    int64_t row;               /* numbers from one row of weights to the next: the keys rounded up to whole vectors */
    hl_attention_rows q, k, v; /* (queries, Dk), (keys, Dk), (keys, Dv) */
    /* k^T / sqrt(Dk) and v^T where the pass multiplies by them, in panels (Dk, keys) and (Dv, keys). */
    const hl_real *K, *V;
    hl_real *A; /* (n_queries, row), NULL where it is not kept */
} hl_attention_view;

/* Queries first .. first + n - 1 of a head, of which the first n_real are no padding; and of the keys as many as the
 * last of them may see. */
typedef struct hl_attention_block {
    const hl_attention_view *head;
    int64_t first, n, n_real, n_keys;
    hl_attention_rows q;
    hl_real *A; /* (n_real, row), NULL where there is none */
} hl_attention_block;

/* `length` rounded up to whole vectors. */
int64_t hl_attention_row(int64_t length);

/* The columns that products store of rows of `n_keys` weights: zeros stand behind the keys. */
int64_t hl_attention_columns(int64_t n_keys);

/* How many of `row` keys the panel that begins with key `first` has: for all queries of a block it stays in a
 * first-level cache. A vector that would be left goes with the last: LIBXSMM adds its sums up in their own order. */
int64_t hl_attention_panel(int64_t row, int64_t first);

/* How many numbers of scratch memory one thread needs for a head, forward or backward; -1: more than any machine
 * has. */
int64_t hl_attention_scratch(const hl_attention_state *state, bool backward);

/* The head `h` of `width` columns, of the rows from `row` on, within the columns of q, k, v or their gradients
 * `numbers`. */
hl_attention_rows hl_attention_rows_of(hl_columns columns, hl_real *numbers, int64_t row, int64_t h, int64_t width);

/* The rows from row i on. */
hl_attention_rows hl_attention_rows_from(hl_attention_rows x, int64_t i);

/* `n` numbers of scratch memory, from a cache line on; *scratch moves behind them. */
hl_real *hl_attention_take(hl_real **scratch, int64_t n);

/* A copy of n rows in scratch memory, followed by zeros up to `padded` rows. */
hl_attention_rows hl_attention_stage(hl_attention_rows x, int64_t n, int64_t padded, int64_t width, hl_real **scratch);

/* Sets *head to head h of sequence b; where it is staged, with copies of q, k and v in scratch memory, which moves
 * behind them. */
void hl_attention_view_of(const hl_attention_state *state, int64_t b, int64_t h, hl_real **scratch,
                          hl_attention_view *head);

/* The block that begins with query `first`. */
hl_attention_block hl_attention_block_of(const hl_attention_view *head, int64_t first);

#endif
