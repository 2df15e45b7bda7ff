/* A model, examples and the layers' patterns for tests of what heads are worth, and the losses that they are compared
 * with: those of a pass over all examples at once. */
#pragma once

#include "core/arena.h"
#include "core/base/threads.h"
#include "layers/model.h"
#include "tests/heads/example.h"

enum { E = 6, T = 9, HEADS = 6, ODD = E / 2 };

static hl_model model;
static hl_examples batch;
static hl_patterns layers[EXAMPLE_LAYERS];

/* The first target of each example has a label that training lacks. */
static inline void measured_set_up(const hl_model_config *config)
{
    hl_threads_setup();
    example_model(&model, config);
    batch = example_batch(E, T - 3); /* which pads to T */
    for (int64_t e = 0; e < E; e++) {
        int64_t t = e * T;
        while (batch.targets[t] == HL_IGNORE) {
            t++;
        }
        batch.targets[t] = HL_UNSEEN;
    }
    for (int l = 0; l < EXAMPLE_LAYERS; l++) {
        layers[l] = hl_patterns_of(NULL, &batch, &model.config, l, 0);
    }
}

static inline void measured_tear_down(void)
{
    hl_examples_free(&batch);
    hl_model_free(&model);
}

/* Each odd-numbered example's mean loss over its known targets, of a model with probes on its layers (NULL: none). */
static inline void probed_losses(const hl_model *of, const hl_head_probe *probes, double losses[ODD])
{
    static hl_real rows[256];
    hl_batch_storage storage = example_rows(&batch);
    storage.batch.longest = T; /* the size of given patterns */
    ck_assert(storage.batch.n_targets <= 256);
    hl_cross_entropy_result result = { .row_loss = rows };
    hl_arena arena;
    hl_tape tape;
    expect_ok(hl_arena_init(&arena, 1 << 20));
    hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = 1 });
    hl_model_loss(&tape, of, &storage.batch, (hl_cross_entropy_args){ .result = &result }, probes);
    expect_ok(hl_tape_status(&tape));
    for (int64_t e = 1; e < E; e += 2) {
        int64_t before = hl_batch_slice(&storage.batch, 0, e).n_targets, known = 0;
        hl_batch one = hl_batch_slice(&storage.batch, e, 1);
        double sum = 0;
        for (int64_t i = 0; i < one.n_targets; i++) {
            sum += (double)rows[before + i];
            known += one.target_ids[i] != HL_IGNORE;
        }
        ck_assert(known > 0);
        losses[e / 2] = sum / (double)known;
    }
    hl_batch_storage_free(&storage);
    hl_arena_free(&arena);
}
