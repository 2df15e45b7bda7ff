/* Calls of multi-head attention over odd shapes, masks and head counts: each has its gradients checked, and is compared
 * with the naive composition of primitive ops. */
#pragma once

#include "layers/multi_head.h"

typedef struct attention_case {
    const char *name;
    int64_t B, Tq, Tk, D;
    int64_t H, Hkv, Dk, Dv;
    bool bias;  /* of the projections */
    bool cross; /* memory is a tensor of its own; else it is x */
    bool causal;
    int64_t window;                     /* 0: none */
    int bias_examples, bias_heads;      /* 0: no additive bias; else its first two sizes */
    bool forbidding;                    /* the bias forbids some keys, and in its first row all of them */
    int32_t q_lengths[3], k_lengths[3]; /* of the sequences; all 0: Tq, Tk. Without `cross` those of x count */
} attention_case;

extern const attention_case attention_cases[];
extern const int attention_case_count;

/* A case ready to be called; arrays and parameters belong to it. */
typedef struct attention_call {
    const attention_case *c;
    hl_parameters parameters;
    hl_multi_head layer;
    int32_t q_offsets[4], k_offsets[4];
    int64_t Nq, Nk;
    hl_real *x, *memory, *bias; /* (Nq, D), (Nk, D); memory: NULL for self-attention */
    hl_tensor bias_tensor;
    hl_attention_rules rules; /* points into this struct */
} attention_call;

/* Fills *call, with the two dropouts. To be ended by attention_call_free. */
void attention_call_init(attention_call *call, const attention_case *c, hl_real dropout_weights,
                         hl_real dropout_concat);
void attention_call_free(attention_call *call);
