#include "tests/core/op_cases.h"

#include "core/kernels/random.h"
#include "core/ops/ops.h"
#include "tests/core/op_calls.h"
#include "tests/core/op_case_arrays.h"

#include <stdio.h>
#include <string.h>

#define DECLARE(name) extern const hl_op hl_op_##name;
#define ENTRY(name) &hl_op_##name,
HL_OPS(DECLARE)
const hl_op *const op_list[] = { HL_OPS(ENTRY) };
const int op_count = sizeof op_list / sizeof *op_list;

#define INPUT(name, ...)                                                 \
    {                                                                    \
        name,                                                            \
        {                                                                \
            (int)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), \
            {                                                            \
                __VA_ARGS__                                              \
            }                                                            \
        }                                                                \
    }
#define SCALAR(name) \
    {                \
        name,        \
        {            \
            0        \
        }            \
    }
#define CALL(name, ...)                 \
    op_call_##name, &(const name##_row) \
    {                                   \
        __VA_ARGS__                     \
    }
#define BARE(name) op_call_##name, NULL

/* clang-format off */
#define ONE(builder) op_call_one, &(op_of_one *const){ builder }
#define FAR(builder) op_call_far, &(op_of_one *const){ builder }
#define TWO(builder) op_call_two, &(op_of_two *const){ builder }
#define TWICE(builder) op_call_twice, &(op_of_two *const){ builder }

const op_case op_cases[] = {
    { "add", "same shape", TWO(hl_add), .inputs = { INPUT("x", 3, 5), INPUT("b", 3, 5) } },
    { "add", "bias over 1-D", TWO(hl_add), .inputs = { INPUT("x", 7), INPUT("b", 7) } },
    { "add", "bias over 3-D", TWO(hl_add), .inputs = { INPUT("x", 2, 3, 5), INPUT("b", 5) } },
    { "add", "positions", TWO(hl_add), .inputs = { INPUT("x", 3, 4, 3), INPUT("b", 4, 3) } },
    { "add", "bias over 4-D", TWO(hl_add), .inputs = { INPUT("x", 2, 1, 3, 2), INPUT("b", 3, 2) } },
    { "add", "one number", TWO(hl_add), .inputs = { INPUT("x", 1, 1), INPUT("b", 1) } },
    { "add", "a scalar everywhere", TWO(hl_add), .inputs = { INPUT("x", 3, 3), SCALAR("b") } },
    { "add", "two scalars", TWO(hl_add), .inputs = { SCALAR("x"), SCALAR("b") } },
    { "add", "more rows than one block", TWO(hl_add), .inputs = { INPUT("x", 131, 3), INPUT("b", 3) } },
    { "add", "the same tensor twice", TWICE(hl_add), .inputs = { INPUT("x", 3, 4) } },
    { "add", "large, same shape", TWO(hl_add),
      .inputs = { INPUT("x", 61, 37, 23), INPUT("b", 61, 37, 23) }, .large = true },
    { "add", "large, bias", TWO(hl_add), .inputs = { INPUT("x", 1301, 41), INPUT("b", 41) }, .large = true },
    { "add", "large, positions", TWO(hl_add), .inputs = { INPUT("x", 67, 29, 31), INPUT("b", 29, 31) }, .large = true },

    { "multiply", "2-D", TWO(hl_multiply), .inputs = { INPUT("a", 3, 5), INPUT("b", 3, 5) } },
    { "multiply", "4-D", TWO(hl_multiply), .inputs = { INPUT("a", 2, 1, 3, 2), INPUT("b", 2, 1, 3, 2) } },
    { "multiply", "scalars", TWO(hl_multiply), .inputs = { SCALAR("a"), SCALAR("b") } },
    { "multiply", "the same tensor twice", TWICE(hl_multiply), .inputs = { INPUT("x", 7) } },
    { "multiply", "large", TWO(hl_multiply), .inputs = { INPUT("a", 211, 307), INPUT("b", 211, 307) }, .large = true },

    { "scale", "up", CALL(scale, 3), .inputs = { INPUT("x", 3, 5) } },
    { "scale", "negative, 1-D of one", CALL(scale, -0.25), .inputs = { INPUT("x", 1) } },
    { "scale", "by zero", CALL(scale, 0), .inputs = { INPUT("x", 2, 2, 2) } },
    { "scale", "large", CALL(scale, 1.7f), .inputs = { INPUT("x", 211, 307) }, .large = true },

    { "relu", "2-D", ONE(hl_relu), .inputs = { INPUT("x", 5, 7) }, .kink = true },
    { "relu", "4-D", ONE(hl_relu), .inputs = { INPUT("x", 2, 3, 1, 3) }, .kink = true },
    { "relu", "one number", ONE(hl_relu), .inputs = { INPUT("x", 1) }, .kink = true },
    { "relu", "large", ONE(hl_relu), .inputs = { INPUT("x", 211, 307) }, .large = true, .kink = true },

    { "gelu", "2-D", FAR(hl_gelu), .inputs = { INPUT("x", 5, 7) } },
    { "gelu", "one number", FAR(hl_gelu), .inputs = { INPUT("x", 1, 1, 1) } },
    { "gelu", "near 0", ONE(hl_gelu), .inputs = { INPUT("x", 3, 19) } },
    { "gelu", "large", FAR(hl_gelu), .inputs = { INPUT("x", 211, 307) }, .large = true },

    { "gelu_tanh", "2-D", FAR(hl_gelu_tanh), .inputs = { INPUT("x", 5, 7) } },
    { "gelu_tanh", "one number", FAR(hl_gelu_tanh), .inputs = { INPUT("x", 1, 1, 1) } },
    { "gelu_tanh", "near 0", ONE(hl_gelu_tanh), .inputs = { INPUT("x", 3, 19) } },
    { "gelu_tanh", "large", FAR(hl_gelu_tanh), .inputs = { INPUT("x", 211, 307) }, .large = true },

    { "quick_gelu", "2-D", FAR(hl_quick_gelu), .inputs = { INPUT("x", 5, 7) } },
    { "quick_gelu", "one number", FAR(hl_quick_gelu), .inputs = { INPUT("x", 1, 1, 1) } },
    { "quick_gelu", "near 0", ONE(hl_quick_gelu), .inputs = { INPUT("x", 3, 19) } },
    { "quick_gelu", "large", FAR(hl_quick_gelu), .inputs = { INPUT("x", 211, 307) }, .large = true },

    { "silu", "2-D", FAR(hl_silu), .inputs = { INPUT("x", 5, 7) } },
    { "silu", "one number", FAR(hl_silu), .inputs = { INPUT("x", 1, 1, 1) } },
    { "silu", "near 0", ONE(hl_silu), .inputs = { INPUT("x", 3, 19) } },
    { "silu", "large", FAR(hl_silu), .inputs = { INPUT("x", 211, 307) }, .large = true },

    { "tanh", "2-D", FAR(hl_tanh), .inputs = { INPUT("x", 5, 7) } },
    { "tanh", "one number", FAR(hl_tanh), .inputs = { INPUT("x", 1, 1, 1) } },
    { "tanh", "near 0", ONE(hl_tanh), .inputs = { INPUT("x", 3, 19) } },
    { "tanh", "large", FAR(hl_tanh), .inputs = { INPUT("x", 211, 307) }, .large = true },

    { "sum", "3-D", ONE(hl_sum), .inputs = { INPUT("x", 2, 3, 5) } },
    { "sum", "one number", ONE(hl_sum), .inputs = { INPUT("x", 1) } },
    { "sum", "a scalar", ONE(hl_sum), .inputs = { SCALAR("x") } },
    { "sum", "mean", ONE(hl_mean), .inputs = { INPUT("x", 3, 7) } },
    { "sum", "large mean", ONE(hl_mean), .inputs = { INPUT("x", 211, 307) }, .large = true },

    { "linear", "2-D", BARE(linear), .inputs = { INPUT("x", 5, 3), INPUT("W", 4, 3), INPUT("b", 4) } },
    { "linear", "no bias", BARE(linear), .inputs = { INPUT("x", 5, 3), INPUT("W", 4, 3) } },
    { "linear", "1-D", BARE(linear), .inputs = { INPUT("x", 3), INPUT("W", 2, 3), INPUT("b", 2) } },
    { "linear", "3-D", BARE(linear), .inputs = { INPUT("x", 2, 3, 5), INPUT("W", 7, 5), INPUT("b", 7) } },
    { "linear", "4-D", BARE(linear), .inputs = { INPUT("x", 2, 1, 3, 2), INPUT("W", 3, 2), INPUT("b", 3) } },
    { "linear", "sizes of one", BARE(linear), .inputs = { INPUT("x", 1, 1), INPUT("W", 1, 1), INPUT("b", 1) } },
    { "linear", "x is W", BARE(linear_twice), .inputs = { INPUT("x", 4, 3) } },
    { "linear", "dW in blocks of rows", BARE(linear),
      .inputs = { INPUT("x", 517, 2), INPUT("W", 3, 2), INPUT("b", 3) } },
    { "linear", "large, dW by rows of x", BARE(linear),
      .inputs = { INPUT("x", 37, 21, 65), INPUT("W", 97, 65), INPUT("b", 97) }, .large = true },
    { "linear", "large, dW by its own rows", BARE(linear),
      .inputs = { INPUT("x", 611, 130), INPUT("W", 161, 130), INPUT("b", 161) }, .large = true },
    { "linear", "more rows than a block, an odd remainder", BARE(linear),
      .inputs = { INPUT("x", 7, 31, 5), INPUT("W", 3, 5), INPUT("b", 3) } },
    { "linear", "large, more groups than one", BARE(linear),
      .inputs = { INPUT("x", 1161, 37), INPUT("W", 29, 37), INPUT("b", 29) }, .large = true },
    { "linear", "large, dW by tiles", BARE(linear),
      .inputs = { INPUT("x", 203, 331), INPUT("W", 211, 331), INPUT("b", 211) }, .large = true },
    { "linear", "large, too many weights for generated kernels", BARE(linear),
      .inputs = { INPUT("x", 150, 401), INPUT("W", 700, 401) }, .large = true },
    { "linear", "again by the same weights", BARE(linear_again),
      .inputs = { INPUT("x", 2, 3, 5), INPUT("W", 5, 5), INPUT("b", 5) } },
    { "linear", "large, again by the same weights, dW in parts", BARE(linear_again),
      .inputs = { INPUT("x", 331, 125), INPUT("W", 125, 125), INPUT("b", 125) }, .large = true },
    { "linear", "large, again by the same weights, dW by tiles", BARE(linear_again),
      .inputs = { INPUT("x", 131, 307), INPUT("W", 307, 307), INPUT("b", 307) }, .large = true },
    { "linear", "large, again by the same weights, not generated", BARE(linear_again),
      .inputs = { INPUT("x", 131, 523), INPUT("W", 523, 523), INPUT("b", 523) }, .large = true },
    { "linear", "then relu", CALL(linear_fused, .relu = true, .bias = true),
      .inputs = { INPUT("x", 5, 3), INPUT("W", 4, 3), INPUT("b", 4) } },
    { "linear", "then dropout", CALL(linear_fused, .bias = true, .dropout = 0.3f),
      .inputs = { INPUT("x", 2, 5, 3), INPUT("W", 7, 3), INPUT("b", 7) } },
    { "linear", "then a residual", CALL(linear_fused, .residual = true),
      .inputs = { INPUT("x", 2, 5, 3), INPUT("W", 7, 3), INPUT("r", 2, 5, 7) } },
    { "linear", "then relu, dropout and a residual", CALL(linear_fused, .relu = true, .bias = true, .residual = true,
      .dropout = 0.5f), .inputs = { INPUT("x", 3, 23, 2), INPUT("W", 5, 2), INPUT("b", 5), INPUT("r", 3, 23, 5) } },
    { "linear", "large, then relu and dropout, groups", CALL(linear_fused, .relu = true, .bias = true, .dropout = 0.1f),
      .inputs = { INPUT("x", 13, 99, 33), INPUT("W", 65, 33), INPUT("b", 65) }, .large = true },
    { "linear", "large, then relu, dropout and a residual, tiles", CALL(linear_fused, .relu = true, .bias = true,
      .residual = true, .dropout = 0.1f), .inputs = { INPUT("x", 3, 67, 301), INPUT("W", 243, 301), INPUT("b", 243),
      INPUT("r", 3, 67, 243) }, .large = true },
    { "linear", "large, then dropout and a residual, not generated", CALL(linear_fused, .bias = true, .residual = true,
      .dropout = 0.1f), .inputs = { INPUT("x", 3, 67, 640), INPUT("W", 411, 640), INPUT("b", 411), INPUT("r", 3, 67,
      411) }, .large = true },
    { "linear", "large, no bias", BARE(linear),
      .inputs = { INPUT("x", 611, 131), INPUT("W", 145, 131) }, .large = true },

    { "matmul", "2-D", CALL(matmul, false, false), .inputs = { INPUT("A", 3, 4), INPUT("B", 4, 5) } },
    { "matmul", "A transposed", CALL(matmul, true, false), .inputs = { INPUT("A", 2, 4, 3), INPUT("B", 2, 4, 5) } },
    { "matmul", "B transposed", CALL(matmul, false, true), .inputs = { INPUT("A", 2, 3, 4), INPUT("B", 2, 5, 4) } },
    { "matmul", "both transposed", CALL(matmul, true, true),
      .inputs = { INPUT("A", 2, 2, 4, 3), INPUT("B", 2, 2, 5, 4) } },
    { "matmul", "sizes of one", CALL(matmul, false, false), .inputs = { INPUT("A", 3, 1, 1), INPUT("B", 3, 1, 1) } },
    { "matmul", "outer products", CALL(matmul, false, false), .inputs = { INPUT("A", 3, 4, 1), INPUT("B", 3, 1, 2) } },
    { "matmul", "the same tensor twice", BARE(gram), .inputs = { INPUT("x", 2, 3, 4) } },
    { "matmul", "large", CALL(matmul, false, false),
      .inputs = { INPUT("A", 19, 33, 47), INPUT("B", 19, 47, 51) }, .large = true },
    { "matmul", "large, A transposed", CALL(matmul, true, false),
      .inputs = { INPUT("A", 19, 47, 33), INPUT("B", 19, 47, 51) }, .large = true },
    { "matmul", "large, B transposed", CALL(matmul, false, true),
      .inputs = { INPUT("A", 19, 33, 47), INPUT("B", 19, 51, 47) }, .large = true },

    { "rotate", "one head", CALL(rotate, 1, 4), .inputs = { INPUT("x", 7, 4) } },
    { "rotate", "heads of odd width, other columns", CALL(rotate, 2, 3), .inputs = { INPUT("x", 3, 8) } },
    { "rotate", "width of one", CALL(rotate, 3, 1), .inputs = { INPUT("x", 2, 4) } },
    { "rotate", "large", CALL(rotate, 5, 16), .inputs = { INPUT("x", 701, 101) }, .large = true },

    { "slice", "first columns", CALL(slice, 0, 2), .inputs = { INPUT("x", 3, 5) } },
    { "slice", "middle columns", CALL(slice, 1, 3), .inputs = { INPUT("x", 2, 3, 5) } },
    { "slice", "last column of 1-D", CALL(slice, 4, 1), .inputs = { INPUT("x", 5) } },
    { "slice", "everything, 4-D", CALL(slice, 0, 3), .inputs = { INPUT("x", 2, 1, 2, 3) } },
    { "slice", "large", CALL(slice, 5, 67), .inputs = { INPUT("x", 701, 101) }, .large = true },

    { "softmax", "1-D", CALL(softmax, { false }, 0), .inputs = { INPUT("x", 5) } },
    { "softmax", "one key", CALL(softmax, { false }, 0), .inputs = { INPUT("x", 3, 1) } },
    { "softmax", "4-D", CALL(softmax, { false }, 0), .inputs = { INPUT("x", 2, 1, 3, 4) } },
    { "softmax", "causal", CALL(softmax, { .causal = true }, 0), .inputs = { INPUT("x", 2, 4, 4) } },
    { "softmax", "causal, fewer keys", CALL(softmax, { .causal = true }, 0), .inputs = { INPUT("x", 2, 4, 3) } },
    { "softmax", "bias", CALL(softmax, { .bias = op_case_bias, .bias_shape = { 4, { 1, 1, 3, 4 } } }, 0),
      .inputs = { INPUT("x", 2, 3, 4) } },
    { "softmax", "bias of a head", CALL(softmax, { .bias = op_case_bias, .bias_shape = { 4, { 1, 2, 3, 4 } } }, 1),
      .inputs = { INPUT("x", 2, 3, 4) } },
    { "softmax", "bias of every example, causal", CALL(softmax, { .causal = true, .bias = op_case_bias,
      .bias_shape = { 4, { 2, 1, 3, 4 } } }, 0), .inputs = { INPUT("x", 2, 3, 4) } },
    { "softmax", "bias larger than the scores", CALL(softmax, { .bias = op_case_bias, .bias_shape = { 4, { 2, 1, 3,
      4 } } }, 0), .inputs = { INPUT("x", 2, 2, 3) } },
    { "softmax", "large", CALL(softmax, { .causal = true }, 0), .inputs = { INPUT("x", 17, 41, 43) }, .large = true },

    { "layer_norm", "2-D", BARE(layer_norm), .inputs = { INPUT("x", 3, 5), INPUT("gamma", 5), INPUT("beta", 5) } },
    { "layer_norm", "no beta", BARE(layer_norm), .inputs = { INPUT("x", 3, 5), INPUT("gamma", 5) } },
    { "layer_norm", "1-D", BARE(layer_norm), .inputs = { INPUT("x", 7), INPUT("gamma", 7), INPUT("beta", 7) } },
    { "layer_norm", "one feature", BARE(layer_norm),
      .inputs = { INPUT("x", 3, 1), INPUT("gamma", 1), INPUT("beta", 1) } },
    { "layer_norm", "4-D", BARE(layer_norm),
      .inputs = { INPUT("x", 2, 1, 3, 4), INPUT("gamma", 4), INPUT("beta", 4) } },
    { "layer_norm", "more rows than one block", BARE(layer_norm),
      .inputs = { INPUT("x", 131, 5), INPUT("gamma", 5), INPUT("beta", 5) } },
    { "layer_norm", "large", BARE(layer_norm),
      .inputs = { INPUT("x", 33, 41, 37), INPUT("gamma", 37), INPUT("beta", 37) }, .large = true },

    { "rms_norm", "2-D", BARE(rms_norm), .inputs = { INPUT("x", 3, 5), INPUT("gamma", 5) } },
    { "rms_norm", "1-D", BARE(rms_norm), .inputs = { INPUT("x", 7), INPUT("gamma", 7) } },
    { "rms_norm", "one feature", BARE(rms_norm), .inputs = { INPUT("x", 3, 1), INPUT("gamma", 1) } },
    { "rms_norm", "more rows than one block", BARE(rms_norm), .inputs = { INPUT("x", 131, 5), INPUT("gamma", 5) } },
    { "rms_norm", "large", BARE(rms_norm), .inputs = { INPUT("x", 33, 41, 37), INPUT("gamma", 37) }, .large = true },

    { "dropout", "a tenth", CALL(dropout, 0.1f), .inputs = { INPUT("x", 4, 3, 5) } },
    { "dropout", "a half, 1-D", CALL(dropout, 0.5f), .inputs = { INPUT("x", 19) } },
    { "dropout", "nearly all", CALL(dropout, 0.95f), .inputs = { INPUT("x", 5, 7) } },
    { "dropout", "a scalar", CALL(dropout, 0.25f), .inputs = { SCALAR("x") } },
    { "dropout", "of gathered rows", CALL(dropout_rows, 0.5f, op_case_ids, 0), .inputs = { INPUT("x", 6, 7) } },
    { "dropout", "of gathered rows, counted from elsewhere", CALL(dropout_rows, 0.25f, op_case_types, -3),
      .inputs = { INPUT("x", 3, 2, 5) } },
    { "dropout", "large", CALL(dropout, 0.3f), .inputs = { INPUT("x", 61, 37, 23) }, .large = true },

    { "embedding", "ids, one twice", CALL(embedding, op_case_ids, 4, 1, NULL), .inputs = { INPUT("W", 7, 3) } },
    { "embedding", "scaled", CALL(embedding, op_case_ids, 6, -2.5f, NULL), .inputs = { INPUT("W", 7, 5) } },
    { "embedding", "positions", CALL(embedding, op_case_ids, 6, 3, NULL),
      .inputs = { INPUT("W", 7, 5), INPUT("P", 4, 5) } },
    { "embedding", "types", CALL(embedding, op_case_ids, 6, 3, op_case_types),
      .inputs = { INPUT("W", 7, 5), INPUT("P", 4, 5), INPUT("S", 2, 5) } },
    { "embedding", "one type", CALL(embedding, op_case_ids, 6, 1, NULL),
      .inputs = { INPUT("W", 7, 3), INPUT("P", 4, 3), INPUT("S", 2, 3) } },
    { "embedding", "one id", CALL(embedding, op_case_ids, 1, 2, NULL),
      .inputs = { INPUT("W", 7, 3), INPUT("P", 4, 3) } },
    { "embedding", "one token", CALL(embedding, op_case_zeros, 3, 1, NULL), .inputs = { INPUT("W", 1, 1) } },
    { "embedding", "large", CALL(embedding, NULL, 2257, 2, NULL),
      .inputs = { INPUT("W", 53, 35), INPUT("P", 61, 35) }, .large = true },

    { "gather_rows", "some, one twice", CALL(gather_rows, op_case_ids, 0, { 1, { 4 } }),
      .inputs = { INPUT("x", 7, 3) } },
    { "gather_rows", "of a slice", CALL(gather_rows, op_case_ids, -2, { 1, { 6 } }), .inputs = { INPUT("x", 9, 2) } },
    { "gather_rows", "2-D rows of a 3-D tensor", CALL(gather_rows, op_case_ids, 0, { 2, { 3, 2 } }),
      .inputs = { INPUT("x", 2, 4, 5) } },
    { "gather_rows", "one number", CALL(gather_rows, op_case_zeros, 0, { 1, { 1 } }), .inputs = { INPUT("x", 1, 1) } },
    { "gather_rows", "large", CALL(gather_rows, NULL, 0, { 1, { 1501 } }),
      .inputs = { INPUT("x", 901, 67) }, .large = true },

    { "mean_rows", "ragged", CALL(mean_rows, op_case_offsets_6, NULL, 3, false), .inputs = { INPUT("x", 6, 3) } },
    { "mean_rows", "of some, one twice", CALL(mean_rows, op_case_offsets_9, op_case_rows_9, 3, false),
      .inputs = { INPUT("x", 9, 3) } },
    { "mean_rows", "last rows", CALL(mean_rows, op_case_offsets_9, op_case_rows_9, 3, true),
      .inputs = { INPUT("x", 9, 3) } },
    { "mean_rows", "one number", CALL(mean_rows, op_case_offsets_1, NULL, 1, false), .inputs = { INPUT("x", 1, 1) } },
    { "mean_rows", "large", CALL(mean_rows, op_case_offsets_178, NULL, 6, false),
      .inputs = { INPUT("x", 178, 401) }, .large = true },
    { "mean_rows", "large, last rows", CALL(mean_rows, op_case_offsets_178, NULL, 6, true),
      .inputs = { INPUT("x", 178, 401) }, .large = true },

    { "cross_entropy", "2-D", CALL(cross_entropy, op_case_ids, 0, 0), .inputs = { INPUT("logits", 5, 7) } },
    { "cross_entropy", "smoothing", CALL(cross_entropy, op_case_ids, 0, 0.1f), .inputs = { INPUT("logits", 5, 7) } },
    { "cross_entropy", "targets that are no class", CALL(cross_entropy, op_case_some_ids, 0, 0.1f),
      .inputs = { INPUT("logits", 5, 7) } },
    { "cross_entropy", "3-D, divisor, smoothing", CALL(cross_entropy, op_case_ids, 20, 0.3f),
      .inputs = { INPUT("logits", 2, 3, 7) } },
    { "cross_entropy", "one class", CALL(cross_entropy, op_case_zeros, 0, 0.1f), .inputs = { INPUT("logits", 3, 1) } },
    { "cross_entropy", "1-D", CALL(cross_entropy, op_case_ids, 0, 0.1f), .inputs = { INPUT("logits", 7) } },
    { "cross_entropy", "large", CALL(cross_entropy, NULL, 0, 0.1f),
      .inputs = { INPUT("logits", 31, 37, 43) }, .large = true },

    { "attention", "one head", CALL(attention, 1, 1, 3, 3, .B = 2, .sources = SEPARATE),
      .inputs = { INPUT("q", 8, 3), INPUT("k", 8, 3), INPUT("v", 8, 3) } },
    { "attention", "sizes of one", CALL(attention, 1, 1, 1, 1, .B = 1, .sources = SEPARATE),
      .inputs = { INPUT("q", 1, 1), INPUT("k", 1, 1), INPUT("v", 1, 1) } },
    { "attention", "heads, Dv != Dk, Tq != Tk", CALL(attention, 2, 2, 3, 2, .B = 2, .sources = SEPARATE),
      .inputs = { INPUT("q", 6, 6), INPUT("k", 10, 6), INPUT("v", 10, 4) } },
    { "attention", "causal", CALL(attention, 2, 2, 2, 3, .B = 2, .mask = { .causal = true }),
      .inputs = { INPUT("q", 8, 4), INPUT("k", 8, 4), INPUT("v", 8, 6) } },
    { "attention", "causal, more keys than queries", CALL(attention, 1, 1, 2, 2, .B = 1, .mask = { .causal = true }),
      .inputs = { INPUT("q", 2, 2), INPUT("k", 4, 2), INPUT("v", 4, 2) } },
    { "attention", "bias of all, a row forbidden", CALL(attention, 2, 2, 2, 2, .B = 2, .mask = { .bias = op_case_bias,
      .bias_shape = { 4, { 1, 1, 3, 4 } } }), .inputs = { INPUT("q", 6, 4), INPUT("k", 8, 4), INPUT("v", 8, 4) } },
    { "attention", "bias of heads", CALL(attention, 2, 2, 2, 2, .B = 2, .mask = { .bias = op_case_bias,
      .bias_shape = { 4, { 1, 2, 3, 4 } } }), .inputs = { INPUT("q", 6, 4), INPUT("k", 8, 4), INPUT("v", 8, 4) } },
    { "attention", "grouped heads", CALL(attention, 4, 2, 2, 3, .B = 2, .sources = SEPARATE),
      .inputs = { INPUT("q", 6, 8), INPUT("k", 6, 4), INPUT("v", 6, 6) } },
    { "attention", "dropout", CALL(attention, 2, 2, 2, 2, .B = 2, .dropout = 0.3f),
      .inputs = { INPUT("q", 10, 4), INPUT("k", 10, 4), INPUT("v", 10, 4) } },
    { "attention", "gate", CALL(attention, 2, 2, 2, 3, .B = 3, .gate = true),
      .inputs = { INPUT("q", 9, 4), INPUT("k", 9, 4), INPUT("v", 9, 6), INPUT("gate", 3, 2) } },
    { "attention", "weights given", CALL(attention, 2, 2, 2, 2, .B = 2, .replace = op_case_replace),
      .inputs = { INPUT("q", 6, 4), INPUT("k", 8, 4), INPUT("v", 8, 4) } },
    { "attention", "fused projection", CALL(attention, 2, 2, 3, 2, .B = 2, .sources = FUSED),
      .inputs = { INPUT("qkv", 6, 16) } },
    { "attention", "fused projection, grouped, gate, causal", CALL(attention, 4, 2, 2, 1, .B = 2, .sources = FUSED,
      .mask = { .causal = true }, .gate = true), .inputs = { INPUT("qkv", 6, 14), INPUT("gate", 2, 4) } },
    { "attention", "q, k and v are one", CALL(attention, 2, 2, 2, 2, .B = 2, .sources = ONE_TENSOR),
      .inputs = { INPUT("x", 6, 4) } },
    { "attention", "k and v side by side, columns of nobody", CALL(attention, 2, 2, 2, 1, .B = 2, .sources = SHARED_KV),
      .inputs = { INPUT("q", 6, 6), INPUT("kv", 8, 9) } },
    { "attention", "more queries than a block", CALL(attention, 2, 2, 1, 1, .B = 1, .sources = SEPARATE),
      .inputs = { INPUT("q", 67, 2), INPUT("k", 67, 2), INPUT("v", 67, 2) } },
    { "attention", "more queries than two blocks, few keys", CALL(attention, 1, 1, 2, 1, .B = 1, .sources = SEPARATE),
      .inputs = { INPUT("q", 130, 2), INPUT("k", 3, 2), INPUT("v", 3, 1) } },
    { "attention", "keys in three panels", CALL(attention, 1, 1, 2, 1, .B = 1, .sources = SEPARATE),
      .inputs = { INPUT("q", 3, 2), INPUT("k", 150, 2), INPUT("v", 150, 1) } },
    { "attention", "recomputed, causal, a vector more in the last panel", CALL(attention, 1, 1, 1, 1, .B = 1,
      .sources = SEPARATE, .mask = { .causal = true }, .recompute = true),
      .inputs = { INPUT("q", 139, 1), INPUT("k", 139, 1), INPUT("v", 139, 1) } },
    { "attention", "q, k and v are one and of different widths, large", CALL(attention, 8, 4, 4, 4, .B = 16,
      .sources = ONE_TENSOR), .inputs = { INPUT("x", 1024, 32) }, .large = true },
    { "attention", "large", CALL(attention, 3, 3, 8, 7, .B = 9, .mask = { .causal = true }),
      .inputs = { INPUT("q", 279, 24), INPUT("k", 279, 24), INPUT("v", 279, 21) }, .large = true },
    { "attention", "ragged", CALL(attention, 2, 2, 2, 2, .queries = op_case_offsets_6, .keys = op_case_offsets_9),
      .inputs = { INPUT("q", 6, 4), INPUT("k", 9, 4), INPUT("v", 9, 4) } },
    { "attention", "ragged, causal, dropout, gate", CALL(attention, 2, 2, 2, 2, .queries = op_case_offsets_6,
      .keys = op_case_offsets_9, .mask = { .causal = true }, .dropout = 0.25f, .gate = true),
      .inputs = { INPUT("q", 6, 4), INPUT("k", 9, 4), INPUT("v", 9, 4), INPUT("gate", 3, 2) } },
    { "attention", "ragged, bias of examples and heads, causal", CALL(attention, 2, 2, 2, 2,
      .queries = op_case_offsets_5, .keys = op_case_offsets_7, .mask = { .causal = true, .bias = op_case_bias,
      .bias_shape = { 4, { 2, 2, 3, 4 } } }), .inputs = { INPUT("q", 5, 4), INPUT("k", 7, 4), INPUT("v", 7, 4) } },
    { "attention", "window", CALL(attention, 2, 2, 2, 2, .queries = op_case_offsets_6, .keys = op_case_offsets_9,
      .mask = { .window = 3 }), .inputs = { INPUT("q", 6, 4), INPUT("k", 9, 4), INPUT("v", 9, 4) } },
    { "attention", "window in blocks, causal, dropout", CALL(attention, 1, 1, 1, 1, .B = 1, .sources = SEPARATE,
      .mask = { .causal = true, .window = 3 }, .dropout = 0.25f),
      .inputs = { INPUT("q", 150, 1), INPUT("k", 150, 1), INPUT("v", 150, 1) } },
    { "attention", "window in blocks, recomputed, gate", CALL(attention, 1, 1, 1, 1, .B = 1, .sources = SEPARATE,
      .mask = { .window = 12 }, .recompute = true, .gate = true),
      .inputs = { INPUT("q", 179, 1), INPUT("k", 179, 1), INPUT("v", 179, 1), INPUT("gate", 1, 1) } },
    { "attention", "window, large", CALL(attention, 3, 3, 8, 7, .B = 2, .mask = { .window = 40 }),
      .inputs = { INPUT("q", 600, 24), INPUT("k", 600, 24), INPUT("v", 600, 21) }, .large = true },
    { "attention", "ragged, one key head, dropout", CALL(attention, 3, 1, 2, 1, .queries = op_case_offsets_6,
      .keys = op_case_offsets_9, .dropout = 0.5f), .inputs = { INPUT("q", 6, 6), INPUT("k", 9, 2), INPUT("v", 9, 1) } },
    { "attention", "ragged, weights given, gate, dropout", CALL(attention, 2, 1, 2, 2, .queries = op_case_offsets_5,
      .keys = op_case_offsets_7, .dropout = 0.3f, .gate = true, .replace = op_case_replace),
      .inputs = { INPUT("q", 5, 4), INPUT("k", 7, 2), INPUT("v", 7, 2), INPUT("gate", 2, 2) } },
    { "attention", "lengths 1, 15, 16, 17, 64, 65", CALL(attention, 2, 2, 1, 2, .queries = op_case_offsets_178,
      .keys = op_case_offsets_178, .sources = FUSED), .inputs = { INPUT("qkv", 178, 8) } },
    { "attention", "lengths 1 .. 65, causal, grouped, dropout, gate", CALL(attention, 2, 1, 1, 1,
      .queries = op_case_offsets_178, .keys = op_case_offsets_178, .sources = FUSED, .mask = { .causal = true },
      .dropout = 0.2f, .gate = true), .inputs = { INPUT("qkv", 178, 4), INPUT("gate", 6, 2) } },
    { "attention", "lengths 1 .. 65, q, k and v are one", CALL(attention, 2, 1, 2, 2, .queries = op_case_offsets_178,
      .keys = op_case_offsets_178, .sources = ONE_TENSOR, .dropout = 0.1f), .inputs = { INPUT("x", 178, 4) } },
    { "attention", "other keys than queries, up to 70 of 17", CALL(attention, 2, 1, 1, 2, .queries = op_case_offsets_20,
      .keys = op_case_offsets_90, .dropout = 0.2f),
      .inputs = { INPUT("q", 20, 2), INPUT("k", 90, 1), INPUT("v", 90, 2) } },
    { "attention", "recomputed, causal, grouped", CALL(attention, 4, 2, 2, 3, .B = 2, .mask = { .causal = true },
      .recompute = true), .inputs = { INPUT("q", 8, 8), INPUT("k", 8, 4), INPUT("v", 8, 6) } },
    { "attention", "recomputed, weights given, bias of all, a row forbidden", CALL(attention, 2, 2, 2, 2, .B = 2,
      .mask = { .bias = op_case_bias, .bias_shape = { 4, { 1, 1, 3, 4 } } }, .replace = op_case_replace,
      .recompute = true), .inputs = { INPUT("q", 6, 4), INPUT("k", 8, 4), INPUT("v", 8, 4) } },
    { "attention", "recomputed, lengths 1 .. 65, causal, grouped, dropout, gate", CALL(attention, 2, 1, 1, 1,
      .queries = op_case_offsets_178, .keys = op_case_offsets_178, .sources = FUSED, .mask = { .causal = true },
      .dropout = 0.2f, .gate = true, .recompute = true), .inputs = { INPUT("qkv", 178, 4), INPUT("gate", 6, 2) } },
    { "attention", "recomputed, other keys than queries, up to 70 of 17", CALL(attention, 2, 1, 1, 2,
      .queries = op_case_offsets_20, .keys = op_case_offsets_90, .dropout = 0.2f, .recompute = true),
      .inputs = { INPUT("q", 20, 2), INPUT("k", 90, 1), INPUT("v", 90, 2) } },
    { "attention", "large, everything", CALL(attention, 6, 3, 5, 7, .queries = op_case_offsets_178,
      .keys = op_case_offsets_178, .sources = FUSED, .mask = { .causal = true }, .dropout = 0.2f, .gate = true),
      .inputs = { INPUT("qkv", 178, 66), INPUT("gate", 6, 6) }, .large = true },
};
/* clang-format on */
const int op_case_count = sizeof op_cases / sizeof *op_cases;

int op_case_inputs(const op_case *c)
{
    int n = 0;
    while (n < OP_CASE_MAX_INPUTS && c->inputs[n].name != NULL) {
        n++;
    }
    return n;
}

const char *op_case_name(const op_case *c, char text[OP_CASE_NAME])
{
    snprintf(text, OP_CASE_NAME, "%s, %s", c->op, c->variant);
    return text;
}

/* In [-1, 1), a multiple of 2^-23. */
static double uniform(hl_random random, int64_t i)
{
    return (double)(hl_random_word(random, (uint64_t)i) >> 8) * 0x1p-23 - 1;
}

hl_real op_case_dy(int64_t i)
{
    return (hl_real)uniform((hl_random){ .seed = 2, .stream = 1 }, i);
}

void op_case_fill(const op_case *c, int i, hl_real *values)
{
    char use[OP_CASE_NAME + 32], name[OP_CASE_NAME];
    snprintf(use, sizeof use, "%s, %s", op_case_name(c, name), c->inputs[i].name);
    hl_random random = { .seed = 1, .stream = hl_random_stream(use) };
    int64_t count = hl_shape_count(c->inputs[i].shape);
    for (int64_t k = 0; k < count; k++) {
        double x = uniform(random, k);
        if (c->kink && x > -0.0078125 && x < 0.0078125) {
            x = x < 0 ? -0.0078125 : 0.0078125;
        }
        values[k] = (hl_real)x;
    }
}

hl_tape_options op_case_options(int threads, bool gradients, bool dry)
{
    return (hl_tape_options){
        .threads = threads,
        .training = true,
        .gradients = gradients,
        .memory = { .dry = dry },
        .seed = 5,
        .step = 9,
    };
}

const op_case *op_case_find(const char *op, const char *variant)
{
    for (int i = 0; i < op_case_count; i++) {
        if (strcmp(op_cases[i].op, op) == 0 && strcmp(op_cases[i].variant, variant) == 0) {
            return &op_cases[i];
        }
    }
    return NULL;
}
