/* How attention works on a head of one example: in blocks of queries; and the matrix products of a block. */
#ifndef HL_CORE_PRIVATE_ATTENTION_BLOCK_H
#define HL_CORE_PRIVATE_ATTENTION_BLOCK_H

#include "core/declarations.h"
#include "core/op.h"
#include "core/op_attention.h"
#include "core/small_matmul.h"

HL_BEGIN_DECLS

typedef struct hl_attention_sizes {
    int64_t B, Tq, Tk, H, Hkv, Dk, Dv;
    int64_t row; /* numbers from one row of weights to the next: Tk rounded up to whole vectors */
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

/* What an attention node works with. */
typedef struct hl_attention_state {
    hl_attention_args args;
    hl_attention_sizes sizes;
    /* (B, H, Tq, row), the weights before dropout, for backward; those that were dropped are negative. NULL on a tape
     * without gradients. */
    hl_real *A;
    bool drops;
    hl_real *z;                                   /* (B, Tq, H * Dv) before the gate, where there is one */
    hl_small_kernel usual[HL_ATTENTION_PRODUCTS]; /* the code for whole blocks, found once for each node */
} hl_attention_state;

/* The queries of a block. With 512 keys their weights are 128 kB; larger blocks are not faster. */
enum { HL_ATTENTION_BLOCK = 64 };

/* Rows of one head within a wider matrix: row i is at + i * stride. */
typedef struct hl_attention_rows {
    hl_real *at;
    int64_t stride;
} hl_attention_rows;

/* One head of one example: its indices, how many queries and keys it has, and where its numbers are. The real queries
 * and keys are rounded up with padding so that products have few shapes; weights of padding are zero. */
typedef struct hl_attention_view {
    const hl_attention_state *state;
    hl_attention_sizes s;
    int64_t b, h, kv;
    int64_t n_queries, n_keys; /* rounded up */
    hl_attention_rows q, k, v;
} hl_attention_view;

/* Queries first .. first + n - 1 of a head, and of the keys as many as the last of them may see. */
typedef struct hl_attention_block {
    const hl_attention_view *head;
    int64_t first, n, n_keys;
    hl_attention_rows q;
    hl_real *A; /* NULL where it is not kept */
} hl_attention_block;

/* `length` rounded up to whole vectors. */
int64_t hl_attention_row(int64_t length);

/* How many numbers of scratch memory one thread needs for a head, forward or backward; -1: more than any machine has. */
int64_t hl_attention_scratch(const hl_attention_state *state, bool backward);

/* Head `h`'s rows of example b within the columns of q, k, v or their gradients `numbers`. */
hl_attention_rows hl_attention_rows_of(hl_columns columns, hl_real *numbers, int64_t b, int64_t h, int64_t width);

/* The rows from row i on. */
hl_attention_rows hl_attention_rows_from(hl_attention_rows x, int64_t i);

/* Head h of example b. */
hl_attention_view hl_attention_view_of(const hl_attention_state *state, int64_t b, int64_t h);

/* The block that begins with query `first`. */
hl_attention_block hl_attention_block_of(const hl_attention_view *head, int64_t first);

/* The shape of a block's product; `add`: it is added to what is there. */
hl_small_matmul hl_attention_shape(hl_attention_product which, const hl_attention_block *block, bool add);

/* C = A B, or C += A B, of that shape: by the node's usual kernel where it is of that one. */
void hl_attention_multiply(hl_attention_product which, hl_small_matmul shape, const hl_attention_block *block,
                           const hl_real *A, const hl_real *B, hl_real *C);

HL_END_DECLS

#endif
