#include "heads/subset.h"

#include "core/memory.h"
#include "heads/head_set.h"

#include <math.h>

/* Gates for `count` examples. A layer that keeps all its heads has none. */
static void set_gates(const hl_subset *s, int64_t count, const bool *kept)
{
    hl_real *numbers = s->gates;
    for (int l = 0; l < s->model->config.n_layers; l++) {
        int64_t H = s->model->config.heads[l];
        s->tensors[l] = (hl_tensor){ .shape = HL_SHAPE(count, H), .data = numbers };
        s->probes[l] = (hl_head_probe){ .gate = hl_head_set_size(kept, H) < H ? &s->tensors[l] : NULL };
        for (int64_t i = 0; i < count * H; i++) {
            numbers[i] = kept[i % H] ? 1 : 0;
        }
        numbers += s->part * H;
        kept += H;
    }
}

static hl_status plan(const hl_subset *s, int64_t T, size_t *bytes)
{
    hl_arena records;
    HL_TRY(hl_arena_init(&records, hl_model_record_bytes(s->model)));
    hl_batch batch = { .n_examples = s->part, .n_tokens = T };
    hl_tape tape;
    hl_tape_begin(&tape, &records, (hl_tape_options){ .threads = s->threads, .dry = true });
    hl_model_loss(&tape, s->model, &batch, (hl_cross_entropy_args){ 0 }, s->probes);
    *bytes = hl_tape_bytes(&tape);
    hl_status status = hl_tape_status(&tape);
    hl_arena_free(&records);
    return status;
}

hl_status hl_subset_begin(hl_subset *s, int64_t T)
{
    int64_t n = hl_heads_count(&s->model->config);
    size_t count, L = (size_t)s->model->config.n_layers;
    s->arena = (hl_arena){ 0 };
    if (s->part < 1) {
        return hl_error(HL_INVALID, "parts of %lld examples cannot be", (long long)s->part);
    }
    s->gates = hl_multiply_sizes((size_t)s->part, (size_t)n, &count) ? hl_calloc(count, sizeof *s->gates) : NULL;
    s->tensors = hl_calloc(L, sizeof *s->tensors);
    s->probes = hl_calloc(L, sizeof *s->probes);
    bool *none = hl_calloc((size_t)n, sizeof *none);
    if (s->gates == NULL || s->tensors == NULL || s->probes == NULL || none == NULL) {
        hl_free(none);
        return hl_error_memory("a model with some of its heads");
    }
    set_gates(s, s->part, none);
    hl_free(none);
    size_t bytes;
    HL_TRY(plan(s, T, &bytes));
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

static hl_status measure_part(hl_subset *s, const hl_batch *part, const bool *kept, hl_cross_entropy_result *result)
{
    if (kept != NULL) {
        set_gates(s, part->n_examples, kept);
    }
    hl_tape tape;
    hl_tape_begin(&tape, &s->arena, (hl_tape_options){ .threads = s->threads });
    hl_model_loss(&tape, s->model, part, (hl_cross_entropy_args){ .result = result }, kept != NULL ? s->probes : NULL);
    hl_status status = hl_tape_status(&tape);
    hl_arena_rewind(&s->arena, 0);
    HL_TRY(status);
    return isfinite(result->loss_sum)
               ? hl_ok()
               : hl_error(HL_NOT_FINITE, "the loss of the model with some of its heads is not finite");
}

hl_status hl_subset_add(hl_subset *s, const hl_batch *examples, const bool *kept, hl_cross_entropy_result *sum)
{
    for (int64_t first = 0; first < examples->n_examples; first += s->part) {
        int64_t left = examples->n_examples - first;
        hl_batch part = hl_batch_part(examples, first, left < s->part ? left : s->part);
        hl_cross_entropy_result result = { 0 };
        HL_TRY(measure_part(s, &part, kept, &result));
        sum->loss_sum += result.loss_sum;
        sum->n_scored += result.n_scored;
        sum->n_correct += result.n_correct;
    }
    return hl_ok();
}

hl_subset_worth hl_subset_worth_of(const hl_cross_entropy_result *sum)
{
    double scored = (double)sum->n_scored;
    return (hl_subset_worth){ sum->loss_sum / scored, (double)sum->n_correct / scored };
}

hl_status hl_subset_measure(hl_subset *s, const hl_batch *examples, const bool *kept, hl_subset_worth *worth)
{
    hl_cross_entropy_result sum = { 0 };
    HL_TRY(hl_subset_add(s, examples, kept, &sum));
    *worth = hl_subset_worth_of(&sum);
    return hl_ok();
}
