/* A small untrained model and examples for it. */
#pragma once

#include "core/arena.h"
#include "data/examples_storage.h"
#include "heads/recorder.h"
#include "layers/model.h"
#include "tests/scratch.h"

#include <check.h>

enum { EXAMPLE_LAYERS = 2, EXAMPLE_VOCABULARY = 11 };

static inline void expect_ok(hl_status status)
{
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
}

/* Two layers, of 4 and of 2 heads; every dropout drops. */
static inline hl_model_config example_config(int64_t d_model)
{
    return (hl_model_config){ .vocabulary = EXAMPLE_VOCABULARY,
                              .max_length = 64,
                              .n_layers = EXAMPLE_LAYERS,
                              .d_model = d_model,
                              .d_ff = 2 * d_model,
                              .heads = { 4, 2 },
                              .kv_heads = { 4, 1 },
                              .d_k = { d_model / 4, d_model / 4 },
                              .d_v = { d_model / 4, d_model / 2 },
                              .norm = HL_NORM_PRE,
                              .bias = true,
                              .dropout_attention = 0.2,
                              .dropout_concat = 0.2,
                              .dropout_residual = 0.2,
                              .dropout_ffn = 0.2,
                              .dropout_embedding = 0.2 };
}

/* To be freed by hl_model_free. */
static inline void example_model(hl_model *model, const hl_model_config *config)
{
    expect_ok(hl_model_init(model, config));
    expect_ok(hl_model_allocate(model, 3));
}

/* Examples of different lengths, the longest of `longest` tokens, padded to three more; each token is to be fetched
 * from the one before it, and relation r pairs it with the one r places before it. To be freed by hl_examples_free. */
static inline hl_examples example_related_batch(int64_t n_examples, int64_t longest, int64_t n_relations)
{
    hl_examples batch;
    expect_ok(hl_examples_allocate(n_examples, longest + 3, n_relations, &batch));
    for (int64_t e = 0; e < n_examples; e++) {
        batch.lengths[e] = (int32_t)(longest - (e + 1) % 3 * (longest / 4));
        for (int64_t i = 0; i < batch.n_tokens; i++) {
            bool real = i < batch.lengths[e];
            int64_t at = e * batch.n_tokens + i;
            batch.tokens[at] = real ? (int32_t)(3 + (e + i * i) % (EXAMPLE_VOCABULARY - 3)) : HL_PAD;
            batch.targets[at] = real && i > 0 ? batch.tokens[at - 1] : HL_IGNORE;
            batch.sources[at] = real && i > 0 ? (int32_t)i - 1 : HL_IGNORE;
            for (int64_t r = 0; r < n_relations; r++) {
                int32_t partner = real && i >= r ? (int32_t)(i - r) : HL_IGNORE;
                batch.relations[(e * n_relations + r) * batch.n_tokens + i] = partner;
            }
        }
    }
    return batch;
}

static inline hl_examples example_batch(int64_t n_examples, int64_t longest)
{
    return example_related_batch(n_examples, longest, 0);
}

/* An arena of exactly what recording takes. To be freed by hl_arena_free. */
static inline hl_arena example_arena(const hl_recorder *recorder)
{
    hl_arena arena;
    expect_ok(hl_arena_init(&arena, recorder->plan.bytes));
    return arena;
}

/* The examples as a model reads them; to be freed by hl_batch_storage_free. */
static inline hl_batch_storage example_rows(const hl_examples *examples)
{
    hl_batch_storage storage;
    expect_ok(hl_batch_storage_of(&storage, examples, examples->n_tokens));
    return storage;
}

/* A recorder of the model on the examples, by at most `rows` rows, writing to the test's folder "run/patterns", on two
 * threads. */
typedef struct example {
    hl_model model;
    hl_examples batch;
    hl_recorder recorder;
    hl_arena arena;
} example;

static inline void example_set_up_with(example *f, hl_model_config config, hl_examples batch, int64_t rows)
{
    example_model(&f->model, &config);
    f->batch = batch;
    expect_ok(hl_recorder_init(&f->recorder, &f->model, &f->batch, rows, 2, scratch_path("run/patterns")));
    f->arena = example_arena(&f->recorder);
}

static inline void example_set_up(example *f, hl_model_config config, int64_t n_examples, int64_t longest,
                                  int64_t slice)
{
    example_set_up_with(f, config, example_batch(n_examples, longest), slice * longest);
}

static inline void example_tear_down(example *f)
{
    hl_recorder_free(&f->recorder);
    hl_recorder_free(&f->recorder); /* twice is allowed, as is to free what was never made */
    hl_arena_free(&f->arena);
    hl_examples_free(&f->batch);
    hl_model_free(&f->model);
    *f = (example){ 0 };
}
