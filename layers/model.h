/* The model: embedding (* sqrt(D)) + positions + token types -> dropout -> encoder -> output layer -> logits; and its
 * loss on a batch, for which the output layer runs on the rows that have a target alone.
 *
 *     hl_model model;
 *     HL_TRY(hl_model_init(&model, &config));     // registers the parameters; enough for a summary
 *     HL_TRY(hl_model_allocate(&model, seed));    // allocates and initialises them
 *     hl_tensor *loss = hl_model_loss(&tape, &model, &batch, (hl_cross_entropy_args){ .smoothing = 0.1 }, NULL);
 *     HL_TRY(hl_tape_backward(&tape, loss)); */
#ifndef HL_LAYERS_MODEL_H
#define HL_LAYERS_MODEL_H

#include "core/batch.h"
#include "core/declarations.h"
#include "core/op_cross_entropy.h"
#include "layers/embedding.h"
#include "layers/encoder.h"
#include "layers/positions.h"

HL_BEGIN_DECLS

enum { HL_MAX_LAYERS = 256 };

/* What the output layer reads: rows as they come, or the mean of each example's, after the encoder's last norm. */
typedef enum hl_pooling { HL_POOLING_ROWS, HL_POOLING_MEAN } hl_pooling;

typedef struct hl_model_config {
    int64_t vocabulary;  /* V */
    int64_t targets;     /* C, how many ids a target may have; 0: V */
    int64_t token_types; /* how many types of tokens have a vector of their own; 0: none has */
    int64_t max_length;  /* the longest T that positions are made for */
    hl_pooling pooling;
    int n_layers; /* 1 .. HL_MAX_LAYERS */
    int64_t d_model, d_ff;
    int32_t heads[HL_MAX_LAYERS], kv_heads[HL_MAX_LAYERS]; /* of each layer */
    int32_t d_k[HL_MAX_LAYERS], d_v[HL_MAX_LAYERS];
    hl_activation activation;
    hl_norm_place norm;
    hl_positions_kind positions;
    bool causal, bias;
    bool tie_embedding;      /* the output layer has the embedding's matrix, */
    bool tied_bias;          /* and with this a bias, which it has not by `bias` alone */
    bool unscaled_embedding; /* embeddings are not multiplied by sqrt(D) */
    bool scale_residual;     /* initial values of out_proj and linear2 are divided by sqrt(2 L) (Radford et al. 2019) */
    hl_real initial_std;     /* of all matrices and embeddings, drawn as normal; 0: as each layer says */
    hl_real norm_epsilon;    /* 0: 1e-5 */
    hl_real dropout_attention, dropout_concat, dropout_residual, dropout_ffn, dropout_embedding;
} hl_model_config;

typedef struct hl_model {
    hl_model_config config;   /* with C in `targets` */
    hl_parameters parameters; /* owned */
    hl_embedding_layer embedding;
    hl_positions_layer positions;
    hl_dropout_layer dropout;
    hl_encoder encoder;
    hl_linear_layer output; /* tied: the embedding's weight */
} hl_model;

/* Gives every layer the same number of heads, each with its own keys and values and d_k = d_v = d_model / heads.
 * d_model must be set. hl_model_init refuses impossible values. */
void hl_model_config_heads(hl_model_config *config, int32_t heads);

/* Registers every parameter. HL_INVALID (a size outside 1 .. 2^30, a dropout outside [0, 1), heads that cannot share
 * key/value heads, an unknown activation, norm, pooling or kind of positions, an output layer that shares the
 * embedding's matrix where C is not V, a tied_bias where nothing is shared, an impossible deviation or epsilon),
 * HL_NO_MEMORY. Owned by the caller, on failure too: hl_model_free. */
hl_status hl_model_init(hl_model *model, const hl_model_config *config);

/* Allocates parameters, gradients and the table of positions, and draws initial values. HL_NO_MEMORY; HL_INVALID the
 * second time. */
hl_status hl_model_allocate(hl_model *model, uint64_t seed);

/* Whether the parameters have gradients, in memory and in backward passes, or the model is only evaluated. */
typedef enum hl_model_use { HL_MODEL_TRAINED, HL_MODEL_EVALUATED } hl_model_use;

/* Allocates parameters of value zero, to be filled from a file, and the table of positions. HL_NO_MEMORY; HL_INVALID:
 * no such use. */
hl_status hl_model_reserve(hl_model *model, hl_model_use use);

void hl_model_free(hl_model *model);

/* Logits (N, C) of all rows of the batch, or with HL_POOLING_MEAN (B, C) of all its examples. `probes`: one for each
 * layer, or NULL. The batch must outlive the tape. Sticky errors of this function and the following: a model that is
 * not allocated, examples that are too long for it, a token type that it has not, a batch without tokens or, for the
 * loss, targets. */
hl_tensor *hl_model_logits(hl_tape *tape, const hl_model *model, const hl_batch *batch, const hl_head_probe *probes);

/* The input of the encoder, (N, D): embedded tokens with positions, and dropout in training. */
hl_tensor *hl_model_embed(hl_tape *tape, const hl_model *model, const hl_batch *batch);

/* Which rows of the batch attend to which: those of an example, to the left of each other where the model is causal. */
hl_attention_rules hl_model_rules(const hl_model *model, const hl_batch *batch);

/* The output of the last layer, (N, D), where x (N, D) is the input of layer `layer`, 0 .. n_layers. */
hl_tensor *hl_model_layers(hl_tape *tape, const hl_model *model, const hl_batch *batch, int layer, hl_tensor *x,
                           const hl_head_probe *probes);

/* Logits (M, C) of the rows that have a target, of the last layer's output x (N, D); with HL_POOLING_MEAN of the
 * examples that these rows lie in, of which an example has one at most. */
hl_tensor *hl_model_target_logits(hl_tape *tape, const hl_model *model, const hl_batch *batch, hl_tensor *x);

/* The loss, a scalar (core/op_cross_entropy.h; args.targets is replaced by the batch's). */
hl_tensor *hl_model_loss(hl_tape *tape, const hl_model *model, const hl_batch *batch, hl_cross_entropy_args args,
                         const hl_head_probe *probes);

/* The same where x (N, D) is the input of layer `layer`, 0 .. n_layers: the layers below it do not run. */
hl_tensor *hl_model_loss_from(hl_tape *tape, const hl_model *model, const hl_batch *batch, int layer, hl_tensor *x,
                              hl_cross_entropy_args args, const hl_head_probe *probes);

/* Plans the loss of any batch that is no larger, without probes, by a dry run (core/tape_plan.h). `options`: those of
 * the pass (threads, training, gradients: with gradients backward is planned too). HL_NO_MEMORY; HL_INVALID where
 * shapes do not fit (T > max_length); *plan is then empty. On success ended by hl_tape_plan_free. */
hl_status hl_model_plan(const hl_model *model, const hl_batch *largest, hl_tape_options options, hl_tape_plan *plan);

/* The most bytes of arena that the records of a dry tape over this model need. */
size_t hl_model_record_bytes(const hl_model *model);

HL_END_DECLS

#endif
