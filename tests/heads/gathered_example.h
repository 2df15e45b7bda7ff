/* Validation sums of the examples of example.h, gathered while its model is run over them in slices. */
#pragma once

#include "heads/validation_sums_pass.h"
#include "tests/heads/example.h"

static inline void gathered_set_up(const example *f, int64_t slice, hl_validation_sums_pass *pass)
{
    expect_ok(hl_validation_sums_pass_init(pass, &f->model.config, slice * f->batch.n_tokens, f->batch.n_tokens));
}

/* To be freed by hl_validation_sums_pass_free. */
static inline const hl_validation_sums *gathered_run(const example *f, int64_t slice, int threads,
                                                     hl_validation_sums_pass *pass)
{
    hl_arena arena;
    expect_ok(hl_arena_init(&arena, 1 << 25));
    hl_batch_storage storage = example_rows(&f->batch);
    hl_validation_sums_pass_begin(pass);
    for (int64_t first = 0; first < f->batch.n_examples; first += slice) {
        int64_t left = f->batch.n_examples - first;
        hl_batch batch = hl_batch_slice(&storage.batch, first, left < slice ? left : slice);
        hl_validation_sums_pass_batch(pass, &batch, threads);
        hl_tape tape;
        hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = threads, .observer = &pass->observer });
        hl_model_logits(&tape, &f->model, &batch, pass->probes);
        expect_ok(hl_tape_status(&tape));
        hl_arena_rewind(&arena, 0);
    }
    hl_arena_free(&arena);
    hl_batch_storage_free(&storage);
    return hl_validation_sums_pass_end(pass);
}
