/* How attention processes a head of one sequence: in blocks of queries. */
#pragma once

#include "core/kernels/private/attention_pass.h"

/* Queries per block. With 512 keys, their weights need 128 kB; larger blocks are not faster. */
enum { HL_ATTENTION_BLOCK = 64 };

/* One head of one sequence: its indices, its numbers of queries and keys, and where its numbers are. A long head is
 * `staged`: it works on copies, whose rows do not compete for the same cache lines. Code is generated for each shape of
 * a product. The copies are therefore padded with rows of zeros up to whole vectors; `queries` and `keys` count these
 * rows too. */
typedef struct hl_attention_view {
    const hl_attention_pass *pass;
    hl_dropout_draws *draws; /* of the thread that works on it; NULL without dropout */
    hl_attention_sizes s;
    int64_t b, h, kv;
    int64_t first_query, first_key; /* row indices in the whole tensors */
    int64_t n_queries, n_keys;
    bool staged;
    int64_t queries, keys;
    int64_t padded;            /* n_keys, rounded up to whole vectors */
    int64_t row;               /* numbers from one row of weights to the next: hl_attention_weights_row */
    hl_attention_rows q, k, v; /* (queries, Dk), (keys, Dk), (keys, Dv) */
    /* k^T / sqrt(Dk) and v^T if the pass multiplies by them, in panels (Dk, padded) and (Dv, padded). */
    const hl_real *K, *V;
    hl_real *A; /* (n_queries, row); NULL if it is not kept */
} hl_attention_view;

/* Queries first .. first + n - 1 of a head, of which the first n_real are not padding. They may see keys first_key ..
 * first_key + n_keys - 1, and maybe fewer; a row of weights begins with key first_key. Without a window, that is 0. */
typedef struct hl_attention_block {
    const hl_attention_view *head;
    int64_t first, n, n_real, first_key, n_keys;
    hl_attention_rows q, k, v; /* from the first query and key on */
    hl_real *A;                /* (n_real, row); NULL if there is none */
} hl_attention_block;

/* `length` rounded up to whole vectors. */
int64_t hl_attention_row(int64_t length);

/* The numbers in a row of weights for n_keys keys: all keys, rounded up to whole vectors, or what a block of queries
 * sees of them through a window. */
int64_t hl_attention_weights_row(const hl_mask *mask, int64_t n_keys);

/* How many columns the products store for a row of `n_keys` weights; zeros follow the keys. */
int64_t hl_attention_columns(int64_t n_keys);

/* How many of `padded` keys belong to the panel that begins with key `first`. A panel stays in the first-level cache
 * for all queries of a block. A last single vector joins the panel before it, because LIBXSMM would add its sums in
 * another order. */
int64_t hl_attention_panel(int64_t padded, int64_t first);

/* How many numbers of scratch memory one thread needs for a head, forward or backward; -1: more than any machine
 * has. */
int64_t hl_attention_head_scratch(const hl_attention_pass *pass);

/* Head `h`, which has `width` columns, in the rows from `row` on. The address is NULL if x has none, as on a dry
 * tape. */
hl_attention_rows hl_attention_rows_of(hl_attention_rows x, int64_t row, int64_t h, int64_t width);

/* The rows from row i on. The address is NULL if x has none. */
hl_attention_rows hl_attention_rows_from(hl_attention_rows x, int64_t i);

/* Takes `n` numbers of scratch memory, aligned to a cache line; *scratch moves past them. */
hl_real *hl_attention_take(hl_real **scratch, int64_t n);

/* Copies n rows to scratch memory and adds zeros up to `padded` rows. */
hl_attention_rows hl_attention_stage(hl_attention_rows x, int64_t n, int64_t padded, int64_t width, hl_real **scratch);

/* Sets *head to head h of sequence b. If it is staged, copies q, k and v to scratch memory; *scratch moves past the
 * copies. */
void hl_attention_view_of(const hl_attention_pass *pass, int64_t b, int64_t h, hl_dropout_draws *draws,
                          hl_real **scratch, hl_attention_view *head);

/* The block that begins with query `first`. */
hl_attention_block hl_attention_block_of(const hl_attention_view *head, int64_t first);
