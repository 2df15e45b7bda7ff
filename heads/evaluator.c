#include "heads/evaluator.h"

#include <math.h>

/* Forward over a slice; returns the logits, NULL with a sticky error on the tape. */
static const hl_tensor *forward(hl_tape *tape, const hl_evaluator *evaluator, const hl_evaluator_slice *slice,
                                hl_cross_entropy_result *result)
{
    hl_tensor *logits = hl_model_logits(tape, evaluator->model, &slice->examples, slice->probes);
    if (evaluator->loss != NULL) {
        hl_cross_entropy(tape, logits, (hl_cross_entropy_args){ .targets = slice->examples.targets, .result = result });
    }
    return logits;
}

static bool begin(const hl_evaluator *evaluator, hl_evaluator_slice *slice)
{
    return evaluator->begin == NULL || evaluator->begin(evaluator->context, slice);
}

hl_status hl_evaluator_plan(const hl_evaluator *evaluator, int64_t T, size_t *bytes)
{
    hl_evaluator_slice slice = { .examples = { .n_examples = evaluator->slice, .n_tokens = T } };
    begin(evaluator, &slice);
    hl_arena records;
    HL_TRY(hl_arena_init(&records, hl_model_record_bytes(evaluator->model)));
    hl_tape tape;
    hl_tape_begin(&tape, &records, (hl_tape_options){ .threads = evaluator->threads, .dry = true });
    forward(&tape, evaluator, &slice, NULL);
    *bytes = hl_tape_bytes(&tape);
    hl_status status = hl_tape_status(&tape);
    hl_arena_free(&records);
    return status;
}

static hl_status run_slice(const hl_evaluator *evaluator, hl_evaluator_slice *slice, hl_cross_entropy_result *sum)
{
    hl_cross_entropy_result result = { 0 };
    hl_tape tape;
    hl_tape_begin(&tape, evaluator->arena,
                  (hl_tape_options){ .threads = evaluator->threads, .observer = slice->observer });
    const hl_tensor *logits = forward(&tape, evaluator, slice, &result);
    HL_TRY(hl_tape_status(&tape));
    if (!isfinite(result.loss_sum)) {
        return hl_tape_not_finite(&tape, evaluator->loss, result.loss_sum);
    }
    if (evaluator->end != NULL) {
        evaluator->end(evaluator->context, slice, logits->data);
    }
    if (sum != NULL) {
        sum->loss_sum += result.loss_sum;
        sum->n_scored += result.n_scored;
        sum->n_correct += result.n_correct;
    }
    return hl_ok();
}

hl_status hl_evaluate(const hl_evaluator *evaluator, const hl_examples *examples, hl_cross_entropy_result *sum)
{
    size_t mark = evaluator->arena->used;
    for (int64_t first = 0; first < examples->n_examples; first += evaluator->slice) {
        int64_t left = examples->n_examples - first, count = left < evaluator->slice ? left : evaluator->slice;
        hl_evaluator_slice slice = { .first = first, .examples = hl_examples_slice(examples, first, count) };
        if (!begin(evaluator, &slice)) {
            return hl_ok();
        }
        hl_status status = run_slice(evaluator, &slice, sum);
        hl_arena_rewind(evaluator->arena, mark);
        HL_TRY(status);
    }
    return hl_ok();
}
