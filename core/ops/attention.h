/* Scaled dot-product attention of all heads of all sequences at once; Vaswani et al. 2017, section 3.2. For each
 * sequence and head, with the sequence's own rows and the head's own columns of q, k and v:
 *   A = softmax(q k^T / sqrt(Dk) + bias)   where the mask permits, else 0
 *   z = gate * (dropout(A) v)
 * and backward, with dA the gradient that comes back through the product with v and through dropout:
 *   dv = dropout(A)^T dz,  dS = A * (dA - rowsum(dA * A)) / sqrt(Dk),  dq = dS k,  dk = dS^T q
 *   dgate = the sum of dz * (dropout(A) v)
 * Query heads share key/value heads in order where there are fewer of these (head h uses h / (H / Hkv)): MQA, Shazeer
 * 2019; GQA, Ainslie et al. 2023. A row with every key forbidden yields zeros and zero gradient.
 *
 * Backward needs A. It is kept from forward, H numbers for each query and key, or, with `recompute`, made again of one
 * block of queries after the other, by the very products and draws that made it first: the same bits, in memory that
 * grows with the length and not with its square.
 *
 * A sequence's numbers are read and written where they lie, or, where its length would need products of too many
 * shapes, in a copy that ends in zeros. No row of another sequence is read or written. */
#ifndef HL_CORE_OPS_ATTENTION_H
#define HL_CORE_OPS_ATTENTION_H

#include "core/base/declarations.h"
#include "core/kernels/mask.h"
#include "core/kernels/sequences.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Columns of a tensor's last dimension, from `first` on. q, k and v may be columns of one projection, side by side or
 * overlapping; its gradient is then the sum. */
typedef struct hl_columns {
    hl_tensor *x;
    int64_t first;
} hl_columns;

/* What an observer sees: A of queries first .. first + n_queries - 1 of head h of sequence b, after softmax, mask and
 * replacement, before dropout. Row i is A + i * stride, of n_keys numbers: all the sequence's keys. */
typedef struct hl_attention_seen {
    int64_t b, h;
    int64_t first, n_queries, n_keys;
    bool last; /* whether these are the head's last queries */
    const hl_real *A;
    int64_t stride;
} hl_attention_seen;

typedef struct hl_attention_args {
    hl_columns q;               /* (Nq, H * Dk) */
    hl_columns k;               /* (Nk, Hkv * Dk) */
    hl_columns v;               /* (Nk, Hkv * Dv) */
    hl_sequences queries, keys; /* as many sequences: sequence b of the queries attends to sequence b of the keys. Twice
                                   the same for self-attention */
    int64_t n_heads;            /* H */
    int64_t n_kv_heads;         /* Hkv, divides H */
    int64_t d_k, d_v;           /* Dk, Dv */
    hl_mask mask;               /* Tq, Tk: the longest sequences */
    hl_real dropout; /* of the weights, in [0, 1); only where the tape trains. Weight (i, j) of head h is drawn by (the
                        tape's seed, stream, the tape's step, the place of the sequence's first row, h, i, j), so by
                        nothing of its neighbours */
    uint32_t dropout_stream;
    bool recompute; /* backward makes A again instead of keeping it */

    /* Optional; absent, nothing is computed or stored for them. */
    hl_tensor *gate;               /* (B, H) or (1, H): multiplies each head's output; has a gradient, where B long */
    const hl_real *const *replace; /* (H) pointers to weights (B, Tq, Tk) that replace the head's softmax, the rows of
                                      sequence b first and its keys first; NULL for a head that keeps its own. A row
                                      whose first number is negative also keeps its own; all other numbers are at
                                      least 0. Numbers at keys that the query may not see count as 0. No gradient flows
                                      to the scores that are replaced */
    void (*observe)(void *context, const hl_attention_seen *seen); /* called for each block of queries of a head, in
                                      order, by the thread that works on the head */
    void *observe_context;
} hl_attention_args;

/* Returns z (Nq, H * Dv). Arrays named in the arguments must outlive the tape. Sticky error: shapes, sequences, head
 * counts, masks or columns that do not fit. */
hl_tensor *hl_attention(hl_tape *tape, hl_attention_args args);

/* The arguments of the attention that `node` records, owned by the tape; NULL where it records another op. For
 * observers of a tape. */
const hl_attention_args *hl_attention_args_of(const hl_node *node);

HL_END_DECLS

#endif
