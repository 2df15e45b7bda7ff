#include "core/op_list.h"

extern const hl_op hl_op_add;
extern const hl_op hl_op_attention;
extern const hl_op hl_op_cross_entropy;
extern const hl_op hl_op_dropout;
extern const hl_op hl_op_embedding;
extern const hl_op hl_op_gelu;
extern const hl_op hl_op_layer_norm;
extern const hl_op hl_op_linear;
extern const hl_op hl_op_matmul;
extern const hl_op hl_op_multiply;
extern const hl_op hl_op_relu;
extern const hl_op hl_op_scale;
extern const hl_op hl_op_slice;
extern const hl_op hl_op_softmax;
extern const hl_op hl_op_sum;

const hl_op *const hl_op_list[] = {
    &hl_op_add,  &hl_op_attention,  &hl_op_cross_entropy, &hl_op_dropout, &hl_op_embedding,
    &hl_op_gelu, &hl_op_layer_norm, &hl_op_linear,        &hl_op_matmul,  &hl_op_multiply,
    &hl_op_relu, &hl_op_scale,      &hl_op_slice,         &hl_op_softmax, &hl_op_sum,
};
const int hl_op_count = sizeof hl_op_list / sizeof *hl_op_list;
