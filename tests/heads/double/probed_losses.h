/* The losses of a model with probes, by a pass over all examples at once: what effects of heads are compared with. */
#pragma once

#include "core/arena.h"
#include "layers/model.h"
#include "tests/heads/example.h"

/* Each odd-numbered example's mean loss over its known targets, with probes on the model's layers (NULL: none). */
static inline void probed_losses(const hl_model *model, const hl_examples *examples, const hl_head_probe *probes,
                                 double *losses)
{
    static hl_real rows[256];
    hl_batch_storage storage = example_rows(examples);
    storage.batch.longest = examples->n_tokens; /* the size of given patterns */
    ck_assert(storage.batch.n_targets <= 256);
    hl_cross_entropy_result result = { .row_loss = rows };
    hl_arena arena;
    hl_tape tape;
    expect_ok(hl_arena_init(&arena, 1 << 20));
    hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = 1 });
    hl_model_loss(&tape, model, &storage.batch, (hl_cross_entropy_args){ .result = &result }, probes);
    expect_ok(hl_tape_status(&tape));
    for (int64_t e = 1; e < examples->n_examples; e += 2) {
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
