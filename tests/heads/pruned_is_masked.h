/* How far a pruned model's logits are from those of the whole model with the same heads masked. */
#pragma once

#include "core/kernels/random.h"
#include "heads/head_set.h"
#include "tests/heads/example.h"

#include <math.h>

/* Numbers for every parameter, biases too, which begin as zeros. */
static inline void pruned_is_masked_shake(hl_model *model)
{
    hl_random random = { .seed = 5, .stream = 7 };
    for (int i = 0; i < model->parameters.n; i++) {
        const hl_parameter *p = &model->parameters.list[i];
        for (int64_t k = 0; k < p->count; k++) {
            p->tensor->data[k] += (hl_random_uniform(random, (uint64_t)(p->offset + k)) - (hl_real)0.5) / 2;
        }
    }
}

/* Logits in new memory: hl_free. */
static inline hl_real *logits_of(const hl_model *model, const hl_batch *batch, const bool *kept)
{
    enum { MOST = 512 };
    hl_real gates[2 * MOST];
    hl_tensor tensors[EXAMPLE_LAYERS];
    hl_head_probe probes[EXAMPLE_LAYERS] = { 0 };
    for (int l = 0; l < EXAMPLE_LAYERS && kept != NULL; l++) {
        int64_t H = model->config.heads[l];
        tensors[l] = (hl_tensor){ .shape = HL_SHAPE(batch->n_examples, H), .data = gates + l * MOST };
        for (int64_t i = 0; i < batch->n_examples * H; i++) {
            tensors[l].data[i] = kept[i % H] ? 1 : 0;
        }
        probes[l].gate = &tensors[l];
        kept += H;
    }
    hl_arena arena;
    hl_tape tape;
    expect_ok(hl_arena_init(&arena, 1 << 22));
    hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = 2 });
    hl_tensor *logits = hl_model_logits(&tape, model, batch, kept != NULL ? probes : NULL);
    expect_ok(hl_tape_status(&tape));
    size_t bytes = (size_t)hl_shape_count(logits->shape) * sizeof(hl_real);
    hl_real *copy = hl_malloc(bytes);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, logits->data, bytes);
    hl_arena_free(&arena);
    return copy;
}

/* The largest difference, as a share of the largest logit. */
static inline double pruned_is_masked_error(const hl_model *model, const hl_model *pruned, const bool *kept)
{
    hl_examples examples = example_batch(6, 9);
    hl_batch_storage storage = example_rows(&examples);
    const hl_batch *batch = &storage.batch;
    hl_real *masked = logits_of(model, batch, kept), *sliced = logits_of(pruned, batch, NULL);
    int64_t V = model->config.vocabulary;
    double largest = 0, error = 0;
    for (int64_t i = 0; i < batch->n_rows * V; i++) {
        largest = fmax(largest, fabs((double)masked[i]));
        error = fmax(error, fabs((double)masked[i] - (double)sliced[i]));
    }
    hl_free(masked);
    hl_free(sliced);
    hl_batch_storage_free(&storage);
    hl_examples_free(&examples);
    return error / largest;
}
