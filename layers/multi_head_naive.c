#include "core/op_add.h"
#include "core/op_linear.h"
#include "core/op_matmul.h"
#include "core/op_scale.h"
#include "core/op_slice.h"
#include "core/op_softmax.h"
#include "layers/multi_head.h"

#include <tgmath.h>

/* z_h = softmax(q_h k_h^T / sqrt(Dk)) v_h */
static hl_tensor *head_output(hl_tape *tape, hl_multi_head_config c, hl_tensor *q, hl_tensor *k, hl_tensor *v,
                              hl_mask mask, int64_t h)
{
    int64_t kv = h / (c.n_heads / c.n_kv_heads);
    hl_tensor *q_h = hl_slice(tape, q, h * c.d_k, c.d_k);
    hl_tensor *k_h = hl_slice(tape, k, kv * c.d_k, c.d_k);
    hl_tensor *v_h = hl_slice(tape, v, kv * c.d_v, c.d_v);
    hl_tensor *scores = hl_scale(tape, hl_matmul(tape, q_h, k_h, false, true), 1 / sqrt((hl_real)c.d_k));
    return hl_matmul(tape, hl_softmax(tape, scores, mask, h), v_h, false, false);
}

hl_tensor *hl_multi_head_naive_forward(hl_tape *tape, const hl_multi_head *layer, hl_tensor *x, hl_tensor *memory,
                                       hl_mask mask)
{
    hl_multi_head_config c = layer->config;
    const char *before = hl_tape_scope(tape, layer->name.text);
    hl_tensor *q = hl_multi_head_project(tape, layer, x, 0);
    hl_tensor *k = hl_multi_head_project(tape, layer, memory, 1);
    hl_tensor *v = hl_multi_head_project(tape, layer, memory, 2);
    hl_tensor *y = NULL;
    for (int64_t h = 0; h < c.n_heads; h++) {
        /* Concat(z_1, ..., z_H) W_O is the sum of every head's z_h times its own columns of W_O. */
        hl_tensor *W_h = hl_slice(tape, layer->out_proj.weight, h * c.d_v, c.d_v);
        hl_tensor *y_h = hl_linear(tape, head_output(tape, c, q, k, v, mask, h), W_h, NULL);
        y = h == 0 ? y_h : hl_add(tape, y, y_h);
    }
    if (layer->out_proj.bias != NULL) {
        y = hl_add(tape, y, layer->out_proj.bias);
    }
    hl_tape_scope(tape, before);
    return y;
}
