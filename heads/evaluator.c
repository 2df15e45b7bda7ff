#include "heads/evaluator.h"

#include "core/finite_watch.h"

#include <math.h>
#include <string.h>

/* Copies x (N, D) to its place among the states. */
static void keep_state(const hl_evaluator_slice *slice, int i, const hl_tensor *x)
{
    if (slice->states != NULL && x != NULL) {
        int64_t count = hl_shape_count(x->shape);
        memcpy(slice->states + i * count, x->data, (size_t)count * sizeof *x->data);
    }
}

/* Forward over a slice; returns what `end` is given, NULL with a sticky error on the tape, too. */
static const hl_tensor *forward(hl_tape *tape, const hl_evaluator *evaluator, const hl_evaluator_slice *slice,
                                hl_cross_entropy_result *result)
{
    const hl_batch *batch = &slice->batch;
    const hl_encoder *encoder = &evaluator->model->encoder;
    hl_attention_rules rules = hl_model_rules(evaluator->model, batch);
    hl_tensor *x = hl_model_embed(tape, evaluator->model, batch);
    for (int l = 0; l < encoder->n_layers; l++) {
        keep_state(slice, l, x);
        const hl_head_probe *probe = slice->probes != NULL ? &slice->probes[l] : NULL;
        x = hl_encoder_layer_forward(tape, &encoder->layers[l], x, &rules, probe);
    }
    if (evaluator->hidden) {
        x = hl_encoder_end(tape, encoder, x);
        keep_state(slice, encoder->n_layers, x);
        return x;
    }
    if (batch->n_targets == 0 || (evaluator->loss == NULL && evaluator->model->config.head == HL_HEAD_NONE)) {
        return NULL;
    }
    hl_tensor *logits = hl_model_target_logits(tape, evaluator->model, batch, x);
    if (evaluator->loss != NULL) {
        hl_cross_entropy(tape, logits, (hl_cross_entropy_args){ .targets = batch->target_ids, .result = result });
    }
    return logits;
}

typedef struct planned {
    const hl_evaluator *evaluator;
    const hl_batch *batch;
} planned;

static hl_status record_largest(hl_tape *tape, void *context)
{
    const planned *p = context;
    forward(tape, p->evaluator, &(hl_evaluator_slice){ .batch = *p->batch }, NULL);
    return hl_tape_status(tape);
}

hl_status hl_evaluator_plan_largest(const hl_evaluator *evaluator, const hl_batch *largest, hl_tape_plan *plan)
{
    return hl_tape_plan_pass(hl_model_record_bytes(evaluator->model),
                             (hl_tape_options){ .threads = evaluator->threads, .memory = { .reuse = true } },
                             record_largest, &(planned){ evaluator, largest }, plan);
}

hl_status hl_evaluator_plan(const hl_evaluator *evaluator, int64_t T, hl_tape_plan *plan)
{
    *plan = (hl_tape_plan){ 0 };
    if (evaluator->rows < 1) {
        return hl_error(HL_INVALID, "slices of %lld rows cannot be", (long long)evaluator->rows);
    }
    /* The most of everything that a slice may have: examples of one row each, or one example of T. */
    int64_t rows = evaluator->rows > T ? evaluator->rows : T;
    return hl_evaluator_plan_largest(
        evaluator, &(hl_batch){ .n_examples = rows, .n_rows = rows, .longest = T, .n_targets = rows }, plan);
}

/* Runs the slice, adds its results to *result and calls `end`. A loss that is not finite is left in *result alone. */
static hl_status run_slice(const hl_evaluator *evaluator, const hl_evaluator_slice *slice,
                           const hl_tape_observer *observer, hl_cross_entropy_result *result)
{
    hl_tape tape;
    hl_tape_begin(&tape, evaluator->arena,
                  (hl_tape_options){
                      .threads = evaluator->threads, .observer = observer, .memory = { .plan = evaluator->plan } });
    const hl_tensor *out = forward(&tape, evaluator, slice, result);
    HL_TRY(hl_tape_status(&tape));
    bool ends = isfinite(result->loss_sum) && evaluator->end != NULL;
    return ends ? evaluator->end(evaluator->context, slice, out != NULL ? out->data : NULL) : hl_ok();
}

/* The slice whose loss is not finite, run once more to find where that begins. */
static hl_status find_not_finite(const hl_evaluator *evaluator, const hl_evaluator_slice *slice, double loss)
{
    hl_finite_watch watch = { "" };
    hl_tape_observer observer = hl_finite_watch_observer(&watch);
    hl_cross_entropy_result again = { 0 };
    HL_TRY(run_slice(evaluator, slice, &observer, &again));
    return hl_finite_watch_status(&watch, evaluator->loss, loss);
}

void hl_evaluation_add(hl_cross_entropy_result *sum, const hl_cross_entropy_result *more)
{
    sum->loss_sum += more->loss_sum;
    sum->n_scored += more->n_scored;
    sum->n_known += more->n_known;
    sum->n_correct += more->n_correct;
}

hl_status hl_evaluate(const hl_evaluator *evaluator, const hl_batch *batch, hl_cross_entropy_result *sum)
{
    size_t mark = evaluator->arena->used;
    for (int64_t first = 0; first < batch->n_examples;) {
        int64_t count = hl_batch_fitting(batch, first, evaluator->rows);
        hl_evaluator_slice slice = { .first = first, .batch = hl_batch_slice(batch, first, count) };
        HL_TRY(evaluator->begin != NULL ? evaluator->begin(evaluator->context, &slice) : hl_ok());
        hl_cross_entropy_result result = { 0 };
        hl_status status = run_slice(evaluator, &slice, slice.observer, &result);
        hl_arena_rewind(evaluator->arena, mark);
        HL_TRY(status);
        if (!isfinite(result.loss_sum)) {
            status = find_not_finite(evaluator, &slice, result.loss_sum);
            hl_arena_rewind(evaluator->arena, mark);
            return status;
        }
        if (sum != NULL) {
            hl_evaluation_add(sum, &result);
        }
        first += count;
    }
    return hl_ok();
}

hl_status hl_evaluate_once(hl_evaluator evaluator, const hl_batch *batch, hl_cross_entropy_result *sum)
{
    hl_tape_plan plan;
    hl_arena arena = { 0 };
    HL_TRY(hl_evaluator_plan(&evaluator, batch->longest, &plan));
    evaluator.plan = &plan;
    evaluator.arena = &arena;
    hl_status status = hl_arena_init(&arena, plan.bytes);
    HL_THEN(status, hl_evaluate(&evaluator, batch, sum));
    hl_arena_free(&arena);
    hl_tape_plan_free(&plan);
    return status;
}
