/* How attention works on a head of one sequence: in blocks of queries. */
#ifndef HL_CORE_KERNELS_PRIVATE_ATTENTION_BLOCK_H
#define HL_CORE_KERNELS_PRIVATE_ATTENTION_BLOCK_H

#include "core/kernels/private/attention_pass.h"

/* The queries of a block. With 512 keys their weights are 128 kB; larger blocks are not faster. */
enum { HL_ATTENTION_BLOCK = 64 };

/* One head of one sequence: its indices, how many queries and keys it has, and where its numbers are. A long one is
 * worked in copies (`staged`), whose rows share no places of a cache. They end in rows of zeros, up to whole vectors,
 * since code is generated for each shape of a product: `queries` and `keys` are the numbers of rows with these. */
typedef struct hl_attention_view {
    const hl_attention_pass *pass;
    hl_dropout_draws *draws; /* of the thread that works on it; NULL where there is no dropout to draw */
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
int64_t hl_attention_head_scratch(const hl_attention_pass *pass);

/* The head `h` of `width` columns, of the rows from `row` on. No address where x has none, as on a dry tape. */
hl_attention_rows hl_attention_rows_of(hl_attention_rows x, int64_t row, int64_t h, int64_t width);

/* The rows from row i on, likewise. */
hl_attention_rows hl_attention_rows_from(hl_attention_rows x, int64_t i);

/* `n` numbers of scratch memory, from a cache line on; *scratch moves behind them. */
hl_real *hl_attention_take(hl_real **scratch, int64_t n);

/* A copy of n rows in scratch memory, followed by zeros up to `padded` rows. */
hl_attention_rows hl_attention_stage(hl_attention_rows x, int64_t n, int64_t padded, int64_t width, hl_real **scratch);

/* Sets *head to head h of sequence b; where it is staged, with copies of q, k and v in scratch memory, which moves
 * behind them. */
void hl_attention_view_of(const hl_attention_pass *pass, int64_t b, int64_t h, hl_dropout_draws *draws,
                          hl_real **scratch, hl_attention_view *head);

/* The block that begins with query `first`. */
hl_attention_block hl_attention_block_of(const hl_attention_view *head, int64_t first);

#endif
