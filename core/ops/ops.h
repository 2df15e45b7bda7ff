/* Includes every op and lists them all. Each op has its own header, except that activations share one. */
#pragma once

#include "core/ops/activations.h"
#include "core/ops/add.h"
#include "core/ops/attention.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/dropout.h"
#include "core/ops/embedding.h"
#include "core/ops/gather_rows.h"
#include "core/ops/layer_norm.h"
#include "core/ops/linear.h"
#include "core/ops/matmul.h"
#include "core/ops/mean_rows.h"
#include "core/ops/multiply.h"
#include "core/ops/rotate.h"
#include "core/ops/scale.h"
#include "core/ops/slice.h"
#include "core/ops/softmax.h"
#include "core/ops/sum.h"

/* clang-format off */
#define HL_OPS(OP) /* OP(add): hl_op_add of core/ops/add.c */ \
    OP(add) \
    OP(attention) \
    OP(cross_entropy) \
    OP(dropout) \
    OP(embedding) \
    OP(gather_rows) \
    OP(gelu) \
    OP(gelu_tanh) \
    OP(layer_norm) \
    OP(rms_norm) \
    OP(linear) \
    OP(matmul) \
    OP(mean_rows) \
    OP(multiply) \
    OP(quick_gelu) \
    OP(relu) \
    OP(rotate) \
    OP(scale) \
    OP(silu) \
    OP(slice) \
    OP(softmax) \
    OP(sum) \
    OP(tanh)
/* clang-format on */
