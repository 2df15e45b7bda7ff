/* The kinds of open models: how their config.json spells sizes, and their weights' names. */
#pragma once

#include "layers/model.h"
#include "pretrained/pretrained.h"

#include <stdbool.h>

/* Which part of our parameter a tensor is. */
typedef enum hl_weight_part {
    HL_PART_ALL,
    HL_PART_Q, /* the first third of the rows, the second, the last */
    HL_PART_K,
    HL_PART_V,
    HL_PART_TRANSPOSED, /* all of it; a matrix is stored transposed */
    HL_PART_GATED,      /* linear1, and behind its rows those of linear3 */
} hl_weight_part;

/* Whether it is one of q, k and v. */
bool hl_weight_part_is_third(hl_weight_part part);

/* Our module and theirs: "weight" or "bias" follows on either side, and # stands for the number of a layer. */
typedef struct hl_weight_name {
    const char *ours, *theirs;
    hl_weight_part part;
} hl_weight_name;

/* For how many layers the name stands: the model's, or 1 for what is no layer's. */
int hl_weight_name_layers(const hl_weight_name *row, const hl_model *model);

/* The files that a kind's tokens come from if there is no tokenizer.json. */
typedef enum hl_kind_tokens {
    HL_KIND_VOCABULARY,    /* vocab.txt, WordPiece */
    HL_KIND_MERGES,        /* vocab.json and merges.txt, byte-level BPE */
    HL_KIND_SENTENCEPIECE, /* none that is read; files have a sentencepiece.bpe.model */
    HL_KIND_TOKENIZER,     /* none */
} hl_kind_tokens;

typedef struct hl_model_kind {
    const char *name;             /* model_type */
    const char *class_name;       /* what the names in `architectures` begin with */
    const char *prefix;           /* of weights' names, or none */
    const hl_model_config *shape; /* what all models of the kind have in common */

    /* the keys of config.json; NULL: it has no such key */
    const char *d_model, *n_layers, *n_heads, *d_ff, *max_length, *activation, *norm_epsilon;
    const char *dropout_embedding, *dropout_residual, *dropout_attention, *dropout_ffn, *dropout_tags, *dropout_classes;
    const char *norm_bias, *attention_bias, *feed_forward_bias, *head_bias; /* false if they are missing */
    const char *head_activation;                                            /* must be the activation */
    const char *pooling;                                                    /* of classes: "cls" or "mean" */
    const char *inverse_scale; /* whether scores of layer l are divided by l + 1 */

    hl_kind_tokens tokens;
    bool has_types;                /* type_vocab_size */
    bool has_embedding_size;       /* embedding_size */
    bool positions_follow_padding; /* the first row of the table that is used is pad_token_id + 1 */
    bool causal;                   /* and tied without head.*, weights of layers transposed: GPT-2 */
    bool head_of_all;              /* tags and classes have head.*, as masked models do */
    bool gelu_head;                /* the head has gelu, whatever the activation is */
    bool pooler_dropout;           /* dropout_classes precedes the pooler, too */
    hl_pooler pooler;              /* of classes */
    double norm_epsilon_otherwise, dropout_otherwise;
    double dropout_classes_otherwise; /* 0: dropout_residual */

    /* Each ends with an empty row; NULL: there is none. */
    const hl_weight_name *body, *pooler_rows;     /* pooler_rows: of the bare model */
    const hl_weight_name *words, *tags, *classes; /* the heads; words: of masked or of next tokens */
} hl_model_kind;

/* NULL if there is none of that name. */
const hl_model_kind *hl_model_kind_find(const char *name);

/* The names of a head's weights. */
const hl_weight_name *hl_model_kind_head(const hl_model_kind *kind, hl_pretrained_head head);

/* Whether that head's output layer has no bias: those of GPT-2 but for tags. */
bool hl_model_kind_lacks_bias(const hl_model_kind *kind, hl_pretrained_head head);

/* What stands behind class_name in `architectures` where the model has that head. */
extern const char *const hl_model_kind_endings[HL_PRETRAINED_HEADS];

enum { HL_WEIGHT_NAME = 256 /* bytes of a tensor's name */ };

/* The name that a pattern means in that layer. */
void hl_weight_name_print(const char *pattern, int layer, char name[HL_WEIGHT_NAME]);

/* The weight or bias of linear3 in that layer, whose rows follow those of linear1 in an HL_PART_GATED; NULL: none. */
const hl_parameter *hl_weight_gate(const hl_model *model, int layer, const char *ending);

/* How config.json spells the activation, NULL if open models do not have it. The second function finds the
 * activation of a spelling; false if there is none. */
const char *hl_model_kind_activation(hl_activation activation);
bool hl_model_kind_find_activation(const char *name, hl_activation *activation);

enum { HL_MODEL_KIND_NAMES = 128 /* bytes of all names */ };

/* Writes all names, separated by ", ", and returns them. */
const char *hl_model_kind_names(char names[HL_MODEL_KIND_NAMES]);
