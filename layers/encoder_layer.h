/* One encoder layer: self-attention and a feed-forward network, each with a residual and a layer norm; PyTorch's
 * nn.TransformerEncoderLayer.
 *   post (Vaswani et al. 2017):  x = norm1(x + drop(attention(x)));  x = norm2(x + drop(feed_forward(x)))
 *   pre (Xiong et al. 2020):     x = x + drop(attention(norm1(x)));  x = x + drop(feed_forward(norm2(x)))
 * An attention-only layer (Elhage et al. 2021) is the first half of this: it has no feed-forward network and no
 * norm2. A pre-norm layer may lack norm1, as the first one of ModernBERT does (Warner et al. 2024): its input is normed
 * already. */
#pragma once

#include "core/base/declarations.h"
#include "layers/feed_forward.h"
#include "layers/multi_head.h"
#include "layers/norm.h"

HL_BEGIN_DECLS

typedef enum hl_norm_place { HL_NORM_PRE, HL_NORM_POST } hl_norm_place;

typedef struct hl_encoder_layer_config {
    hl_multi_head_config attention;
    hl_feed_forward_config feed_forward;
    hl_norm_place norm;
    hl_norm_config norms;
    bool lacks_norm1;         /* norm = pre: attention reads x itself */
    hl_real dropout_residual; /* on each sublayer's output, before it is added */
} hl_encoder_layer_config;

typedef struct hl_encoder_layer {
    hl_name name;
    hl_norm_place norm;
    hl_multi_head self_attn;
    hl_feed_forward_kind kind;
    hl_feed_forward feed_forward; /* like norm2 and dropout2, empty if the kind is HL_FEED_FORWARD_NONE */
    hl_norm_layer norm1, norm2;   /* norm1: empty if the layer lacks it */
    hl_dropout_layer dropout1, dropout2;
} hl_encoder_layer;

/* Registers <name>.self_attn.*, linear1.*, linear2.*, norm1.*, norm2.*; an attention-only layer has no linear1, linear2
 * and norm2. Errors stay on the registry, also for an unknown activation, norm or kind of feed-forward network, and for
 * a post-norm layer that lacks norm1. */
hl_encoder_layer hl_encoder_layer_make(hl_parameters *parameters, hl_name name, const hl_encoder_layer_config *config);

/* Returns y (N, D) for x (N, D). `probe` may be NULL. */
hl_tensor *hl_encoder_layer_forward(hl_tape *tape, const hl_encoder_layer *layer, hl_tensor *x,
                                    const hl_attention_rules *rules, const hl_head_probe *probe);

/* The two halves of the layer. _heads: z (N, H * Dv) for x (N, D), the heads' concatenation before dropout and W_O.
 * _from_heads: y (N, D) for x and z, where each row of y depends only on the same row of x and z. */
hl_tensor *hl_encoder_layer_heads(hl_tape *tape, const hl_encoder_layer *layer, hl_tensor *x,
                                  const hl_attention_rules *rules, const hl_head_probe *probe);
hl_tensor *hl_encoder_layer_from_heads(hl_tape *tape, const hl_encoder_layer *layer, hl_tensor *x, hl_tensor *z);

HL_END_DECLS
