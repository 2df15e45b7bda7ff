/* What a model consists of: its sizes, where its norms are, and what follows the encoder. A field that is 0
 * leaves out what it names, unless its comment says otherwise. */
#pragma once

#include "core/base/declarations.h"
#include "layers/encoder_layer.h"
#include "layers/output.h"
#include "layers/positions.h"

HL_BEGIN_DECLS

enum { HL_MAX_LAYERS = 256 };

/* What the output layer reads: every row, or the mean or the last row of each example; always after the encoder's last
 * norm. */
typedef enum hl_pooling { HL_POOLING_ROWS, HL_POOLING_MEAN, HL_POOLING_LAST } hl_pooling;

/* Whether a part has biases. */
typedef enum hl_part_bias {
    HL_BIAS_AUTO, /* as `bias` says */
    HL_BIAS_TRUE,
    HL_BIAS_FALSE
} hl_part_bias;

typedef struct hl_model_config {
    int64_t vocabulary;      /* V, the rows of the embedding */
    int64_t targets;         /* C, how many ids a target may have; 0: V. May be below V if the output layer shares the
                                embedding's matrix: it then reads the first C rows, and no token has the others */
    int64_t token_types;     /* how many token types have their own vector; 1: one vector for all tokens */
    int64_t max_length;      /* the largest T that positions are made for */
    int64_t embedding_size;  /* E, the width of embeddings; if it is not D, a linear layer follows them; 0: D */
    int64_t position_offset; /* learned positions: position t has row t + offset; 2 in RoBERTa */
    hl_pooling pooling;
    int n_layers; /* 1 .. HL_MAX_LAYERS */
    int64_t d_model, d_ff;
    int32_t heads[HL_MAX_LAYERS], kv_heads[HL_MAX_LAYERS]; /* per layer */
    int32_t d_k[HL_MAX_LAYERS], d_v[HL_MAX_LAYERS];
    hl_feed_forward_kind feed_forward; /* of every layer */
    hl_activation activation;          /* in feed-forward layers and HL_HEAD_TRANSFORM */
    hl_norm_place norm;
    hl_norm_kind norm_kind; /* of all norms */
    hl_positions_kind positions;
    hl_output_head head;
    hl_pooler pooler;
    int64_t window; /* of the keys that a query sees (core/kernels/mask.h), in layers that are not global; 0: none */
    int64_t global_every;                    /* layers 0, n, 2n, ... are global: they have no window; 0: no layer */
    double rotary_theta, rotary_theta_local; /* the base of rotary positions, 0: HL_ROTARY_THETA; its value in layers
                                                with a window, 0: the same */
    bool causal, bias;
    hl_part_bias norm_bias, attention_bias, feed_forward_bias; /* of all norms; of Q, K, V and W_O; of the networks */
    hl_part_bias head_bias;                                    /* of the linear layer in HL_HEAD_TRANSFORM */
    bool lacks_first_norm;   /* the first layer has no norm before attention; only with HL_NORM_PRE */
    bool embedding_norm;     /* a norm on the sum of embeddings, before dropout */
    bool tie_embedding;      /* the output layer shares the embedding's matrix */
    bool tied_bias;          /* a bias for the tied output layer, which `bias` does not give it; not with
                                HL_HEAD_TRANSFORM */
    bool unscaled_embedding; /* embeddings are not multiplied by sqrt(E) */
    bool scale_residual;     /* divides initial values of out_proj and linear2 by the square root of how many times
                                the encoder adds to the residual stream, usually 2 L (Radford et al. 2019) */
    bool recompute;      /* attention does not keep A for backward, which computes it again (core/ops/attention.h) */
    bool bf16;           /* linear maps, including the output layer, multiply in bf16 (core/kernels/bf16.h) */
    double initial_std;  /* standard deviation of all matrices and embeddings, drawn as normal; 0: as in each layer's
                            header */
    double norm_epsilon; /* in every norm; 0 stands for 1e-5 */
    double dropout_attention, dropout_concat, dropout_residual, dropout_ffn, dropout_embedding;
    double dropout_pooler, dropout_output; /* before pooler.dense, before the output layer */
} hl_model_config;

/* Combinations of settings that are not allowed, in the library and in a config alike. hl_model_config_breaks tests the
 * conditions; each caller reports a broken rule in its own words. */
typedef enum hl_model_rule {
    HL_RULE_TIED_BIAS_UNTIED,       /* tied_bias without tie_embedding */
    HL_RULE_TIED_BIAS_TRANSFORM,    /* tied_bias, but HL_HEAD_TRANSFORM already has a bias through `bias` */
    HL_RULE_OFFSET_UNLEARNED,       /* position_offset, but positions are not learned */
    HL_RULE_TIE_WIDTHS,             /* tie_embedding, but the output layer reads vectors of a width other than E */
    HL_RULE_DROPOUT_WITHOUT_POOLER, /* dropout_pooler without pooler */
    HL_RULE_TIE_WITHOUT_OUTPUT,     /* tie_embedding with HL_HEAD_NONE */
    HL_RULE_POOLER_WITHOUT_OUTPUT,  /* pooler with HL_HEAD_NONE */
    HL_RULE_DROPOUT_WITHOUT_OUTPUT, /* dropout_output with HL_HEAD_NONE */
    HL_RULE_FIRST_NORM_POST,        /* lacks_first_norm with HL_NORM_POST */
} hl_model_rule;

bool hl_model_config_breaks(const hl_model_config *config, hl_model_rule rule);

/* Gives every layer the same number of heads, each with its own keys and values, and d_k = d_v = d_model / heads.
 * d_model must be set. hl_model_init refuses impossible values. */
void hl_model_config_heads(hl_model_config *config, int32_t heads);

/* The window of a layer; 0: none. */
int64_t hl_model_config_window(const hl_model_config *config, int layer);

/* What all norms of a resolved config have in common. */
hl_norm_config hl_model_config_norms(const hl_model_config *config);

/* Checks `config`, and fills in C as `targets`, E as `embedding_size`, and each part's bias. HL_INVALID: a size
 * outside 1 .. 2^30, a dropout outside [0, 1), heads that cannot share key/value heads, an unknown pooling, head
 * or pooler, an output layer that shares the embedding's matrix although C is above V or it reads vectors of a
 * width other than E, a tied_bias where nothing is shared or the head has its own, an offset for positions that
 * are not learned, a dropout before a missing pooler, HL_HEAD_NONE with a setting of the output layer, a first
 * layer without the norm that post-norm needs, an impossible deviation, epsilon, theta, window or number of layers
 * between global ones. */
hl_status hl_model_config_resolve(hl_model_config *config);

HL_END_DECLS
