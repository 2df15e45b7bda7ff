/* The model: embedding (* sqrt(E)) + positions + token types [-> norm] -> dropout [-> projection to D] -> encoder ->
 * output layer -> logits. Also its loss on a batch, where the output layer runs only on rows that have a target.
 *
 *     hl_model model;
 *     HL_TRY(hl_model_init(&model, &config));     // registers the parameters; enough for a summary
 *     HL_TRY(hl_model_allocate(&model, seed));    // allocates and initialises them
 *     hl_tensor *loss = hl_model_loss(&tape, &model, &batch, (hl_cross_entropy_args){ .smoothing = 0.1 }, NULL);
 *     HL_TRY(hl_tape_backward(&tape, loss)); */
#pragma once

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
    hl_rotary *rotaries; /* (n_rotaries): for rotary positions, one for each width of heads and theta; owned */
    int n_rotaries;
    hl_norm_layer embedding_norm; /* only if the config has embedding_norm */
    hl_dropout_layer dropout;
    hl_linear_layer embedding_projection; /* (D, E); only if E is not D */
    hl_encoder encoder;
    hl_output_layer output;
} hl_model;

/* Registers every parameter. HL_INVALID (from hl_model_config_resolve, or an unknown activation, norm or kind of
 * positions), HL_NO_MEMORY. The caller owns the model, also on failure: hl_model_free. */
hl_status hl_model_init(hl_model *model, const hl_model_config *config);

/* Allocates parameters, gradients and the tables of positions, and draws initial values. HL_NO_MEMORY; HL_INVALID at
 * the second call. */
hl_status hl_model_allocate(hl_model *model, uint64_t seed);

/* Whether the parameters have gradients, in memory and in backward passes. A model that is only evaluated has none. */
typedef enum hl_model_use { HL_MODEL_TRAINED, HL_MODEL_EVALUATED } hl_model_use;

/* Allocates the parameters, set to zero and to be filled from a file, and the tables of positions. HL_NO_MEMORY;
 * HL_INVALID: an unknown use, or a model in bf16 where that is not available (core/kernels/bf16.h). */
hl_status hl_model_reserve(hl_model *model, hl_model_use use);

void hl_model_free(hl_model *model);

/* Returns logits (N, C) of all rows in the batch. If the config pools by mean or last row (config.pooling): (B, C), one
 * row per example. `probes`: one per layer, or NULL. The batch must outlive the tape. Sticky errors of this function
 * and the following ones: a model that is not allocated, examples that are too long for it, a token type that it does
 * not have, a batch without tokens or (for the loss) without targets; for logits and loss, a model without an output
 * layer. */
hl_tensor *hl_model_logits(hl_tape *tape, const hl_model *model, const hl_batch *batch, const hl_head_probe *probes);

/* Returns the input of the encoder, (N, D): token embeddings plus positions, normed, projected, with training
 * dropout. */
hl_tensor *hl_model_embed(hl_tape *tape, const hl_model *model, const hl_batch *batch);

/* Which rows of the batch attend to which: rows of the same example, and in a causal model only to those on the
 * left. */
hl_attention_rules hl_model_rules(const hl_model *model, const hl_batch *batch);

/* Returns the output of the last layer, (N, D), where x (N, D) is the input of layer `layer`, 0 .. n_layers.
 * hl_encoder_end turns this output into the last hidden states. */
hl_tensor *hl_model_layers(hl_tape *tape, const hl_model *model, const hl_batch *batch, int layer, hl_tensor *x,
                           const hl_head_probe *probes);

/* Returns logits (M, C) for the rows that have a target, from the last layer's output x (N, D). With pooling by mean or
 * last row, they belong to the examples of these rows, and an example has at most one target. */
hl_tensor *hl_model_target_logits(hl_tape *tape, const hl_model *model, const hl_batch *batch, hl_tensor *x);

/* Returns the loss, a scalar (core/ops/cross_entropy.h). The batch's targets replace args.targets. */
hl_tensor *hl_model_loss(hl_tape *tape, const hl_model *model, const hl_batch *batch, hl_cross_entropy_args args,
                         const hl_head_probe *probes);

/* The same, where x (N, D) is the input of layer `layer`, 0 .. n_layers: the layers below do not run. */
hl_tensor *hl_model_loss_from(hl_tape *tape, const hl_model *model, const hl_batch *batch, int layer, hl_tensor *x,
                              hl_cross_entropy_args args, const hl_head_probe *probes);

/* Plans the loss, without probes, of any batch that is not larger, by a dry run (core/tape_memory.h). `options`: those
 * of the pass (threads, training, gradients). With gradients, backward is planned too. HL_NO_MEMORY; HL_INVALID if
 * shapes do not fit (T > max_length); *plan is then empty. After success, free the plan with hl_tape_plan_free. */
hl_status hl_model_plan(const hl_model *model, const hl_batch *largest, hl_tape_options options, hl_tape_plan *plan);

/* The bytes of the tables of sinusoidal or rotary positions. The model need not be allocated. */
size_t hl_model_position_bytes(const hl_model *model);

/* The largest number of arena bytes that the records of a dry tape over this model need. */
size_t hl_model_record_bytes(const hl_model *model);

HL_END_DECLS
