/* What the tests of layers share, in either precision: fixed numbers, batches, and models with numbers everywhere. All
 * of it goes when the test ends. */
#pragma once

#include "layers/model.h"
#include "tests/owned.h"

enum { EXAMPLE_ARENA = 16 << 20 }; /* bytes, enough for one small module and its backward */

/* Number i of the given use: fixed, in [-1, 1), a multiple of 2^-10. */
hl_real example_number(uint32_t use, int64_t i);

/* The first n of the numbers. */
hl_real *example_numbers(uint32_t use, int64_t n);

/* Allocates the registry and gives every parameter numbers far from its initial ones, biases and norms too. */
void example_fill(hl_parameters *parameters);

/* A tape over a new arena of EXAMPLE_ARENA bytes. */
hl_tape *example_tape(hl_tape_options options);

/* Two layers of d_model 6 with 2 heads, d_ff 5, GELU, 7 tokens, max_length 9, post-norm, sinusoidal positions, biases;
 * no dropout. */
hl_model_config example_config(void);

/* The heads of one layer. */
void example_heads(hl_model_config *config, int layer, int64_t heads, int64_t kv_heads, int64_t d_k, int64_t d_v);

/* Every dropout of the model on, each with a probability of its own; that before a pooler where it has one. */
void example_dropouts(hl_model_config *config);

/* Models that differ in their settings, 0 .. EXAMPLE_VARIANTS - 1: residuals before and after norms, shared matrices,
 * each kind of positions, head and pooler. The sizes are those of example_config. */
enum { EXAMPLE_VARIANTS = 12 };
hl_model_config example_variant(int i);

/* A model that is not allocated. */
hl_model *example_made(const hl_model_config *config);

/* An allocated model, filled by example_fill. */
hl_model *example_model(const hl_model_config *config);

/* A batch of B examples of up to T tokens below V, of type 1 in their later part. `lengths` (B) may be NULL: every
 * example is T long. One row in three has no target. Places count T for each example. */
hl_batch example_batch(int64_t B, int64_t T, int64_t V, const int32_t *lengths);

/* Gives it targets below C; where `pooled`, one an example, in its middle, and none in the second. */
void example_targets(hl_batch *batch, int64_t C, bool pooled);

/* Makes the tape draw the dropout of the batch's rows by their places. */
void example_places(hl_tape_options *options, const hl_batch *batch);

/* B sequences of those lengths, or of T rows where these are NULL; `offsets` (B + 1) receives where they begin. */
hl_sequences example_sequences(int64_t B, int64_t T, const int32_t *lengths, int32_t *offsets);

/* The loss of the batch, with dropout by its places; its gradients are added to those of the model. Ends the test where
 * the pass fails. */
hl_real example_step(hl_model *model, const hl_batch *batch, hl_cross_entropy_args args, const hl_head_probe *probes,
                     hl_tape_options options);

/* Asserts |got[i] - expected[i]| <= tolerance * the largest |expected|, for every i < n; NaN fails. */
void example_assert_near(const char *what, const hl_real *got, const hl_real *expected, int64_t n, double tolerance);

/* The same for the gradients of each parameter against the block `expected`. */
void example_assert_grads_near(const hl_parameters *parameters, const hl_real *expected, double tolerance);

/* A copy of the block of gradients. */
hl_real *example_grads_copy(const hl_parameters *parameters);
