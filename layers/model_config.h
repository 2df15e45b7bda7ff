/* What a model is made of: sizes, where norms stand, what follows the encoder. Fields that are 0 leave out what they
 * name, but where they say otherwise. */
#ifndef HL_LAYERS_MODEL_CONFIG_H
#define HL_LAYERS_MODEL_CONFIG_H

#include "core/base/declarations.h"
#include "layers/encoder_layer.h"
#include "layers/output.h"
#include "layers/positions.h"

HL_BEGIN_DECLS

enum { HL_MAX_LAYERS = 256 };

/* What the output layer reads: rows as they come, or of each example the mean or the last row; after the
 * encoder's last norm. */
typedef enum hl_pooling { HL_POOLING_ROWS, HL_POOLING_MEAN, HL_POOLING_LAST } hl_pooling;

typedef struct hl_model_config {
    int64_t vocabulary;      /* V, the rows of the embedding */
    int64_t targets;         /* C, how many ids a target may have; 0: V. Below V where the output layer shares the
                                embedding's matrix: it reads the first C rows, and no token has the others */
    int64_t token_types;     /* how many types of tokens have a vector of their own; 1: one for all tokens */
    int64_t max_length;      /* the longest T that positions are made for */
    int64_t embedding_size;  /* E, the width of embeddings; where it is not D, a linear layer follows them; 0: D */
    int64_t position_offset; /* learned positions: position t has row t + offset, as RoBERTa's, which begin at 2 */
    hl_pooling pooling;
    int n_layers; /* 1 .. HL_MAX_LAYERS */
    int64_t d_model, d_ff;
    int32_t heads[HL_MAX_LAYERS], kv_heads[HL_MAX_LAYERS]; /* of each layer */
    int32_t d_k[HL_MAX_LAYERS], d_v[HL_MAX_LAYERS];
    hl_activation activation; /* of feed-forward layers, and of HL_HEAD_TRANSFORM */
    hl_norm_place norm;
    hl_positions_kind positions;
    hl_output_head head;
    hl_pooler pooler;
    bool causal, bias;
    bool embedding_norm;     /* a layer norm of the sum of embeddings, before its dropout */
    bool tie_embedding;      /* the output layer has the embedding's matrix, */
    bool tied_bias;          /* and with this a bias, which it has not by `bias` alone; not for HL_HEAD_TRANSFORM */
    bool unscaled_embedding; /* embeddings are not multiplied by sqrt(E) */
    bool scale_residual;     /* initial values of out_proj and linear2 are divided by sqrt(2 L) (Radford et al. 2019) */
    bool recompute;      /* attention keeps no weights for backward, which makes them again (core/ops/attention.h) */
    bool bf16;           /* linear maps, the output layer's too, multiply in bf16 (core/kernels/bf16.h) */
    double initial_std;  /* of all matrices and embeddings, drawn as normal; 0: as each layer says */
    double norm_epsilon; /* of every layer norm; 0: 1e-5 */
    double dropout_attention, dropout_concat, dropout_residual, dropout_ffn, dropout_embedding;
    double dropout_pooler, dropout_output; /* of what pooler.dense reads, of what the output layer reads */
} hl_model_config;

/* Settings that exclude each other, in the library and in a config alike. hl_model_config_breaks has the conditions;
 * whoever refuses a setting does so in its own words. */
typedef enum hl_model_rule {
    HL_RULE_TIED_BIAS_UNTIED,       /* tied_bias without tie_embedding */
    HL_RULE_TIED_BIAS_TRANSFORM,    /* tied_bias, but HL_HEAD_TRANSFORM has a bias by `bias` */
    HL_RULE_OFFSET_UNLEARNED,       /* position_offset, but positions are not learned */
    HL_RULE_TIE_WIDTHS,             /* tie_embedding, but the output layer reads vectors of another width than E */
    HL_RULE_DROPOUT_WITHOUT_POOLER, /* dropout_pooler without pooler */
    HL_RULE_TIE_WITHOUT_OUTPUT,     /* with HL_HEAD_NONE: tie_embedding, */
    HL_RULE_POOLER_WITHOUT_OUTPUT,  /* pooler, */
    HL_RULE_DROPOUT_WITHOUT_OUTPUT, /* dropout_output */
} hl_model_rule;

bool hl_model_config_breaks(const hl_model_config *config, hl_model_rule rule);

/* Gives every layer the same number of heads, each with its own keys and values and d_k = d_v = d_model / heads.
 * d_model must be set. hl_model_init refuses impossible values. */
void hl_model_config_heads(hl_model_config *config, int32_t heads);

/* `config` with C in `targets` and E in `embedding_size`, checked: HL_INVALID for a size outside 1 .. 2^30, a dropout
 * outside [0, 1), heads that cannot share key/value heads, an unknown pooling, head or pooler, an output layer that
 * shares the embedding's matrix where C is above V or where it reads vectors of another width than E, a tied_bias where
 * nothing is shared or the head has one, an offset of positions that are not learned, a dropout before a pooler that is
 * not there, HL_HEAD_NONE with what belongs to an output layer, an impossible deviation or epsilon. */
hl_status hl_model_config_resolve(hl_model_config *config);

HL_END_DECLS

#endif
