/* The position-wise feed-forward network: y = W2 dropout(act(W1 x + b1)) + b2; Vaswani et al. 2017, section 3.3.
 * Gated, it is y = W2 dropout(act(W1 x + b1) * (W3 x + b3)) + b2; Shazeer 2020 (arXiv:2002.05202). With gelu that is
 * GEGLU, with silu SwiGLU; the numbers of the matrices are LLaMA's. */
#pragma once

#include "core/base/declarations.h"
#include "layers/dropout.h"
#include "layers/linear.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* clang-format off */
#define HL_ACTIVATIONS(ACTIVATION) /* the op hl_<name>; in configs: model.activation = <name> */ \
    ACTIVATION(HL_RELU, relu) \
    ACTIVATION(HL_GELU, gelu) \
    ACTIVATION(HL_GELU_TANH, gelu_tanh) \
    ACTIVATION(HL_QUICK_GELU, quick_gelu) \
    ACTIVATION(HL_SILU, silu)
/* clang-format on */

#define HL_ACTIVATION_CONSTANT(constant, name) constant,
typedef enum hl_activation { HL_ACTIVATIONS(HL_ACTIVATION_CONSTANT) } hl_activation;

/* Applies the activation's op. Returns y, shaped like x. */
hl_tensor *hl_activate(hl_tape *tape, hl_activation activation, hl_tensor *x);

/* Which feed-forward network an encoder layer has. Without one, the layer is attention alone. */
typedef enum hl_feed_forward_kind {
    HL_FEED_FORWARD_USUAL,
    HL_FEED_FORWARD_NONE,
    HL_FEED_FORWARD_GATED
} hl_feed_forward_kind;

typedef struct hl_feed_forward {
    hl_name name;
    hl_linear_layer linear1; /* (F, D) */
    hl_linear_layer linear2; /* (D, F) */
    hl_linear_layer linear3; /* (F, D), if it is gated */
    bool gated;
    hl_activation activation;
    hl_dropout_layer dropout;
} hl_feed_forward;

typedef struct hl_feed_forward_config {
    hl_feed_forward_kind kind; /* not HL_FEED_FORWARD_NONE, which leaves the network out */
    int64_t d_ff;              /* F */
    hl_activation activation;
    bool bias;
    hl_real dropout; /* after the activation, or after its product with the gate */
} hl_feed_forward_config;

/* Registers <prefix>.linear1.* and <prefix>.linear2.*, and <prefix>.linear3.* if it is gated. Errors stay on the
 * registry, including an unknown activation. */
hl_feed_forward hl_feed_forward_make(hl_parameters *parameters, hl_name prefix, int64_t d_model,
                                     const hl_feed_forward_config *config);

/* Returns y (N, D) for x (N, D), followed by `after` in the same pass. */
hl_tensor *hl_feed_forward_forward(hl_tape *tape, const hl_feed_forward *layer, hl_tensor *x, hl_linear_after after);

HL_END_DECLS
