/* Every op of the library. Tests go through this list; an op without rows in the table of op cases fails one. */
#ifndef HL_CORE_PRIVATE_OP_LIST_H
#define HL_CORE_PRIVATE_OP_LIST_H

#include "core/op.h"

/* clang-format off */
#define HL_OPS(OP) /* OP(gelu): hl_op_gelu of core/op_gelu.c */ \
    OP(add) \
    OP(attention) \
    OP(cross_entropy) \
    OP(dropout) \
    OP(embedding) \
    OP(gather_rows) \
    OP(gelu) \
    OP(gelu_tanh) \
    OP(layer_norm) \
    OP(linear) \
    OP(matmul) \
    OP(mean_rows) \
    OP(multiply) \
    OP(quick_gelu) \
    OP(relu) \
    OP(scale) \
    OP(slice) \
    OP(softmax) \
    OP(sum) \
    OP(tanh)
/* clang-format on */

extern const hl_op *const hl_op_list[];
extern const int hl_op_count;

#endif
