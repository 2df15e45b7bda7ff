/* What every head computes on a few examples, so that a reader can follow the numbers from the residual stream x to the
 * answer:
 *   A = softmax(q k^T / sqrt(Dk)),  z = A v,  y = concat(z) W_O^T + b_O,  x + y, norms and feed-forward, ...
 * What a head adds to the centred logit of the right answer is then z . u (heads/writes.h). */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/examples.h"
#include "layers/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Arrays over tokens are zero past the lengths. All but `lengths` are NULL if the pass is not whole. */
typedef struct hl_head_pass_layer {
    int64_t n_heads, n_kv_heads, d_k, d_v;
    float *lengths; /* (E, T, H): |v_j W_O| of each head, the length of what it can write from key j */
    float *x;       /* (E, T, D): the residual stream before the layer */
    float *q;       /* (E, T, H * Dk) */
    float *k;       /* (E, T, Hkv * Dk) */
    float *v;       /* (E, T, Hkv * Dv) */
    float *u;       /* (E, T, H * Dv): the gradient of the answer's centred logit with respect to z, with the scales of
                       all norms fixed; zeros where nothing is asked */
    float *w_o;     /* (D, H * Dv) */
    float *b_o;     /* (D), zeros if there is no bias */
    float *gain;    /* (D): the weight of norm1 */
    float *shift;   /* (D): the bias of norm1, zeros if there is none */
    double epsilon; /* of norm1 */
    bool rms;       /* whether norm1 is an RMS norm */
    bool has_norm1; /* false: attention reads x itself */
    int64_t window; /* core/kernels/mask.h; 0: none */
} hl_head_pass_layer;

/* Owned by the caller, who frees it with hl_head_pass_free. A zeroed struct is empty. */
typedef struct hl_head_pass {
    bool whole;
    bool exact; /* whether the terms of all writers sum to the logit (heads/writes.h) */
    bool post;  /* whether norms follow the residual sums; false: they precede the sublayers */
    int n_layers;
    int64_t n_examples, n_tokens, d_model; /* E, T, D */
    hl_head_pass_layer *layers;
    float *hidden; /* (E, T, D): the last hidden states, after the last norm; NULL if the pass is not whole */
    float *logits; /* (E, T): the centred logit of the right answer; NAN if nothing is asked; NULL if the pass is not
                       whole, or if the model has no output layer */
    void *memory;  /* the block of all arrays of numbers */
} hl_head_pass;

/* Runs the model without dropout on the first n_examples of the batch: at least one, and at most as many as it has.
 * With a mean or last row (config.pooling), an example's logit stands at the position of its target. HL_INVALID (T is
 * too long for the model, the model is not allocated, no example), HL_NO_MEMORY; the pass is then empty. */
hl_status hl_head_pass_run(const hl_model *model, const hl_examples *batch, int64_t n_examples, bool whole, int threads,
                           hl_head_pass *pass);

/* The bytes of the numbers of such a pass. The model need not be allocated. */
size_t hl_head_pass_bytes(const hl_model *model, int64_t n_examples, int64_t n_tokens, bool whole);

/* What hl_head_pass_run needs in addition while it runs, apart from the model's own pass over all examples at once.
 * SIZE_MAX if the value does not fit. HL_NO_MEMORY. */
hl_status hl_head_pass_working_bytes(const hl_model *model, int64_t n_examples, int64_t n_tokens, bool whole,
                                     size_t *bytes);

void hl_head_pass_free(hl_head_pass *pass);

HL_END_DECLS
