#include "heads/subset.h"

#include "core/base/memory.h"
#include "core/base/private/block.h"
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

static hl_status use_gates(void *context, hl_evaluator_slice *slice)
{
    slice->probes = ((const hl_subset *)context)->probes;
    return hl_ok();
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

static void lay_out(void *context, hl_block *block)
{
    hl_subset *s = context;
    int L = s->model->config.n_layers;
    s->tensors = hl_block_take(block, L, sizeof *s->tensors);
    s->probes = hl_block_take(block, L, sizeof *s->probes);
    s->gates = hl_block_take(block, hl_heads_count(&s->model->config), sizeof *s->gates);
}

hl_status hl_subset_begin(hl_subset *s, int64_t T)
{
    s->plan = (hl_tape_plan){ 0 };
    s->arena = (hl_arena){ 0 };
    HL_TRY(hl_block_make(&s->memory, lay_out, s, "a model with some of its heads"));
    hl_evaluator evaluator = evaluator_of(s);
    HL_TRY(hl_evaluator_plan(&evaluator, T, &s->plan));
    return hl_arena_init(&s->arena, s->plan.bytes);
}

void hl_subset_free(hl_subset *s)
{
    hl_tape_plan_free(&s->plan);
    hl_arena_free(&s->arena);
    hl_free(s->memory);
    s->memory = NULL;
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
