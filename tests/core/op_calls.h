/* How the cases of op_cases.c call their ops: those whose builders take tensors alone by their builders, each other one
 * by a function with a struct of what the call takes beside its inputs. */
#pragma once

#include "core/tape.h"

typedef hl_real scale_row, dropout_row; /* the factor, the probability */

typedef struct slice_row {
    int64_t first, width;
} slice_row;

typedef struct rotate_row {
    int64_t n_heads, width; /* the rows' positions go round in the table */
} rotate_row;

typedef struct matmul_row {
    bool transpose_A, transpose_B;
} matmul_row;

typedef struct embedding_row {
    const int32_t *ids; /* NULL: op_case_many of the table's height */
    int64_t n;
    hl_real scale;        /* a second input is the table of positions, which go round in it */
    const int32_t *types; /* of a third input; NULL: all are 0 */
} embedding_row;

typedef struct gather_rows_row {
    const int32_t *rows; /* NULL: op_case_many of x's height */
    int32_t base;
    hl_shape shape;
} gather_rows_row;

typedef struct dropout_rows_row {
    hl_real p;
    const int32_t *rows;
    int32_t base;
} dropout_rows_row;

typedef struct mean_rows_row {
    const int32_t *offsets, *rows; /* rows NULL: the offsets, for every sequence */
    int64_t n;                     /* of rows */
    bool last;
} mean_rows_row;

typedef struct cross_entropy_row {
    const int32_t *targets; /* NULL: op_case_many of V */
    int64_t n;
    hl_real smoothing;
} cross_entropy_row;

typedef struct mask_row {
    bool causal;
    int64_t window;
    const hl_real *bias;
    hl_shape bias_shape;
} mask_row;

typedef struct linear_fused_row {
    bool relu, bias, residual; /* inputs: x, W, then b and r where they are there */
    hl_real dropout;
} linear_fused_row;

typedef struct softmax_row {
    mask_row mask;
    int64_t head;
} softmax_row;

/* Where q, k and v come from: three inputs; side by side in one projection; one tensor with the same columns for all
 * three; k and v side by side, with unused columns in front. */
typedef enum sources { SEPARATE, FUSED, ONE_TENSOR, SHARED_KV } sources;

typedef struct attention_row {
    int64_t H, Hkv, Dk, Dv;
    int64_t B;                     /* so many sequences of one length; or, where it is 0, */
    const int32_t *queries, *keys; /* these: offsets that end with the number of rows */
    sources sources;
    mask_row mask;
    hl_real dropout;
    bool gate; /* the last input */
    const hl_real *const *replace;
    bool recompute;
} attention_row;

/* attributes: the builder */
typedef hl_tensor *op_of_one(hl_tape *tape, hl_tensor *x);
typedef hl_tensor *op_of_two(hl_tape *tape, hl_tensor *a, hl_tensor *b);
hl_tensor *op_call_one(hl_tape *tape, hl_tensor *const *in, const void *builder);
hl_tensor *op_call_two(hl_tape *tape, hl_tensor *const *in, const void *builder);
/* The first input twice. */
hl_tensor *op_call_twice(hl_tape *tape, hl_tensor *const *in, const void *builder);

/* Of four times the input: also far out, where the slope is 0 or 1. */
hl_tensor *op_call_far(hl_tape *tape, hl_tensor *const *in, const void *builder);

/* Without attributes */
hl_tensor *op_call_linear(hl_tape *tape, hl_tensor *const *in, const void *attributes);
hl_tensor *op_call_linear_twice(hl_tape *tape, hl_tensor *const *in, const void *attributes);
hl_tensor *op_call_rms_norm(hl_tape *tape, hl_tensor *const *in, const void *attributes);
hl_tensor *op_call_layer_norm(hl_tape *tape, hl_tensor *const *in, const void *attributes);
hl_tensor *op_call_gram(hl_tape *tape, hl_tensor *const *in, const void *attributes);

/* attributes: a <name>_row */
hl_tensor *op_call_scale(hl_tape *tape, hl_tensor *const *in, const void *attributes);
hl_tensor *op_call_dropout(hl_tape *tape, hl_tensor *const *in, const void *attributes);
hl_tensor *op_call_rotate(hl_tape *tape, hl_tensor *const *in, const void *attributes);
hl_tensor *op_call_slice(hl_tape *tape, hl_tensor *const *in, const void *attributes);
hl_tensor *op_call_matmul(hl_tape *tape, hl_tensor *const *in, const void *attributes);
hl_tensor *op_call_embedding(hl_tape *tape, hl_tensor *const *in, const void *attributes);
hl_tensor *op_call_gather_rows(hl_tape *tape, hl_tensor *const *in, const void *attributes);
hl_tensor *op_call_cross_entropy(hl_tape *tape, hl_tensor *const *in, const void *attributes);
hl_tensor *op_call_dropout_rows(hl_tape *tape, hl_tensor *const *in, const void *attributes);
hl_tensor *op_call_mean_rows(hl_tape *tape, hl_tensor *const *in, const void *attributes);
/* W and b serve twice and h is its own map's residual: gradients of all three are added up. */
hl_tensor *op_call_linear_again(hl_tape *tape, hl_tensor *const *in, const void *attributes);
hl_tensor *op_call_linear_fused(hl_tape *tape, hl_tensor *const *in, const void *attributes);
hl_tensor *op_call_softmax(hl_tape *tape, hl_tensor *const *in, const void *attributes);
hl_tensor *op_call_attention(hl_tape *tape, hl_tensor *const *in, const void *attributes);
