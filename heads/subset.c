#include "heads/subset.h"

#include "core/memory.h"
#include "heads/evaluator.h"
#include "heads/head_set.h"

/* Gates for a slice's examples. A layer that keeps all its heads has none. */
static bool set_gates(void *context, hl_evaluator_slice *slice)
{
    const hl_subset *s = context;
    const bool *kept = s->kept;
    int64_t count = slice->examples.n_examples;
    hl_real *numbers = s->gates;
    for (int l = 0; l < s->model->config.n_layers; l++) {
        int64_t H = s->model->config.heads[l];
        s->tensors[l] = (hl_tensor){ .shape = HL_SHAPE(count, H), .data = numbers };
        s->probes[l] = (hl_head_probe){ .gate = hl_head_set_size(kept, H) < H ? &s->tensors[l] : NULL };
        for (int64_t i = 0; i < count * H; i++) {
            numbers[i] = kept[i % H] ? 1 : 0;
        }
        numbers += s->slice * H;
        kept += H;
    }
    slice->probes = s->probes;
    return true;
}

/* The evaluator of the model with the heads in `kept`; with all of them where it is NULL. */
static hl_evaluator evaluator_of(hl_subset *s, const bool *kept)
{
    s->kept = kept;
    return (hl_evaluator){ .model = s->model,
                           .arena = &s->arena,
                           .slice = s->slice,
                           .threads = s->threads,
                           .loss = "the loss of the model with some of its heads",
                           .begin = kept != NULL ? set_gates : NULL,
                           .context = s };
}

hl_status hl_subset_begin(hl_subset *s, int64_t T)
{
    int64_t n = hl_heads_count(&s->model->config);
    size_t count, L = (size_t)s->model->config.n_layers;
    *s = (hl_subset){ .model = s->model, .slice = s->slice, .threads = s->threads };
    if (s->slice < 1) {
        return hl_error(HL_INVALID, "slices of %lld examples cannot be", (long long)s->slice);
    }
    s->gates = hl_multiply_sizes((size_t)s->slice, (size_t)n, &count) ? hl_calloc(count, sizeof *s->gates) : NULL;
    s->tensors = hl_calloc(L, sizeof *s->tensors);
    s->probes = hl_calloc(L, sizeof *s->probes);
    bool *none = hl_calloc((size_t)n, sizeof *none);
    if (s->gates == NULL || s->tensors == NULL || s->probes == NULL || none == NULL) {
        hl_free(none);
        return hl_error_memory("a model with some of its heads");
    }
    hl_evaluator evaluator = evaluator_of(s, none); /* the plan must include memory for gates */
    size_t bytes;
    hl_status status = hl_evaluator_plan(&evaluator, T, &bytes);
    hl_free(none);
    HL_TRY(status);
    return hl_arena_init(&s->arena, bytes);
}

void hl_subset_free(hl_subset *s)
{
    hl_arena_free(&s->arena);
    hl_free(s->gates);
    hl_free(s->tensors);
    hl_free(s->probes);
    s->gates = NULL;
    s->tensors = NULL;
    s->probes = NULL;
}

hl_status hl_subset_add(hl_subset *s, const hl_examples *examples, const bool *kept, hl_cross_entropy_result *sum)
{
    hl_evaluator evaluator = evaluator_of(s, kept);
    return hl_evaluate(&evaluator, examples, sum);
}

hl_subset_worth hl_subset_worth_of(const hl_cross_entropy_result *sum)
{
    double scored = (double)sum->n_scored;
    return (hl_subset_worth){ sum->loss_sum / scored, (double)sum->n_correct / scored };
}

hl_status hl_subset_measure(hl_subset *s, const hl_examples *examples, const bool *kept, hl_subset_worth *worth)
{
    hl_cross_entropy_result sum = { 0 };
    HL_TRY(hl_subset_add(s, examples, kept, &sum));
    *worth = hl_subset_worth_of(&sum);
    return hl_ok();
}
