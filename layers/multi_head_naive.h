/* Multi-head attention composed of primitive ops in a loop over the heads, as in the formula of layers/multi_head.h:
 * slower, and simple enough to check by reading. Without dropout and probes. Tests and `bench` compare with it. */
#ifndef HL_LAYERS_MULTI_HEAD_NAIVE_H
#define HL_LAYERS_MULTI_HEAD_NAIVE_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "layers/multi_head.h"

HL_BEGIN_DECLS

/* The sequences padded to their longest, for ops that know of no sequences: which row stands in each place (B, T), some
 * other one of the sequence where there is none; the places (Nq) of the rows; and a bias that forbids padding. */
typedef struct hl_naive_padding {
    int64_t B, Tq, Tk, Nq;
    int32_t *queries, *keys, *places; /* owned, as the bias' numbers */
    hl_real *numbers;                 /* NULL where nothing is forbidden */
    hl_tensor bias;                   /* (B, H, Tq, Tk) */
    bool causal;
} hl_naive_padding;

/* Of the rules and their bias, for H heads. HL_NO_MEMORY. To be ended by hl_naive_padding_free, whatever this
 * returns. */
hl_status hl_naive_padding_init(hl_naive_padding *padding, const hl_attention_rules *rules, int64_t n_heads);

void hl_naive_padding_free(hl_naive_padding *padding);

/* y (Nq, D) for x (Nq, D) and memory (Nk, D). The padding must outlive the tape. */
hl_tensor *hl_multi_head_naive_forward(hl_tape *tape, const hl_multi_head *layer, hl_tensor *x, hl_tensor *memory,
                                       const hl_naive_padding *padding);

HL_END_DECLS

#endif
