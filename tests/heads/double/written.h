/* Models of every kind, as if they had learned something, and examples for them; for tests of what heads write. */
#pragma once

#include "heads/writes.h"
#include "tests/heads/example.h"

#include <math.h>

enum { E = 5, LONGEST = 12, D = 12 };

/* ---- models ---- */

typedef struct shape {
    const char *name;
    void (*change)(hl_model_config *config);
} shape;

static inline void plain(hl_model_config *c)
{
    (void)c;
}

static inline void post(hl_model_config *c)
{
    c->norm = HL_NORM_POST;
}

static inline void post_causal(hl_model_config *c)
{
    c->norm = HL_NORM_POST;
    c->causal = true;
    c->embedding_norm = true;
}

static inline void embedding_norm(hl_model_config *c)
{
    c->embedding_norm = true;
}

static inline void tied(hl_model_config *c)
{
    c->tie_embedding = c->tied_bias = true;
}

static inline void causal(hl_model_config *c)
{
    c->causal = true;
    c->positions = HL_POSITIONS_LEARNED;
}

static inline void no_bias(hl_model_config *c)
{
    c->bias = false;
}

static inline void no_bias_post(hl_model_config *c)
{
    c->bias = false;
    c->norm = HL_NORM_POST;
}

static inline void gelu(hl_model_config *c)
{
    c->activation = HL_GELU;
}

static inline void pruned(hl_model_config *c)
{
    c->heads[0] = c->kv_heads[0] = 1;
    c->heads[1] = 3;
    c->d_v[1] = 5;
}

static inline void rotary(hl_model_config *c)
{
    c->positions = HL_POSITIONS_SINUSOIDAL;
    c->targets = 7;
}

static inline void mean_row(hl_model_config *c)
{
    c->pooling = HL_POOLING_MEAN;
}

static inline void last_row(hl_model_config *c)
{
    c->pooling = HL_POOLING_LAST;
    c->norm = HL_NORM_POST;
}

static inline void grouped(hl_model_config *c)
{
    c->kv_heads[0] = 2; /* of four heads, two and two share keys and values */
}

static inline void narrow_embedding(hl_model_config *c)
{
    c->embedding_size = 7;
}

static inline void pooler(hl_model_config *c)
{
    c->pooling = HL_POOLING_MEAN;
    c->pooler = HL_POOLER_TANH;
}

static inline void no_output(hl_model_config *c)
{
    c->head = HL_HEAD_NONE;
}

static inline void transform(hl_model_config *c)
{
    c->head = HL_HEAD_TRANSFORM;
    c->activation = HL_GELU;
    c->norm = HL_NORM_POST;
}

static const shape shapes[] = {
    { "pre", plain },
    { "post", post },
    { "post causal", post_causal },
    { "embedding norm", embedding_norm },
    { "tied", tied },
    { "causal", causal },
    { "no bias", no_bias },
    { "no bias, post", no_bias_post },
    { "gelu", gelu },
    { "pruned", pruned },
    { "few targets", rotary },
    { "mean row", mean_row },
    { "last row", last_row },
    { "narrow embedding", narrow_embedding },
    { "grouped", grouped },
};

static hl_model model;
static hl_examples batch;
static hl_writes writes; /* as last measured */

/* Goes after each test: SUITE("what heads write", .after = tear_down). */
static inline void tear_down(void)
{
    hl_writes_free(&writes);
    hl_examples_free(&batch);
    hl_model_free(&model);
}

/* Weights of a model that has learned something: no bias is 0 and no gain is 1. It takes the place of the one before.
 */
static inline void set_up_shape(void (*change)(hl_model_config *config))
{
    hl_model_config config = example_config(D);
    tear_down();
    change(&config);
    example_model(&model, &config);
    for (int64_t i = 0; i < model.parameters.count; i++) {
        model.parameters.values[i] += 0.3 * sin((double)(i * i + 3 * i));
    }
    batch = example_batch(E, LONGEST);
    for (int64_t i = 0; i < E * batch.n_tokens && config.targets > 0; i++) {
        batch.targets[i] = batch.targets[i] < 0 ? batch.targets[i] : batch.targets[i] % (int32_t)config.targets;
    }
    for (int64_t e = 0; e < E && config.pooling != HL_POOLING_ROWS; e++) { /* one answer an example */
        for (int64_t i = 2; i < batch.n_tokens; i++) {
            batch.targets[e * batch.n_tokens + i] = HL_IGNORE;
        }
    }
}

static const hl_writes_options options = { .rows = 30, .threads = 2, .seed = 1 };

static inline void measure(void)
{
    hl_writes_free(&writes);
    expect_ok(hl_writes_measure(&model, &batch, &options, &writes));
}
