/* The model: embedding (* sqrt(E)) + positions + token types [-> norm] -> dropout [-> projection to D] -> encoder ->
 * output layer -> logits; and its loss on a batch, for which the output layer runs on the rows with a target alone.
 *
 *     hl_model model;
 *     HL_TRY(hl_model_init(&model, &config));     // registers the parameters; enough for a summary
 *     HL_TRY(hl_model_allocate(&model, seed));    // allocates and initialises them
 *     hl_tensor *loss = hl_model_loss(&tape, &model, &batch, (hl_cross_entropy_args){ .smoothing = 0.1 }, NULL);
 *     HL_TRY(hl_tape_backward(&tape, loss)); */
#ifndef HL_LAYERS_MODEL_H
#define HL_LAYERS_MODEL_H

#include "core/base/declarations.h"
#include "core/batch.h"
#include "core/ops/cross_entropy.h"
#include "layers/embedding.h"
#include "layers/encoder.h"
#include "layers/model_config.h"

HL_BEGIN_DECLS

typedef struct hl_model {
    hl_model_config config;   /* with C in `targets`, E in `embedding_size` */
    hl_parameters parameters; /* owned */
    hl_embedding_layer embedding;
    hl_positions_layer positions;
    hl_norm_layer embedding_norm; /* only where the config has embedding_norm */
    hl_dropout_layer dropout;
    hl_linear_layer embedding_projection; /* (D, E); only where E is not D */
    hl_encoder encoder;
    hl_output_layer output;
} hl_model;

/* Registers every parameter. HL_INVALID (hl_model_config_resolve, and an unknown activation, norm or kind of
 * positions), HL_NO_MEMORY. Owned by the caller, on failure too: hl_model_free. */
hl_status hl_model_init(hl_model *model, const hl_model_config *config);

/* Allocates parameters, gradients and the table of positions, and draws initial values. HL_NO_MEMORY; HL_INVALID the
 * second time. */
hl_status hl_model_allocate(hl_model *model, uint64_t seed);

/* Whether the parameters have gradients, in memory and in backward passes, or the model is only evaluated. */
typedef enum hl_model_use { HL_MODEL_TRAINED, HL_MODEL_EVALUATED } hl_model_use;

/* Allocates parameters of value zero, to be filled from a file, and the table of positions. HL_NO_MEMORY; HL_INVALID:
 * no such use, or a model in bf16 where that is not to be had (core/kernels/bf16.h). */
hl_status hl_model_reserve(hl_model *model, hl_model_use use);

void hl_model_free(hl_model *model);

/* Logits (N, C) of all rows of the batch, or with a mean or last row (config.pooling) (B, C) of all its examples.
 * `probes`: one for each layer, or NULL. The batch must outlive the tape. Sticky errors of this function and the
 * following: a model that is not allocated, examples that are too long for it, a token type that it has not, a batch
 * without tokens or, for the loss, targets; for logits and loss, a model without an output layer. */
hl_tensor *hl_model_logits(hl_tape *tape, const hl_model *model, const hl_batch *batch, const hl_head_probe *probes);

/* The input of the encoder, (N, D): embedded tokens with positions, normed and projected, and dropout in training. */
hl_tensor *hl_model_embed(hl_tape *tape, const hl_model *model, const hl_batch *batch);

/* Which rows of the batch attend to which: those of an example, to the left of each other where the model is causal. */
hl_attention_rules hl_model_rules(const hl_model *model, const hl_batch *batch);

/* The output of the last layer, (N, D), where x (N, D) is the input of layer `layer`, 0 .. n_layers. hl_encoder_end
 * makes the last hidden states of it. */
hl_tensor *hl_model_layers(hl_tape *tape, const hl_model *model, const hl_batch *batch, int layer, hl_tensor *x,
                           const hl_head_probe *probes);

/* Logits (M, C) of the rows that have a target, of the last layer's output x (N, D); with a mean or last row of the
 * examples that these rows lie in, of which an example has one at most. */
hl_tensor *hl_model_target_logits(hl_tape *tape, const hl_model *model, const hl_batch *batch, hl_tensor *x);

/* The loss, a scalar (core/ops/cross_entropy.h; args.targets is replaced by the batch's). */
hl_tensor *hl_model_loss(hl_tape *tape, const hl_model *model, const hl_batch *batch, hl_cross_entropy_args args,
                         const hl_head_probe *probes);

/* The same where x (N, D) is the input of layer `layer`, 0 .. n_layers: the layers below it do not run. */
hl_tensor *hl_model_loss_from(hl_tape *tape, const hl_model *model, const hl_batch *batch, int layer, hl_tensor *x,
                              hl_cross_entropy_args args, const hl_head_probe *probes);

/* Plans the loss of any batch that is no larger, without probes, by a dry run (core/tape_memory.h). `options`: those of
 * the pass (threads, training, gradients: with gradients backward is planned too). HL_NO_MEMORY; HL_INVALID where
 * shapes do not fit (T > max_length); *plan is then empty. On success ended by hl_tape_plan_free. */
hl_status hl_model_plan(const hl_model *model, const hl_batch *largest, hl_tape_options options, hl_tape_plan *plan);

/* The most bytes of arena that the records of a dry tape over this model need. */
size_t hl_model_record_bytes(const hl_model *model);

HL_END_DECLS

#endif
