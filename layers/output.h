/* Turns the encoder's rows x (M, D) into logits:
 *   x = f(pooler.dense(drop(x)))             with a pooler: classifiers such as BERT's
 *   x = head.norm(act(head.dense(x)))        HL_HEAD_TRANSFORM: the heads of masked models (Devlin et al. 2019)
 *   logits = drop(x) W^T + b
 * W is (C, D), or (C, E) after the transform, whose dense layer maps D numbers to E. A shared W may have more rows, and
 * then b has more too: only the first C are read. */
#pragma once

#include "core/base/declarations.h"
#include "layers/feed_forward.h"
#include "layers/norm.h"

HL_BEGIN_DECLS

/* HL_HEAD_NONE: there is no output layer, and the model returns only hidden states. */
typedef enum hl_output_head { HL_HEAD_LINEAR, HL_HEAD_TRANSFORM, HL_HEAD_NONE } hl_output_head;

/* The function that follows a linear layer between a pooled row and the output layer. */
typedef enum hl_pooler { HL_POOLER_NONE, HL_POOLER_TANH, HL_POOLER_RELU, HL_POOLER_GELU } hl_pooler;

/* y, shaped like x, by the function of a pooler other than HL_POOLER_NONE. */
hl_tensor *hl_pooler_function(hl_tape *tape, hl_pooler pooler, hl_tensor *x);

typedef struct hl_model_config hl_model_config; /* model_config.h */

typedef struct hl_output_layer {
    hl_output_head head;
    hl_pooler pooler;
    hl_activation activation;
    hl_dropout_layer dropout_pooler;
    hl_linear_layer pooler_dense;    /* (D, D) */
    hl_linear_layer transform_dense; /* (E, D) */
    hl_norm_layer transform_norm;    /* (E) */
    hl_dropout_layer dropout;
    hl_linear_layer linear; /* W and b */
    int64_t targets;        /* C */
} hl_output_layer;

/* Registers the parts that the config asks for: pooler.dense.*, head.dense.*, head.norm.*, output.weight (or a shared W
 * under that name), and b as output.bias, or as head.bias after a transform. `config` has passed
 * hl_model_config_resolve. `shared` is W if it is the embedding's matrix, otherwise NULL. Errors stay on the
 * registry. */
hl_output_layer hl_output_layer_make(hl_parameters *parameters, const hl_model_config *config, hl_tensor *shared);

/* Returns logits (M, C) of x (M, D). `rows` (M): row m draws dropout with the number of row rows[m] - base in the
 * tape's `places`; NULL: with that of row m. `rows` must outlive the tape. Sticky error if there is no output layer. */
hl_tensor *hl_output_layer_forward(hl_tape *tape, const hl_output_layer *layer, hl_tensor *x, const int32_t *rows,
                                   int32_t base);

HL_END_DECLS
