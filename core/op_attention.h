/* Scaled dot-product attention of all heads of a batch at once; Vaswani et al. 2017, section 3.2. For each example and
 * head, with the head's own columns of q, k and v:
 *   A = softmax(q k^T / sqrt(Dk) + bias)   where the mask permits, else 0
 *   z = gate * (dropout(A) v)
 * and backward, with dA the gradient that comes back through the product with v and through dropout:
 *   dv = dropout(A)^T dz,  dS = A * (dA - rowsum(dA * A)) / sqrt(Dk),  dq = dS k,  dk = dS^T q
 *   dgate = the sum of dz * (dropout(A) v)
 * Query heads share key/value heads in order where there are fewer of these (head h uses h / (H / Hkv)): MQA, Shazeer
 * 2019; GQA, Ainslie et al. 2023. A row with every key forbidden yields zeros and zero gradient. */
#ifndef HL_CORE_OP_ATTENTION_H
#define HL_CORE_OP_ATTENTION_H

#include "core/declarations.h"
#include "core/mask.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Columns of a tensor's last dimension, from `first` on. q, k and v may be columns of one projection, side by side or
 * overlapping; its gradient is then the sum. */
typedef struct hl_columns {
    hl_tensor *x;
    int64_t first;
} hl_columns;

typedef struct hl_attention_args {
    hl_columns q;       /* (B, Tq, H * Dk) */
    hl_columns k;       /* (B, Tk, Hkv * Dk) */
    hl_columns v;       /* (B, Tk, Hkv * Dv) */
    int64_t n_heads;    /* H */
    int64_t n_kv_heads; /* Hkv, divides H */
    int64_t d_k, d_v;   /* Dk, Dv */
    hl_mask mask;
    hl_real dropout; /* of the weights, in [0, 1); only where the tape trains */
    uint32_t dropout_stream;

    /* Optional; absent, nothing is computed or stored for them. */
    hl_tensor *gate;               /* (B, H): multiplies each head's output; has a gradient */
    const hl_real *const *replace; /* (H) pointers to weights (B, Tq, Tk) that replace the head's softmax; NULL for a
                                      head that keeps its own. A row whose first number is negative also keeps its
                                      own; all other numbers are at least 0. Numbers at keys that the query may not
                                      see count as 0. No gradient flows to the scores that are replaced */
    hl_real *weights;              /* (B, H, Tq, Tk), the caller's: receives A, before dropout */
} hl_attention_args;

/* Returns z (B, Tq, H * Dv), rows of padding queries zero. Arrays named in the arguments must outlive the tape. Sticky
 * error: shapes, head counts, masks or columns that do not fit. */
hl_tensor *hl_attention(hl_tape *tape, hl_attention_args args);

/* The arguments of the attention that `node` records, owned by the tape; NULL where it records another op. For
 * observers of a tape. */
const hl_attention_args *hl_attention_args_of(const hl_node *node);

HL_END_DECLS

#endif
