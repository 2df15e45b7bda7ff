/* Scaled dot-product attention of all heads of all sequences at once; Vaswani et al. 2017, section 3.2. For each
 * sequence and head, with the sequence's own rows and the head's own columns of q, k and v:
 *   A = softmax(q k^T / sqrt(Dk) + bias)   where the mask permits, else 0
 *   z = gate * (dropout(A) v)
 * Backward, where dA is the gradient that comes back through the product with v and through dropout:
 *   dv = dropout(A)^T dz,  dS = A * (dA - rowsum(dA * A)) / sqrt(Dk),  dq = dS k,  dk = dS^T q
 *   dgate = the sum of dz * (dropout(A) v)
 * If there are fewer key/value heads than query heads, query heads share them in order: head h uses h / (H / Hkv) (MQA,
 * Shazeer 2019; GQA, Ainslie et al. 2023). A row in which every key is forbidden yields zeros and zero gradient.
 *
 * Backward needs A. Usually forward keeps it: H numbers for each pair of query and key. With `recompute`, backward
 * computes A again, one block of queries after the other, by the same products and draws. The bits are the same, and
 * the memory grows with the length, not with its square.
 *
 * The numbers of a sequence are read and written where they lie. A long sequence is first copied and padded with zeros,
 * because its products would otherwise have too many different shapes. No row of another sequence is read or
 * written. */
#pragma once

#include "core/base/declarations.h"
#include "core/kernels/mask.h"
#include "core/kernels/sequences.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Columns of a tensor's last dimension, from `first` on. q, k and v may be columns of one projection, side by side or
 * overlapping. The gradient of the projection is then the sum of theirs. */
typedef struct hl_columns {
    hl_tensor *x;
    int64_t first;
} hl_columns;

/* What an observer receives: A of queries first .. first + n_queries - 1, in head h of sequence b, after softmax, mask
 * and replacement, before dropout. Row i is A + i * stride. Its numbers are those of the sequence's keys keys.begin ..
 * keys.end - 1. These are all n_keys keys; with a window, all others have weight 0. */
typedef struct hl_attention_seen {
    int64_t b, h;
    int64_t first, n_queries, n_keys;
    hl_keys keys;
    bool last; /* whether these are the head's last queries */
    const hl_real *A;
    int64_t stride;
} hl_attention_seen;

/* row (n_keys) = row i of A for all keys of the sequence. */
void hl_attention_seen_row(const hl_attention_seen *seen, int64_t i, hl_real *row);

typedef struct hl_attention_args {
    hl_columns q;               /* (Nq, H * Dk) */
    hl_columns k;               /* (Nk, Hkv * Dk) */
    hl_columns v;               /* (Nk, Hkv * Dv) */
    hl_sequences queries, keys; /* equally many sequences: sequence b of the queries attends to sequence b of the keys.
                                   For self-attention, both are the same */
    int64_t n_heads;            /* H */
    int64_t n_kv_heads;         /* Hkv, divides H */
    int64_t d_k, d_v;           /* Dk, Dv */
    hl_mask mask;               /* for Tq and Tk, the longest sequences */
    hl_real dropout; /* of the weights, in [0, 1); only if the tape trains. The draw for weight (i, j) of head h depends
                        on (the tape's seed, stream, the tape's step, the number in the tape's `places` of the
                        sequence's first row, h, i, j), so not on its neighbours */
    uint32_t dropout_stream;
    bool recompute; /* backward computes A again instead of keeping it */

    /* Optional. If a field is absent, nothing is computed or stored for it. */
    hl_tensor *gate;               /* (B, H) or (1, H): multiplies each head's output; may require a gradient only as
                                      (B, H) */
    const hl_real *const *replace; /* (H) pointers to weights (B, Tq, Tk) that replace the head's softmax; NULL for a
                                      head that keeps its own. The numbers for sequence b begin at its first row and its
                                      first key. A row whose first number is negative also keeps its own weights; all
                                      other numbers are at least 0. Numbers at keys that the query may not see count as
                                      0. No gradient flows to scores that are replaced */
    void (*observe)(void *context, const hl_attention_seen *seen); /* called for each block of queries in a head, in
                                                                      order, by the thread that works on the head */
    void *observe_context;
} hl_attention_args;

/* Returns z (Nq, H * Dv). Arrays named in the arguments must outlive the tape. Sticky error: shapes, sequences, head
 * counts, masks or columns that do not fit together. */
hl_tensor *hl_attention(hl_tape *tape, hl_attention_args args);

/* The arguments of the attention that `node` records, owned by the tape; NULL if it records another op. For observers
 * of a tape. */
const hl_attention_args *hl_attention_args_of(const hl_node *node);

HL_END_DECLS
