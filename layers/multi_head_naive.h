/* Multi-head attention made of primitive ops in a loop over the heads, as in the formula of layers/multi_head.h. It is
 * slower, and simple enough to check by reading. It has no dropout and no probes. Tests and `bench` compare with it. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "layers/multi_head.h"

HL_BEGIN_DECLS

/* The sequences padded to the longest one, for ops that do not know sequences. `queries` and `keys` (B, T) hold the row
 * at each padded position; in the padding, they hold some row of the same sequence. `places` (Nq) holds the padded
 * position of each row. `bias` forbids padding. */
typedef struct hl_naive_padding {
    int64_t B, Tq, Tk, Nq;
    int32_t *queries, *keys, *places; /* owned, as is `numbers` */
    hl_real *numbers;                 /* the bias' numbers; NULL if nothing is forbidden */
    hl_tensor bias;                   /* (B, H, Tq, Tk) */
    hl_attention_rules rules;         /* those that it was made from; their arrays are not owned */
} hl_naive_padding;

/* Made from the rules and their bias, for H heads. HL_NO_MEMORY. Free it with hl_naive_padding_free, also on
 * failure. */
hl_status hl_naive_padding_init(hl_naive_padding *padding, const hl_attention_rules *rules, int64_t n_heads);

void hl_naive_padding_free(hl_naive_padding *padding);

/* Returns y (Nq, D) for x (Nq, D) and memory (Nk, D). The padding must outlive the tape. */
hl_tensor *hl_multi_head_naive_forward(hl_tape *tape, const hl_multi_head *layer, hl_tensor *x, hl_tensor *memory,
                                       const hl_naive_padding *padding);

HL_END_DECLS
