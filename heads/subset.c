#include "heads/subset.h"

#include "core/base/memory.h"
#include "heads/evaluator.h"
#include "heads/head_set.h"

/* A layer that keeps all its heads has no gates. */
static void set_gates(const hl_subset *s, const bool *kept)
{
    hl_real *numbers = s->gates;
    for (int l = 0; l < s->model->config.n_layers; l++) {
        int64_t H = s->model->config.heads[l];
        s->tensors[l] = (hl_tensor){ .shape = HL_SHAPE(1, H), .data = numbers };
        s->probes[l] = (hl_head_probe){ .gate = hl_head_set_size(kept, H) < H ? &s->tensors[l] : NULL };
        for (int64_t h = 0; h < H; h++) {
            numbers[h] = kept[h] ? 1 : 0;
        }
        numbers += H;
        kept += H;
    }
}

static bool use_gates(void *context, hl_evaluator_slice *slice)
{
    slice->probes = ((const hl_subset *)context)->probes;
    return true;
}

static hl_evaluator evaluator_of(hl_subset *s)
{
    return (hl_evaluator){ .model = s->model,
                           .arena = &s->arena,
                           .plan = &s->plan,
                           .rows = s->rows,
                           .threads = s->threads,
                           .loss = "the loss of the model with some of its heads",
                           .context = s };
}

hl_status hl_subset_begin(hl_subset *s, int64_t T)
{
    size_t L = (size_t)s->model->config.n_layers;
    s->plan = (hl_tape_plan){ 0 };
    s->arena = (hl_arena){ 0 };
    s->gates = hl_calloc((size_t)hl_heads_count(&s->model->config), sizeof *s->gates);
    s->tensors = hl_calloc(L, sizeof *s->tensors);
    s->probes = hl_calloc(L, sizeof *s->probes);
    HL_NEED(s->gates != NULL && s->tensors != NULL && s->probes != NULL, "a model with some of its heads");
    hl_evaluator evaluator = evaluator_of(s);
    HL_TRY(hl_evaluator_plan(&evaluator, T, &s->plan));
    return hl_arena_init(&s->arena, s->plan.bytes);
}

void hl_subset_free(hl_subset *s)
{
    hl_tape_plan_free(&s->plan);
    hl_arena_free(&s->arena);
    hl_free(s->gates);
    hl_free(s->tensors);
    hl_free(s->probes);
    s->gates = NULL;
    s->tensors = NULL;
    s->probes = NULL;
}

hl_status hl_subset_add(hl_subset *s, const hl_batch *batch, const bool *kept, hl_cross_entropy_result *sum)
{
    hl_evaluator evaluator = evaluator_of(s);
    if (kept != NULL) {
        set_gates(s, kept);
        evaluator.begin = use_gates;
    }
    return hl_evaluate(&evaluator, batch, sum);
}

hl_subset_worth hl_subset_worth_of(const hl_cross_entropy_result *sum)
{
    return (hl_subset_worth){ sum->loss_sum / (double)sum->n_known, (double)sum->n_correct / (double)sum->n_scored };
}

hl_status hl_subset_measure(hl_subset *s, const hl_batch *batch, const bool *kept, hl_subset_worth *worth)
{
    hl_cross_entropy_result sum = { 0 };
    HL_TRY(hl_subset_add(s, batch, kept, &sum));
    *worth = hl_subset_worth_of(&sum);
    return hl_ok();
}
