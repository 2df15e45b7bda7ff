/* Multi-head attention; Vaswani et al. 2017, section 3.2.2:
 *   MultiHead(x, m) = Concat(z_1, ..., z_H) W_O,   z_h = Attention(x W_Q,h, m W_K,h, m W_V,h)
 * In self-attention m is x; in cross-attention m is another tensor. Head widths do not depend on D / H, and there may
 * be fewer key/value heads than query heads. Equals PyTorch's nn.MultiheadAttention if H * Dk = H * Dv = D and Hkv =
 * H. */
#pragma once

#include "core/base/declarations.h"
#include "core/kernels/mask.h"
#include "core/ops/attention.h"
#include "layers/dropout.h"
#include "layers/linear.h"
#include "layers/rotary.h"

HL_BEGIN_DECLS

typedef struct hl_multi_head_config {
    int64_t d_model; /* D */
    int64_t n_heads, n_kv_heads;
    int64_t d_k, d_v;
    bool bias;
    hl_real dropout_weights; /* on the weights after softmax */
    hl_real dropout_concat;  /* on the heads' concatenation before W_O */
    int64_t window;          /* of the mask: core/kernels/mask.h; 0: none */
    const hl_rotary *rotary; /* of width Dk, rotates queries and keys; or NULL; not owned */
    bool recompute;          /* backward computes the weights again instead of keeping them (core/ops/attention.h) */
} hl_multi_head_config;

typedef struct hl_multi_head {
    hl_name name;
    hl_multi_head_config config;
    /* Packed if q, k and v are all D wide: one matrix (3 D, D), q's rows first. Otherwise three matrices. */
    hl_tensor *in_proj_weight;
    hl_tensor *q_proj_weight; /* (H * Dk, D) */
    hl_tensor *k_proj_weight; /* (Hkv * Dk, D) */
    hl_tensor *v_proj_weight; /* (Hkv * Dv, D) */
    hl_tensor *in_proj_bias;  /* the three biases, end to end, or NULL */
    hl_linear_layer out_proj; /* (D, H * Dv) */
    hl_tensor *switches; /* (1, H): 0 turns a head off, 1 leaves it on; NULL: all are on; not owned. A pass then has
                                 no gate of its own */
    hl_dropout_layer dropout_weights, dropout_concat;
} hl_multi_head;

/* Reads and changes what the heads of one module compute in one pass. Every field may be NULL. */
typedef struct hl_head_probe {
    void (*observe)(void *context, const hl_attention_seen *seen); /* receives every head's weights:
                                                                      core/ops/attention.h */
    void *observe_context;
    hl_real *z;                    /* receives (Nq, H * Dv): the heads' concatenation (gated), before dropout and W_O */
    hl_tensor *gate;               /* (B, H) or (1, H): see core/ops/attention.h */
    const hl_real *const *replace; /* see core/ops/attention.h */
} hl_head_probe;

/* Where hl_head_weights_observe copies a module's weights: (B, H, T, T), 0 past the lengths; T is at least the longest
 * length. */
typedef struct hl_head_weights {
    hl_real *at;
    int64_t n_heads, n_tokens; /* H, T */
} hl_head_weights;

/* An `observe` function whose context is an hl_head_weights. */
void hl_head_weights_observe(void *weights, const hl_attention_seen *seen);

/* Registers <name>.in_proj_weight or <name>.{q,k,v}_proj_weight, <name>.in_proj_bias and <name>.out_proj.*. Every
 * matrix is Xavier uniform, and biases are zero. Errors stay on the registry. */
hl_multi_head hl_multi_head_make(hl_parameters *parameters, hl_name name, hl_multi_head_config config);

/* Which rows attend to which: sequence b of x attends to sequence b of the memory, under the mask. The arrays must
 * outlive the tape. */
typedef struct hl_attention_rules {
    hl_sequences queries, keys;                     /* for x and the memory; equal in self-attention */
    const int32_t *query_positions, *key_positions; /* (Nq), (Nk): each row's position in its sequence; read only by a
                                                       module with rotary positions, and not on a dry tape */
    hl_mask mask;
} hl_attention_rules;

/* Returns y (Nq, D) for x (Nq, D) and memory (Nk, D), which is x itself in self-attention. `after` follows in the same
 * pass. `probe` may be NULL. */
hl_tensor *hl_multi_head_forward(hl_tape *tape, const hl_multi_head *layer, hl_tensor *x, hl_tensor *memory,
                                 const hl_attention_rules *rules, const hl_head_probe *probe, hl_linear_after after);

/* The two halves of the layer. _heads: z (Nq, H * Dv), the heads' concatenation before dropout and W_O. _from_heads: y
 * (Nq, D) from z. */
hl_tensor *hl_multi_head_heads(hl_tape *tape, const hl_multi_head *layer, hl_tensor *x, hl_tensor *memory,
                               const hl_attention_rules *rules, const hl_head_probe *probe);
hl_tensor *hl_multi_head_from_heads(hl_tape *tape, const hl_multi_head *layer, hl_tensor *z, hl_linear_after after);

/* Projects x to q, k or v (`which` 0, 1, 2). For hl_multi_head_forward and the naive version. */
hl_tensor *hl_multi_head_project(hl_tape *tape, const hl_multi_head *layer, hl_tensor *x, int which);

/* Rotates the projected q or k (`which` 0, 1) of a module with rotary positions; returns x itself otherwise. */
hl_tensor *hl_multi_head_rotate(hl_tape *tape, const hl_multi_head *layer, hl_tensor *x, int which,
                                const hl_attention_rules *rules);

HL_END_DECLS
