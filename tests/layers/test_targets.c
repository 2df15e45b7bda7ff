/* What the output layer reads and of which sizes: targets of their own, pooled examples, types of tokens. */
#include "core/base/memory.h"
#include "tests/check_suite.h"
#include "tests/layers/examples.h"

#include <string.h>

enum { B = 4, T = 6, C = 3 };
static const int32_t lengths[B] = { 6, 1, 4, 5 };
static const double tolerance = 1e-5;

static hl_model_config config_of(int64_t targets, hl_pooling pooling)
{
    hl_model_config config = example_config();
    config.norm = HL_NORM_PRE;
    config.targets = targets;
    config.pooling = pooling;
    return config;
}

/* Logits of the batch, or with `targets` of its targets alone. */
static hl_real *logits_of(const hl_model *model, const hl_batch *batch, bool targets, int64_t n)
{
    hl_tape *tape = example_tape((hl_tape_options){ .threads = 2 });
    hl_tensor *x = hl_model_layers(tape, model, batch, 0, hl_model_embed(tape, model, batch), NULL);
    hl_tensor *y = targets ? hl_model_target_logits(tape, model, batch, x) : hl_model_logits(tape, model, batch, NULL);
    CHECK_OK(hl_tape_status(tape));
    ck_assert(hl_shape_equal(y->shape, HL_SHAPE(n, model->config.targets)));
    hl_real *copy = owned_calloc(n * model->config.targets, sizeof *copy);
    memcpy(copy, y->data, (size_t)(n * model->config.targets) * sizeof *copy);
    return copy;
}

TEST(targets_have_a_size_of_their_own)
{
    for (int64_t targets = 0; targets <= C; targets += C) {
        hl_model_config config = config_of(targets, HL_POOLING_ROWS);
        hl_model *model = example_model(&config);
        ck_assert_int_eq(model->config.targets, targets == 0 ? config.vocabulary : C);
        ck_assert(hl_shape_equal(model->output.linear.weight->shape, HL_SHAPE(model->config.targets, config.d_model)));
        hl_batch batch = example_batch(B, T, config.vocabulary, lengths);
        hl_real *all = logits_of(model, &batch, false, batch.n_rows);
        hl_real *some = logits_of(model, &batch, true, batch.n_targets);
        for (int64_t m = 0; m < batch.n_targets; m++) {
            example_assert_near("a target's logits", some + m * model->config.targets,
                                all + batch.target_rows[m] * model->config.targets, model->config.targets, tolerance);
        }
    }
}

/* The output layer is linear: of the mean of an example's rows it makes the mean of their logits. */
TEST(pooled_logits_are_the_mean_of_the_rows)
{
    hl_model_config config = config_of(C, HL_POOLING_ROWS);
    hl_model *rows = example_model(&config);
    config.pooling = HL_POOLING_MEAN;
    hl_model *pooled = example_model(&config);
    hl_batch batch = example_batch(B, T, config.vocabulary, lengths);
    example_targets(&batch, C, true);
    ck_assert_int_eq(batch.n_targets, B - 1);
    hl_real *each = logits_of(rows, &batch, false, batch.n_rows), expected[B][C] = { { 0 } };
    for (int64_t b = 0; b < B; b++) {
        for (int64_t r = batch.offsets[b]; r < batch.offsets[b + 1]; r++) {
            for (int c = 0; c < C; c++) {
                expected[b][c] += each[r * C + c] / (hl_real)lengths[b];
            }
        }
    }
    hl_real *all = logits_of(pooled, &batch, false, B), *some = logits_of(pooled, &batch, true, B - 1);
    example_assert_near("pooled logits", all, expected[0], (int64_t)B * C, tolerance);
    example_assert_near("of the first", some, expected[0], C, tolerance);
    example_assert_near("of those with a target", some + C, expected[2], 2 * C, tolerance);
    hl_batch slice = hl_batch_slice(&batch, 2, 2);
    hl_real *sliced = logits_of(pooled, &slice, true, 2);
    example_assert_near("of a slice", sliced, expected[2], 2 * C, tolerance);
}

/* A type's vector is added to the token's, as if it stood in the embedding; without types, all rows have the first. */
TEST(types_are_added_to_tokens)
{
    hl_model_config config = config_of(C, HL_POOLING_ROWS);
    config.positions = HL_POSITIONS_NONE;
    hl_model *plain = example_model(&config);
    config.token_types = 2;
    hl_model *typed = example_model(&config);
    hl_batch batch = example_batch(B, T, config.vocabulary, lengths);
    int64_t D = config.d_model;
    for (int type = 0; type < 2; type++) { /* all rows of one type: the same as another matrix of tokens */
        for (int64_t i = 0; i < config.vocabulary * D; i++) {
            plain->embedding.weight->data[i] = typed->embedding.weight->data[i] +
                                               typed->embedding.types->data[type * D + i % D] / plain->embedding.scale;
        }
        int32_t ones[B * T];
        for (int i = 0; i < B * T; i++) {
            ones[i] = 1;
        }
        hl_batch of_type = batch;
        of_type.types = type == 0 ? NULL : ones;
        hl_real *expected = logits_of(plain, &batch, false, batch.n_rows);
        hl_real *got = logits_of(typed, &of_type, false, batch.n_rows);
        example_assert_near("logits of a type", got, expected, batch.n_rows * C, tolerance);
    }
    hl_batch third = batch;
    third.types = (const int32_t[B * T]){ 0, 2 };
    hl_tape *tape = example_tape((hl_tape_options){ .threads = 1 });
    ck_assert_ptr_null(hl_model_logits(tape, typed, &third, NULL));
    ck_assert_str_eq(hl_tape_status(tape).text, "embedding in embedding: type 2 at place 1 is not below 2");
}

/* An unscaled embedding is a scaled one whose matrix is sqrt(D) times as large; a tied bias is added to the logits. */
TEST(embeddings_may_be_unscaled_and_tied_with_a_bias)
{
    hl_model_config config = config_of(0, HL_POOLING_ROWS);
    hl_model *scaled = example_model(&config);
    config.unscaled_embedding = config.tie_embedding = config.tied_bias = true;
    hl_model *unscaled = example_model(&config);
    int64_t V = config.vocabulary, count = V * config.d_model;
    for (int64_t i = 0; i < count; i++) {
        scaled->output.linear.weight->data[i] = unscaled->embedding.weight->data[i];
        scaled->embedding.weight->data[i] = unscaled->embedding.weight->data[i] / scaled->embedding.scale;
    }
    hl_batch batch = example_batch(B, T, V, lengths);
    hl_real *expected = logits_of(scaled, &batch, false, batch.n_rows);
    hl_real *got = logits_of(unscaled, &batch, false, batch.n_rows);
    example_assert_near("logits", got, expected, batch.n_rows * V, tolerance);
}

SUITE("targets")
