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
#define WITH(type, ...) \
    &(const type)       \
    {                   \
        __VA_ARGS__     \
    }

/* clang-format off */
#define ONE(builder) op_call_one, &(op_of_one *const){ builder }
#define FAR(builder) op_call_far, &(op_of_one *const){ builder }
#define TWO(builder) op_call_two, &(op_of_two *const){ builder }
#define TWICE(builder) op_call_twice, &(op_of_two *const){ builder }

const op_case op_cases[] = {
    { "add", "same shape", TWO(hl_add), false, false, { INPUT("x", 3, 5), INPUT("b", 3, 5) } },
    { "add", "bias over 1-D", TWO(hl_add), false, false, { INPUT("x", 7), INPUT("b", 7) } },
    { "add", "bias over 3-D", TWO(hl_add), false, false, { INPUT("x", 2, 3, 5), INPUT("b", 5) } },
    { "add", "positions", TWO(hl_add), false, false, { INPUT("x", 3, 4, 3), INPUT("b", 4, 3) } },
    { "add", "bias over 4-D", TWO(hl_add), false, false, { INPUT("x", 2, 1, 3, 2), INPUT("b", 3, 2) } },
    { "add", "one number", TWO(hl_add), false, false, { INPUT("x", 1, 1), INPUT("b", 1) } },
    { "add", "a scalar everywhere", TWO(hl_add), false, false, { INPUT("x", 3, 3), SCALAR("b") } },
    { "add", "two scalars", TWO(hl_add), false, false, { SCALAR("x"), SCALAR("b") } },
    { "add", "more rows than one block", TWO(hl_add), false, false, { INPUT("x", 131, 3), INPUT("b", 3) } },
    { "add", "the same tensor twice", TWICE(hl_add), false, false, { INPUT("x", 3, 4) } },
    { "add", "large, same shape", TWO(hl_add), true, false, { INPUT("x", 61, 37, 23), INPUT("b", 61, 37, 23) } },
    { "add", "large, bias", TWO(hl_add), true, false, { INPUT("x", 1301, 41), INPUT("b", 41) } },
    { "add", "large, positions", TWO(hl_add), true, false, { INPUT("x", 67, 29, 31), INPUT("b", 29, 31) } },

    { "multiply", "2-D", TWO(hl_multiply), false, false, { INPUT("a", 3, 5), INPUT("b", 3, 5) } },
    { "multiply", "4-D", TWO(hl_multiply), false, false, { INPUT("a", 2, 1, 3, 2), INPUT("b", 2, 1, 3, 2) } },
    { "multiply", "scalars", TWO(hl_multiply), false, false, { SCALAR("a"), SCALAR("b") } },
    { "multiply", "the same tensor twice", TWICE(hl_multiply), false, false, { INPUT("x", 7) } },
    { "multiply", "large", TWO(hl_multiply), true, false, { INPUT("a", 211, 307), INPUT("b", 211, 307) } },

    { "scale", "up", op_call_scale, WITH(hl_real, 3), false, false, { INPUT("x", 3, 5) } },
    { "scale", "negative, 1-D of one", op_call_scale, WITH(hl_real, -0.25), false, false, { INPUT("x", 1) } },
    { "scale", "by zero", op_call_scale, WITH(hl_real, 0), false, false, { INPUT("x", 2, 2, 2) } },
    { "scale", "large", op_call_scale, WITH(hl_real, 1.7f), true, false, { INPUT("x", 211, 307) } },

    { "relu", "2-D", ONE(hl_relu), false, true, { INPUT("x", 5, 7) } },
    { "relu", "4-D", ONE(hl_relu), false, true, { INPUT("x", 2, 3, 1, 3) } },
    { "relu", "one number", ONE(hl_relu), false, true, { INPUT("x", 1) } },
    { "relu", "large", ONE(hl_relu), true, true, { INPUT("x", 211, 307) } },

    { "gelu", "2-D", FAR(hl_gelu), false, false, { INPUT("x", 5, 7) } },
    { "gelu", "one number", FAR(hl_gelu), false, false, { INPUT("x", 1, 1, 1) } },
    { "gelu", "near 0", ONE(hl_gelu), false, false, { INPUT("x", 3, 19) } },
    { "gelu", "large", FAR(hl_gelu), true, false, { INPUT("x", 211, 307) } },

    { "gelu_tanh", "2-D", FAR(hl_gelu_tanh), false, false, { INPUT("x", 5, 7) } },
    { "gelu_tanh", "one number", FAR(hl_gelu_tanh), false, false, { INPUT("x", 1, 1, 1) } },
    { "gelu_tanh", "near 0", ONE(hl_gelu_tanh), false, false, { INPUT("x", 3, 19) } },
    { "gelu_tanh", "large", FAR(hl_gelu_tanh), true, false, { INPUT("x", 211, 307) } },

    { "quick_gelu", "2-D", FAR(hl_quick_gelu), false, false, { INPUT("x", 5, 7) } },
    { "quick_gelu", "one number", FAR(hl_quick_gelu), false, false, { INPUT("x", 1, 1, 1) } },
    { "quick_gelu", "near 0", ONE(hl_quick_gelu), false, false, { INPUT("x", 3, 19) } },
    { "quick_gelu", "large", FAR(hl_quick_gelu), true, false, { INPUT("x", 211, 307) } },

    { "silu", "2-D", FAR(hl_silu), false, false, { INPUT("x", 5, 7) } },
    { "silu", "one number", FAR(hl_silu), false, false, { INPUT("x", 1, 1, 1) } },
    { "silu", "near 0", ONE(hl_silu), false, false, { INPUT("x", 3, 19) } },
    { "silu", "large", FAR(hl_silu), true, false, { INPUT("x", 211, 307) } },

    { "tanh", "2-D", FAR(hl_tanh), false, false, { INPUT("x", 5, 7) } },
    { "tanh", "one number", FAR(hl_tanh), false, false, { INPUT("x", 1, 1, 1) } },
    { "tanh", "near 0", ONE(hl_tanh), false, false, { INPUT("x", 3, 19) } },
    { "tanh", "large", FAR(hl_tanh), true, false, { INPUT("x", 211, 307) } },

    { "sum", "3-D", ONE(hl_sum), false, false, { INPUT("x", 2, 3, 5) } },
    { "sum", "one number", ONE(hl_sum), false, false, { INPUT("x", 1) } },
    { "sum", "a scalar", ONE(hl_sum), false, false, { SCALAR("x") } },
    { "sum", "mean", ONE(hl_mean), false, false, { INPUT("x", 3, 7) } },
    { "sum", "large mean", ONE(hl_mean), true, false, { INPUT("x", 211, 307) } },

    { "linear", "2-D", op_call_linear, NULL, false, false, { INPUT("x", 5, 3), INPUT("W", 4, 3), INPUT("b", 4) } },
    { "linear", "no bias", op_call_linear, NULL, false, false, { INPUT("x", 5, 3), INPUT("W", 4, 3) } },
    { "linear", "1-D", op_call_linear, NULL, false, false, { INPUT("x", 3), INPUT("W", 2, 3), INPUT("b", 2) } },
    { "linear", "3-D", op_call_linear, NULL, false, false, { INPUT("x", 2, 3, 5), INPUT("W", 7, 5), INPUT("b", 7) } },
    { "linear", "4-D", op_call_linear, NULL, false, false,
      { INPUT("x", 2, 1, 3, 2), INPUT("W", 3, 2), INPUT("b", 3) } },
    { "linear", "sizes of one", op_call_linear, NULL, false, false,
      { INPUT("x", 1, 1), INPUT("W", 1, 1), INPUT("b", 1) } },
    { "linear", "x is W", op_call_linear_twice, NULL, false, false, { INPUT("x", 4, 3) } },
    { "linear", "dW in blocks of rows", op_call_linear, NULL, false, false,
      { INPUT("x", 517, 2), INPUT("W", 3, 2), INPUT("b", 3) } },
    { "linear", "large, dW by rows of x", op_call_linear, NULL, true, false,
      { INPUT("x", 37, 21, 65), INPUT("W", 97, 65), INPUT("b", 97) } },
    { "linear", "large, dW by its own rows", op_call_linear, NULL, true, false,
      { INPUT("x", 611, 130), INPUT("W", 161, 130), INPUT("b", 161) } },
    { "linear", "more rows than a block, an odd remainder", op_call_linear, NULL, false, false,
      { INPUT("x", 7, 31, 5), INPUT("W", 3, 5), INPUT("b", 3) } },
    { "linear", "large, more groups than one", op_call_linear, NULL, true, false,
      { INPUT("x", 1161, 37), INPUT("W", 29, 37), INPUT("b", 29) } },
    { "linear", "large, dW by tiles", op_call_linear, NULL, true, false,
      { INPUT("x", 203, 331), INPUT("W", 211, 331), INPUT("b", 211) } },
    { "linear", "large, too many weights for generated kernels", op_call_linear, NULL, true, false,
      { INPUT("x", 150, 401), INPUT("W", 700, 401) } },
    { "linear", "again by the same weights", op_call_linear_again, NULL, false, false,
      { INPUT("x", 2, 3, 5), INPUT("W", 5, 5), INPUT("b", 5) } },
    { "linear", "large, again by the same weights, dW in parts", op_call_linear_again, NULL, true, false,
      { INPUT("x", 331, 125), INPUT("W", 125, 125), INPUT("b", 125) } },
    { "linear", "large, again by the same weights, dW by tiles", op_call_linear_again, NULL, true, false,
      { INPUT("x", 131, 307), INPUT("W", 307, 307), INPUT("b", 307) } },
    { "linear", "large, again by the same weights, not generated", op_call_linear_again, NULL, true, false,
      { INPUT("x", 131, 523), INPUT("W", 523, 523), INPUT("b", 523) } },
    { "linear", "then relu", op_call_linear_fused, WITH(linear_row, .relu = true, .bias = true), false, false,
      { INPUT("x", 5, 3), INPUT("W", 4, 3), INPUT("b", 4) } },
    { "linear", "then dropout", op_call_linear_fused, WITH(linear_row, .bias = true, .dropout = 0.3f), false, false,
      { INPUT("x", 2, 5, 3), INPUT("W", 7, 3), INPUT("b", 7) } },
    { "linear", "then a residual", op_call_linear_fused, WITH(linear_row, .residual = true), false, false,
      { INPUT("x", 2, 5, 3), INPUT("W", 7, 3), INPUT("r", 2, 5, 7) } },
    { "linear", "then relu, dropout and a residual", op_call_linear_fused,
      WITH(linear_row, .relu = true, .bias = true, .residual = true, .dropout = 0.5f), false, false,
      { INPUT("x", 3, 23, 2), INPUT("W", 5, 2), INPUT("b", 5), INPUT("r", 3, 23, 5) } },
    { "linear", "large, then relu and dropout, groups", op_call_linear_fused,
      WITH(linear_row, .relu = true, .bias = true, .dropout = 0.1f), true, false,
      { INPUT("x", 13, 99, 33), INPUT("W", 65, 33), INPUT("b", 65) } },
    { "linear", "large, then relu, dropout and a residual, tiles", op_call_linear_fused,
      WITH(linear_row, .relu = true, .bias = true, .residual = true, .dropout = 0.1f), true, false,
      { INPUT("x", 3, 67, 301), INPUT("W", 243, 301), INPUT("b", 243), INPUT("r", 3, 67, 243) } },
    { "linear", "large, then dropout and a residual, not generated", op_call_linear_fused,
      WITH(linear_row, .bias = true, .residual = true, .dropout = 0.1f), true, false,
      { INPUT("x", 3, 67, 640), INPUT("W", 411, 640), INPUT("b", 411), INPUT("r", 3, 67, 411) } },
    { "linear", "large, no bias", op_call_linear, NULL, true, false, { INPUT("x", 611, 131), INPUT("W", 145, 131) } },

    { "matmul", "2-D", op_call_matmul, WITH(matmul_row, false, false), false, false,
      { INPUT("A", 3, 4), INPUT("B", 4, 5) } },
    { "matmul", "A transposed", op_call_matmul, WITH(matmul_row, true, false), false, false,
      { INPUT("A", 2, 4, 3), INPUT("B", 2, 4, 5) } },
    { "matmul", "B transposed", op_call_matmul, WITH(matmul_row, false, true), false, false,
      { INPUT("A", 2, 3, 4), INPUT("B", 2, 5, 4) } },
    { "matmul", "both transposed", op_call_matmul, WITH(matmul_row, true, true), false, false,
      { INPUT("A", 2, 2, 4, 3), INPUT("B", 2, 2, 5, 4) } },
    { "matmul", "sizes of one", op_call_matmul, WITH(matmul_row, false, false), false, false,
      { INPUT("A", 3, 1, 1), INPUT("B", 3, 1, 1) } },
    { "matmul", "outer products", op_call_matmul, WITH(matmul_row, false, false), false, false,
      { INPUT("A", 3, 4, 1), INPUT("B", 3, 1, 2) } },
    { "matmul", "the same tensor twice", op_call_gram, NULL, false, false, { INPUT("x", 2, 3, 4) } },
    { "matmul", "large", op_call_matmul, WITH(matmul_row, false, false), true, false,
      { INPUT("A", 19, 33, 47), INPUT("B", 19, 47, 51) } },
    { "matmul", "large, A transposed", op_call_matmul, WITH(matmul_row, true, false), true, false,
      { INPUT("A", 19, 47, 33), INPUT("B", 19, 47, 51) } },
    { "matmul", "large, B transposed", op_call_matmul, WITH(matmul_row, false, true), true, false,
      { INPUT("A", 19, 33, 47), INPUT("B", 19, 51, 47) } },

    { "rotate", "one head", op_call_rotate, WITH(rotate_row, 1, 4), false, false, { INPUT("x", 7, 4) } },
    { "rotate", "heads of odd width, other columns", op_call_rotate, WITH(rotate_row, 2, 3), false, false,
      { INPUT("x", 3, 8) } },
    { "rotate", "width of one", op_call_rotate, WITH(rotate_row, 3, 1), false, false, { INPUT("x", 2, 4) } },
    { "rotate", "large", op_call_rotate, WITH(rotate_row, 5, 16), true, false, { INPUT("x", 701, 101) } },

    { "slice", "first columns", op_call_slice, WITH(slice_row, 0, 2), false, false, { INPUT("x", 3, 5) } },
    { "slice", "middle columns", op_call_slice, WITH(slice_row, 1, 3), false, false, { INPUT("x", 2, 3, 5) } },
    { "slice", "last column of 1-D", op_call_slice, WITH(slice_row, 4, 1), false, false, { INPUT("x", 5) } },
    { "slice", "everything, 4-D", op_call_slice, WITH(slice_row, 0, 3), false, false, { INPUT("x", 2, 1, 2, 3) } },
    { "slice", "large", op_call_slice, WITH(slice_row, 5, 67), true, false, { INPUT("x", 701, 101) } },

    { "softmax", "1-D", op_call_softmax, WITH(softmax_row, { false }, 0), false, false, { INPUT("x", 5) } },
    { "softmax", "one key", op_call_softmax, WITH(softmax_row, { false }, 0), false, false, { INPUT("x", 3, 1) } },
    { "softmax", "4-D", op_call_softmax, WITH(softmax_row, { false }, 0), false, false, { INPUT("x", 2, 1, 3, 4) } },
    { "softmax", "causal", op_call_softmax, WITH(softmax_row, { .causal = true }, 0), false, false,
      { INPUT("x", 2, 4, 4) } },
    { "softmax", "causal, fewer keys", op_call_softmax, WITH(softmax_row, { .causal = true }, 0), false, false,
      { INPUT("x", 2, 4, 3) } },
    { "softmax", "bias", op_call_softmax,
      WITH(softmax_row, { .bias = op_case_bias, .bias_shape = { 4, { 1, 1, 3, 4 } } }, 0), false, false,
      { INPUT("x", 2, 3, 4) } },
    { "softmax", "bias of a head", op_call_softmax,
      WITH(softmax_row, { .bias = op_case_bias, .bias_shape = { 4, { 1, 2, 3, 4 } } }, 1), false, false,
      { INPUT("x", 2, 3, 4) } },
    { "softmax", "bias of every example, causal", op_call_softmax,
      WITH(softmax_row, { .causal = true, .bias = op_case_bias, .bias_shape = { 4, { 2, 1, 3, 4 } } }, 0),
      false, false, { INPUT("x", 2, 3, 4) } },
    { "softmax", "bias larger than the scores", op_call_softmax,
      WITH(softmax_row, { .bias = op_case_bias, .bias_shape = { 4, { 2, 1, 3, 4 } } }, 0), false, false,
      { INPUT("x", 2, 2, 3) } },
    { "softmax", "large", op_call_softmax, WITH(softmax_row, { .causal = true }, 0), true, false,
      { INPUT("x", 17, 41, 43) } },

    { "layer_norm", "2-D", op_call_layer_norm, NULL, false, false,
      { INPUT("x", 3, 5), INPUT("gamma", 5), INPUT("beta", 5) } },
    { "layer_norm", "no beta", op_call_layer_norm, NULL, false, false, { INPUT("x", 3, 5), INPUT("gamma", 5) } },
    { "layer_norm", "1-D", op_call_layer_norm, NULL, false, false,
      { INPUT("x", 7), INPUT("gamma", 7), INPUT("beta", 7) } },
    { "layer_norm", "one feature", op_call_layer_norm, NULL, false, false,
      { INPUT("x", 3, 1), INPUT("gamma", 1), INPUT("beta", 1) } },
    { "layer_norm", "4-D", op_call_layer_norm, NULL, false, false,
      { INPUT("x", 2, 1, 3, 4), INPUT("gamma", 4), INPUT("beta", 4) } },
    { "layer_norm", "more rows than one block", op_call_layer_norm, NULL, false, false,
      { INPUT("x", 131, 5), INPUT("gamma", 5), INPUT("beta", 5) } },
    { "layer_norm", "large", op_call_layer_norm, NULL, true, false,
      { INPUT("x", 33, 41, 37), INPUT("gamma", 37), INPUT("beta", 37) } },

    { "rms_norm", "2-D", op_call_rms_norm, NULL, false, false, { INPUT("x", 3, 5), INPUT("gamma", 5) } },
    { "rms_norm", "1-D", op_call_rms_norm, NULL, false, false, { INPUT("x", 7), INPUT("gamma", 7) } },
    { "rms_norm", "one feature", op_call_rms_norm, NULL, false, false, { INPUT("x", 3, 1), INPUT("gamma", 1) } },
    { "rms_norm", "more rows than one block", op_call_rms_norm, NULL, false, false,
      { INPUT("x", 131, 5), INPUT("gamma", 5) } },
    { "rms_norm", "large", op_call_rms_norm, NULL, true, false, { INPUT("x", 33, 41, 37), INPUT("gamma", 37) } },

    { "dropout", "a tenth", op_call_dropout, WITH(hl_real, 0.1f), false, false, { INPUT("x", 4, 3, 5) } },
    { "dropout", "a half, 1-D", op_call_dropout, WITH(hl_real, 0.5f), false, false, { INPUT("x", 19) } },
    { "dropout", "nearly all", op_call_dropout, WITH(hl_real, 0.95f), false, false, { INPUT("x", 5, 7) } },
    { "dropout", "a scalar", op_call_dropout, WITH(hl_real, 0.25f), false, false, { SCALAR("x") } },
    { "dropout", "of gathered rows", op_call_dropout_rows, WITH(dropout_row, 0.5f, op_case_ids, 0), false, false,
      { INPUT("x", 6, 7) } },
    { "dropout", "of gathered rows, counted from elsewhere", op_call_dropout_rows,
      WITH(dropout_row, 0.25f, op_case_types, -3), false, false, { INPUT("x", 3, 2, 5) } },
    { "dropout", "large", op_call_dropout, WITH(hl_real, 0.3f), true, false, { INPUT("x", 61, 37, 23) } },

    { "embedding", "ids, one twice", op_call_embedding, WITH(embedding_row, op_case_ids, 4, 1, NULL), false, false,
      { INPUT("W", 7, 3) } },
    { "embedding", "scaled", op_call_embedding, WITH(embedding_row, op_case_ids, 6, -2.5f, NULL), false, false,
      { INPUT("W", 7, 5) } },
    { "embedding", "positions", op_call_embedding, WITH(embedding_row, op_case_ids, 6, 3, NULL), false, false,
      { INPUT("W", 7, 5), INPUT("P", 4, 5) } },
    { "embedding", "types", op_call_embedding, WITH(embedding_row, op_case_ids, 6, 3, op_case_types), false, false,
      { INPUT("W", 7, 5), INPUT("P", 4, 5), INPUT("S", 2, 5) } },
    { "embedding", "one type", op_call_embedding, WITH(embedding_row, op_case_ids, 6, 1, NULL), false, false,
      { INPUT("W", 7, 3), INPUT("P", 4, 3), INPUT("S", 2, 3) } },
    { "embedding", "one id", op_call_embedding, WITH(embedding_row, op_case_ids, 1, 2, NULL), false, false,
      { INPUT("W", 7, 3), INPUT("P", 4, 3) } },
    { "embedding", "one token", op_call_embedding, WITH(embedding_row, op_case_zeros, 3, 1, NULL), false, false,
      { INPUT("W", 1, 1) } },
    { "embedding", "large", op_call_embedding, WITH(embedding_row, NULL, 2257, 2, NULL), true, false,
      { INPUT("W", 53, 35), INPUT("P", 61, 35) } },

    { "gather_rows", "some, one twice", op_call_gather_rows,
      WITH(gather_row, op_case_ids, 0, { 1, { 4 } }), false, false, { INPUT("x", 7, 3) } },
    { "gather_rows", "of a slice", op_call_gather_rows,
      WITH(gather_row, op_case_ids, -2, { 1, { 6 } }), false, false, { INPUT("x", 9, 2) } },
    { "gather_rows", "2-D rows of a 3-D tensor", op_call_gather_rows,
      WITH(gather_row, op_case_ids, 0, { 2, { 3, 2 } }), false, false, { INPUT("x", 2, 4, 5) } },
    { "gather_rows", "one number", op_call_gather_rows,
      WITH(gather_row, op_case_zeros, 0, { 1, { 1 } }), false, false, { INPUT("x", 1, 1) } },
    { "gather_rows", "large", op_call_gather_rows,
      WITH(gather_row, NULL, 0, { 1, { 1501 } }), true, false, { INPUT("x", 901, 67) } },

    { "mean_rows", "ragged", op_call_mean_rows, WITH(mean_row, op_case_offsets_6, NULL, 3, false), false, false,
      { INPUT("x", 6, 3) } },
    { "mean_rows", "of some, one twice", op_call_mean_rows,
      WITH(mean_row, op_case_offsets_9, op_case_rows_9, 3, false), false, false, { INPUT("x", 9, 3) } },
    { "mean_rows", "last rows", op_call_mean_rows, WITH(mean_row, op_case_offsets_9, op_case_rows_9, 3, true), false,
      false, { INPUT("x", 9, 3) } },
    { "mean_rows", "one number", op_call_mean_rows, WITH(mean_row, op_case_offsets_1, NULL, 1, false), false, false,
      { INPUT("x", 1, 1) } },
    { "mean_rows", "large", op_call_mean_rows, WITH(mean_row, op_case_offsets_178, NULL, 6, false), true, false,
      { INPUT("x", 178, 401) } },
    { "mean_rows", "large, last rows", op_call_mean_rows, WITH(mean_row, op_case_offsets_178, NULL, 6, true), true,
      false, { INPUT("x", 178, 401) } },

    { "cross_entropy", "2-D", op_call_cross_entropy, WITH(cross_entropy_row, op_case_ids, 0, 0), false, false,
      { INPUT("logits", 5, 7) } },
    { "cross_entropy", "smoothing", op_call_cross_entropy, WITH(cross_entropy_row, op_case_ids, 0, 0.1f), false, false,
      { INPUT("logits", 5, 7) } },
    { "cross_entropy", "targets that are no class", op_call_cross_entropy,
      WITH(cross_entropy_row, op_case_some_ids, 0, 0.1f), false, false, { INPUT("logits", 5, 7) } },
    { "cross_entropy", "3-D, divisor, smoothing", op_call_cross_entropy,
      WITH(cross_entropy_row, op_case_ids, 20, 0.3f), false, false, { INPUT("logits", 2, 3, 7) } },
    { "cross_entropy", "one class", op_call_cross_entropy,
      WITH(cross_entropy_row, op_case_zeros, 0, 0.1f), false, false,
      { INPUT("logits", 3, 1) } },
    { "cross_entropy", "1-D", op_call_cross_entropy, WITH(cross_entropy_row, op_case_ids, 0, 0.1f), false, false,
      { INPUT("logits", 7) } },
    { "cross_entropy", "large", op_call_cross_entropy, WITH(cross_entropy_row, NULL, 0, 0.1f), true, false,
      { INPUT("logits", 31, 37, 43) } },

    { "attention", "one head", op_call_attention, WITH(attention_row, 1, 1, 3, 3, .B = 2, .sources = SEPARATE), false, false,
      { INPUT("q", 8, 3), INPUT("k", 8, 3), INPUT("v", 8, 3) } },
    { "attention", "sizes of one", op_call_attention,
      WITH(attention_row, 1, 1, 1, 1, .B = 1, .sources = SEPARATE), false, false,
      { INPUT("q", 1, 1), INPUT("k", 1, 1), INPUT("v", 1, 1) } },
    { "attention", "heads, Dv != Dk, Tq != Tk", op_call_attention,
      WITH(attention_row, 2, 2, 3, 2, .B = 2, .sources = SEPARATE), false, false,
      { INPUT("q", 6, 6), INPUT("k", 10, 6), INPUT("v", 10, 4) } },
    { "attention", "causal", op_call_attention,
      WITH(attention_row, 2, 2, 2, 3, .B = 2, .mask = { .causal = true }), false, false,
      { INPUT("q", 8, 4), INPUT("k", 8, 4), INPUT("v", 8, 6) } },
    { "attention", "causal, more keys than queries", op_call_attention,
      WITH(attention_row, 1, 1, 2, 2, .B = 1, .mask = { .causal = true }), false, false,
      { INPUT("q", 2, 2), INPUT("k", 4, 2), INPUT("v", 4, 2) } },
    { "attention", "bias of all, a row forbidden", op_call_attention,
      WITH(attention_row, 2, 2, 2, 2, .B = 2, .mask = { .bias = op_case_bias,
      .bias_shape = { 4, { 1, 1, 3, 4 } } }), false, false,
      { INPUT("q", 6, 4), INPUT("k", 8, 4), INPUT("v", 8, 4) } },
    { "attention", "bias of heads", op_call_attention,
      WITH(attention_row, 2, 2, 2, 2, .B = 2, .mask = { .bias = op_case_bias,
      .bias_shape = { 4, { 1, 2, 3, 4 } } }), false, false,
      { INPUT("q", 6, 4), INPUT("k", 8, 4), INPUT("v", 8, 4) } },
    { "attention", "grouped heads", op_call_attention,
      WITH(attention_row, 4, 2, 2, 3, .B = 2, .sources = SEPARATE), false, false,
      { INPUT("q", 6, 8), INPUT("k", 6, 4), INPUT("v", 6, 6) } },
    { "attention", "dropout", op_call_attention, WITH(attention_row, 2, 2, 2, 2, .B = 2, .dropout = 0.3f), false, false,
      { INPUT("q", 10, 4), INPUT("k", 10, 4), INPUT("v", 10, 4) } },
    { "attention", "gate", op_call_attention, WITH(attention_row, 2, 2, 2, 3, .B = 3, .gate = true), false, false,
      { INPUT("q", 9, 4), INPUT("k", 9, 4), INPUT("v", 9, 6), INPUT("gate", 3, 2) } },
    { "attention", "weights given", op_call_attention,
      WITH(attention_row, 2, 2, 2, 2, .B = 2, .replace = op_case_replace), false,
      false, { INPUT("q", 6, 4), INPUT("k", 8, 4), INPUT("v", 8, 4) } },
    { "attention", "fused projection", op_call_attention,
      WITH(attention_row, 2, 2, 3, 2, .B = 2, .sources = FUSED), false, false,
      { INPUT("qkv", 6, 16) } },
    { "attention", "fused projection, grouped, gate, causal", op_call_attention,
      WITH(attention_row, 4, 2, 2, 1, .B = 2, .sources = FUSED, .mask = { .causal = true }, .gate = true), false, false,
      { INPUT("qkv", 6, 14), INPUT("gate", 2, 4) } },
    { "attention", "q, k and v are one", op_call_attention,
      WITH(attention_row, 2, 2, 2, 2, .B = 2, .sources = ONE_TENSOR), false,
      false, { INPUT("x", 6, 4) } },
    { "attention", "k and v side by side, columns of nobody", op_call_attention,
      WITH(attention_row, 2, 2, 2, 1, .B = 2, .sources = SHARED_KV), false, false,
      { INPUT("q", 6, 6), INPUT("kv", 8, 9) } },
    { "attention", "more queries than a block", op_call_attention, WITH(attention_row, 2, 2, 1, 1, .B = 1, .sources = SEPARATE), false, false,
      { INPUT("q", 67, 2), INPUT("k", 67, 2), INPUT("v", 67, 2) } },
    { "attention", "more queries than two blocks, few keys", op_call_attention, WITH(attention_row, 1, 1, 2, 1, .B = 1, .sources = SEPARATE),
      false, false, { INPUT("q", 130, 2), INPUT("k", 3, 2), INPUT("v", 3, 1) } },
    { "attention", "keys in three panels", op_call_attention, WITH(attention_row, 1, 1, 2, 1, .B = 1, .sources = SEPARATE),
      false, false, { INPUT("q", 3, 2), INPUT("k", 150, 2), INPUT("v", 150, 1) } },
    { "attention", "recomputed, causal, a vector more in the last panel", op_call_attention,
      WITH(attention_row, 1, 1, 1, 1, .B = 1, .sources = SEPARATE, .mask = { .causal = true }, .recompute = true), false, false,
      { INPUT("q", 139, 1), INPUT("k", 139, 1), INPUT("v", 139, 1) } },
    { "attention", "q, k and v are one and of different widths, large", op_call_attention,
      WITH(attention_row, 8, 4, 4, 4, .B = 16, .sources = ONE_TENSOR), true, false, { INPUT("x", 1024, 32) } },
    { "attention", "large", op_call_attention, WITH(attention_row, 3, 3, 8, 7, .B = 9, .mask = { .causal = true }), true, false,
      { INPUT("q", 279, 24), INPUT("k", 279, 24), INPUT("v", 279, 21) } },
    { "attention", "ragged", op_call_attention,
      WITH(attention_row, 2, 2, 2, 2, .queries = op_case_offsets_6, .keys = op_case_offsets_9), false, false,
      { INPUT("q", 6, 4), INPUT("k", 9, 4), INPUT("v", 9, 4) } },
    { "attention", "ragged, causal, dropout, gate", op_call_attention,
      WITH(attention_row, 2, 2, 2, 2, .queries = op_case_offsets_6, .keys = op_case_offsets_9,
           .mask = { .causal = true }, .dropout = 0.25f, .gate = true),
      false, false, { INPUT("q", 6, 4), INPUT("k", 9, 4), INPUT("v", 9, 4), INPUT("gate", 3, 2) } },
    { "attention", "ragged, bias of examples and heads, causal", op_call_attention,
      WITH(attention_row, 2, 2, 2, 2, .queries = op_case_offsets_5, .keys = op_case_offsets_7,
           .mask = { .causal = true, .bias = op_case_bias, .bias_shape = { 4, { 2, 2, 3, 4 } } }),
      false, false, { INPUT("q", 5, 4), INPUT("k", 7, 4), INPUT("v", 7, 4) } },
    { "attention", "window", op_call_attention,
      WITH(attention_row, 2, 2, 2, 2, .queries = op_case_offsets_6, .keys = op_case_offsets_9, .mask = { .window = 3 }), false, false,
      { INPUT("q", 6, 4), INPUT("k", 9, 4), INPUT("v", 9, 4) } },
    { "attention", "window in blocks, causal, dropout", op_call_attention,
      WITH(attention_row, 1, 1, 1, 1, .B = 1, .sources = SEPARATE, .mask = { .causal = true, .window = 3 }, .dropout = 0.25f), false, false,
      { INPUT("q", 150, 1), INPUT("k", 150, 1), INPUT("v", 150, 1) } },
    { "attention", "window in blocks, recomputed, gate", op_call_attention,
      WITH(attention_row, 1, 1, 1, 1, .B = 1, .sources = SEPARATE, .mask = { .window = 12 }, .recompute = true, .gate = true), false, false,
      { INPUT("q", 179, 1), INPUT("k", 179, 1), INPUT("v", 179, 1), INPUT("gate", 1, 1) } },
    { "attention", "window, large", op_call_attention, WITH(attention_row, 3, 3, 8, 7, .B = 2, .mask = { .window = 40 }), true, false,
      { INPUT("q", 600, 24), INPUT("k", 600, 24), INPUT("v", 600, 21) } },
    { "attention", "ragged, one key head, dropout", op_call_attention,
      WITH(attention_row, 3, 1, 2, 1, .queries = op_case_offsets_6, .keys = op_case_offsets_9, .dropout = 0.5f), false,
      false, { INPUT("q", 6, 6), INPUT("k", 9, 2), INPUT("v", 9, 1) } },
    { "attention", "ragged, weights given, gate, dropout", op_call_attention,
      WITH(attention_row, 2, 1, 2, 2, .queries = op_case_offsets_5, .keys = op_case_offsets_7, .dropout = 0.3f,
           .gate = true, .replace = op_case_replace),
      false, false, { INPUT("q", 5, 4), INPUT("k", 7, 2), INPUT("v", 7, 2), INPUT("gate", 2, 2) } },
    { "attention", "lengths 1, 15, 16, 17, 64, 65", op_call_attention,
      WITH(attention_row, 2, 2, 1, 2, .queries = op_case_offsets_178, .keys = op_case_offsets_178, .sources = FUSED),
      false, false, { INPUT("qkv", 178, 8) } },
    { "attention", "lengths 1 .. 65, causal, grouped, dropout, gate", op_call_attention,
      WITH(attention_row, 2, 1, 1, 1, .queries = op_case_offsets_178, .keys = op_case_offsets_178, .sources = FUSED,
           .mask = { .causal = true }, .dropout = 0.2f, .gate = true),
      false, false, { INPUT("qkv", 178, 4), INPUT("gate", 6, 2) } },
    { "attention", "lengths 1 .. 65, q, k and v are one", op_call_attention,
      WITH(attention_row, 2, 1, 2, 2, .queries = op_case_offsets_178, .keys = op_case_offsets_178,
           .sources = ONE_TENSOR, .dropout = 0.1f),
      false, false, { INPUT("x", 178, 4) } },
    { "attention", "other keys than queries, up to 70 of 17", op_call_attention,
      WITH(attention_row, 2, 1, 1, 2, .queries = op_case_offsets_20, .keys = op_case_offsets_90, .dropout = 0.2f), false,
      false, { INPUT("q", 20, 2), INPUT("k", 90, 1), INPUT("v", 90, 2) } },
    { "attention", "recomputed, causal, grouped", op_call_attention,
      WITH(attention_row, 4, 2, 2, 3, .B = 2, .mask = { .causal = true }, .recompute = true), false, false,
      { INPUT("q", 8, 8), INPUT("k", 8, 4), INPUT("v", 8, 6) } },
    { "attention", "recomputed, weights given, bias of all, a row forbidden", op_call_attention,
      WITH(attention_row, 2, 2, 2, 2, .B = 2, .mask = { .bias = op_case_bias, .bias_shape = { 4, { 1, 1, 3, 4 } } },
           .replace = op_case_replace, .recompute = true),
      false, false, { INPUT("q", 6, 4), INPUT("k", 8, 4), INPUT("v", 8, 4) } },
    { "attention", "recomputed, lengths 1 .. 65, causal, grouped, dropout, gate", op_call_attention,
      WITH(attention_row, 2, 1, 1, 1, .queries = op_case_offsets_178, .keys = op_case_offsets_178, .sources = FUSED,
           .mask = { .causal = true }, .dropout = 0.2f, .gate = true, .recompute = true),
      false, false, { INPUT("qkv", 178, 4), INPUT("gate", 6, 2) } },
    { "attention", "recomputed, other keys than queries, up to 70 of 17", op_call_attention,
      WITH(attention_row, 2, 1, 1, 2, .queries = op_case_offsets_20, .keys = op_case_offsets_90, .dropout = 0.2f,
           .recompute = true),
      false, false, { INPUT("q", 20, 2), INPUT("k", 90, 1), INPUT("v", 90, 2) } },
    { "attention", "large, everything", op_call_attention,
      WITH(attention_row, 6, 3, 5, 7, .queries = op_case_offsets_178, .keys = op_case_offsets_178, .sources = FUSED,
           .mask = { .causal = true }, .dropout = 0.2f, .gate = true),
      true, false, { INPUT("qkv", 178, 66), INPUT("gate", 6, 6) } },
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
