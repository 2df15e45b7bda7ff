/* The inputs of every head on a few examples, from which a reader can compute the steps of attention number by number:
 *   A = softmax(q k^T / sqrt(Dk)),  z = A v,  y = concat(z) W_O^T + b */
#ifndef HL_HEADS_HEAD_PASS_H
#define HL_HEADS_HEAD_PASS_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/examples.h"
#include "layers/model.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_head_pass_layer {
    int64_t n_heads, n_kv_heads, d_k, d_v;
    float *q;   /* (E, T, H * Dk), zero past the lengths; so are the next two */
    float *k;   /* (E, T, Hkv * Dk) */
    float *v;   /* (E, T, Hkv * Dv) */
    float *w_o; /* (D, H * Dv) */
    float *b_o; /* (D), zeros if there is no bias */
} hl_head_pass_layer;

/* Owned by the caller, who frees it with hl_head_pass_free. A zeroed struct is empty. */
typedef struct hl_head_pass {
    int n_layers;
    int64_t n_examples, n_tokens, d_model; /* E, T, D */
    hl_head_pass_layer *layers;
    float *numbers; /* the memory block of all arrays of the layers */
    size_t bytes;   /* of `numbers` */
} hl_head_pass;

/* Runs the model without dropout on the first n_examples of the batch: at least one, and at most as many as it has.
 * HL_INVALID (T is too long for the model, the model is not allocated, no example), HL_NO_MEMORY; the pass is then
 * empty. */
hl_status hl_head_pass_run(const hl_model *model, const hl_examples *batch, int64_t n_examples, int threads,
                           hl_head_pass *pass);

/* The bytes of the numbers of such a pass. The model need not be allocated. */
size_t hl_head_pass_bytes(const hl_model *model, int64_t n_examples, int64_t n_tokens);

void hl_head_pass_free(hl_head_pass *pass);

HL_END_DECLS

#endif
