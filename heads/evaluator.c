#include "heads/evaluator.h"

#include "core/finite_watch.h"

#include <math.h>

/* Forward over a slice; returns the logits, NULL with a sticky error on the tape, or where no row has a target, or
 * without a loss where there is no output layer. */
static const hl_tensor *forward(hl_tape *tape, const hl_evaluator *evaluator, const hl_evaluator_slice *slice,
                                hl_cross_entropy_result *result)
{
    const hl_batch *batch = &slice->batch;
    hl_tensor *x = hl_model_embed(tape, evaluator->model, batch);
    x = hl_model_layers(tape, evaluator->model, batch, 0, x, slice->probes);
    if (batch->n_targets == 0 || (evaluator->loss == NULL && evaluator->model->config.head == HL_HEAD_NONE)) {
        return NULL;
    }
    hl_tensor *logits = hl_model_target_logits(tape, evaluator->model, batch, x);
    if (evaluator->loss != NULL) {
        hl_cross_entropy(tape, logits, (hl_cross_entropy_args){ .targets = batch->target_ids, .result = result });
    }
    return logits;
}

hl_status hl_evaluator_plan(const hl_evaluator *evaluator, int64_t T, hl_tape_plan *plan)
{
    *plan = (hl_tape_plan){ 0 };
    if (evaluator->rows < 1) {
        return hl_error(HL_INVALID, "slices of %lld rows cannot be", (long long)evaluator->rows);
    }
    /* The most of everything that a slice may have: examples of one row each, or one example of T. */
    int64_t rows = evaluator->rows > T ? evaluator->rows : T;
    hl_evaluator_slice slice = { .batch = { .n_examples = rows, .n_rows = rows, .longest = T, .n_targets = rows } };
    hl_arena records;
    HL_TRY(hl_arena_init(&records, hl_model_record_bytes(evaluator->model)));
    hl_tape tape;
    hl_tape_begin(&tape, &records, (hl_tape_options){ .threads = evaluator->threads, .dry = true, .reuse = true });
    forward(&tape, evaluator, &slice, NULL);
    hl_status status = hl_tape_plan_make(&tape, plan);
    hl_arena_free(&records);
    return status;
}

/* The pass whose loss is not finite, once more, to find where that begins. */
static hl_status find_not_finite(const hl_evaluator *evaluator, const hl_evaluator_slice *slice,
                                 hl_tape_options options, double loss)
{
    hl_finite_watch watch = { "" };
    hl_tape_observer observer = hl_finite_watch_observer(&watch);
    hl_cross_entropy_result result = { 0 };
    options.observer = &observer;
    hl_tape tape;
    hl_tape_begin(&tape, evaluator->arena, options);
    forward(&tape, evaluator, slice, &result);
    return hl_finite_watch_status(&watch, evaluator->loss, loss);
}

static hl_status run_slice(const hl_evaluator *evaluator, hl_evaluator_slice *slice, hl_cross_entropy_result *sum)
{
    hl_tape_options options = { .threads = evaluator->threads, .observer = slice->observer, .plan = evaluator->plan };
    hl_cross_entropy_result result = { 0 };
    size_t mark = evaluator->arena->used;
    hl_tape tape;
    hl_tape_begin(&tape, evaluator->arena, options);
    const hl_tensor *logits = forward(&tape, evaluator, slice, &result);
    HL_TRY(hl_tape_status(&tape));
    if (!isfinite(result.loss_sum)) {
        hl_arena_rewind(evaluator->arena, mark);
        return find_not_finite(evaluator, slice, options, result.loss_sum);
    }
    if (evaluator->end != NULL) {
        evaluator->end(evaluator->context, slice, logits != NULL ? logits->data : NULL);
    }
    if (sum != NULL) {
        sum->loss_sum += result.loss_sum;
        sum->n_scored += result.n_scored;
        sum->n_known += result.n_known;
        sum->n_correct += result.n_correct;
    }
    return hl_ok();
}

hl_status hl_evaluate(const hl_evaluator *evaluator, const hl_batch *batch, hl_cross_entropy_result *sum)
{
    size_t mark = evaluator->arena->used;
    for (int64_t first = 0; first < batch->n_examples;) {
        int64_t count = hl_batch_fitting(batch, first, evaluator->rows);
        hl_evaluator_slice slice = { .first = first, .batch = hl_batch_slice(batch, first, count) };
        if (evaluator->begin != NULL && !evaluator->begin(evaluator->context, &slice)) {
            return hl_ok();
        }
        hl_status status = run_slice(evaluator, &slice, sum);
        hl_arena_rewind(evaluator->arena, mark);
        HL_TRY(status);
        first += count;
    }
    return hl_ok();
}
