/* Statistics of the examples of example.h, gathered while its model is run over them in parts. */
#ifndef HL_TESTS_HEADS_GATHERED_EXAMPLE_H
#define HL_TESTS_HEADS_GATHERED_EXAMPLE_H

#include "heads/streamed_pass.h"
#include "tests/heads/example.h"

static inline void gathered_set_up(const example *f, int64_t part, hl_streamed_pass *pass)
{
    expect_ok(hl_streamed_pass_init(pass, &f->model.config, part, f->batch.n_tokens));
}

/* To be freed by hl_streamed_pass_free. */
static inline const hl_streamed *gathered_run(const example *f, int64_t part, int threads, hl_streamed_pass *pass)
{
    hl_arena arena;
    expect_ok(hl_arena_init(&arena, 1 << 25));
    hl_streamed_pass_begin(pass);
    for (int64_t first = 0; first < f->batch.n_examples; first += part) {
        int64_t left = f->batch.n_examples - first;
        hl_batch batch = hl_batch_part(&f->batch, first, left < part ? left : part);
        hl_streamed_pass_batch(pass, &batch, threads);
        hl_tape tape;
        hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = threads, .observer = &pass->observer });
        hl_model_logits(&tape, &f->model, &batch, pass->probes);
        expect_ok(hl_tape_status(&tape));
        hl_arena_rewind(&arena, 0);
    }
    hl_arena_free(&arena);
    return hl_streamed_pass_end(pass);
}

#endif
