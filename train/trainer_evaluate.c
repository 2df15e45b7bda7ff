#include "core/base/clock.h"
#include "heads/evaluator.h"
#include "train/private/trainer_leaves.h"
#include "train/signals.h"
#include "train/trainer.h"

#include <stdio.h>

typedef struct validation {
    hl_trainer *trainer;
    hl_validation_leaf *leaf;      /* that is being computed */
    hl_validation_sums_pass *sums; /* or NULL */
    bool dropped;
} validation;

static hl_status begin_slice(void *context, hl_evaluator_slice *slice)
{
    validation *v = context;
    if (hl_signals_received() != 0 || hl_ranks_signal(v->trainer->ranks) != 0) {
        v->dropped = true;
    } else if (v->sums != NULL) {
        hl_validation_sums_pass_batch(v->sums, &slice->batch, v->trainer->threads);
        slice->probes = v->sums->probes;
        slice->observer = &v->sums->observer;
    }
    return v->dropped ? hl_error(HL_FAILED, "dropped") : hl_ok();
}

static hl_status count_classes(void *context, const hl_evaluator_slice *slice, const hl_real *logits)
{
    const validation *v = context;
    hl_class_counts_add(&v->trainer->classes, logits, slice->batch.target_ids, slice->batch.n_targets);
    return hl_ok();
}

static hl_status compare_predictors(void *context, const hl_evaluator_slice *slice, const hl_real *logits)
{
    const validation *v = context;
    hl_predictor_scores_add(&v->leaf->predictors, &slice->batch, logits, v->trainer->config->sizes.targets);
    return hl_ok();
}

static void add_scores(const void *context, void *to, const void *from)
{
    (void)context;
    hl_validation_leaf *sum = to;
    const hl_validation_leaf *more = from;
    hl_evaluation_add(&sum->scores, &more->scores);
    for (int i = 0; i < HL_PREDICTORS; i++) {
        sum->predictors.loss[i] += more->predictors.loss[i];
        sum->predictors.kl[i] += more->predictors.kl[i];
    }
}

static void add_sums(const void *context, void *to, const void *from)
{
    hl_validation_sums_pass_add(context, to, from);
}

/* Computes this rank's leaves into the values of the two sums. */
static hl_status evaluate_leaves(const hl_evaluator *evaluator, validation *v)
{
    hl_trainer *trainer = v->trainer;
    const hl_batch *all = &trainer->validation.batch;
    int64_t n = all->n_examples, leaves = trainer->config->train.leaves;
    for (int leaf = trainer->scores.first; leaf < trainer->scores.last && !v->dropped; leaf++) {
        int64_t first = leaf * n / leaves, end = (leaf + 1) * n / leaves;
        hl_batch batch = hl_batch_slice(all, first, end - first);
        v->leaf = hl_leaf_sum_next(&trainer->scores);
        *v->leaf = (hl_validation_leaf){ 0 };
        if (v->sums != NULL) {
            hl_validation_sums_pass_begin(v->sums);
        }
        hl_status status = hl_evaluate(evaluator, &batch, &v->leaf->scores);
        HL_TRY(v->dropped ? hl_ok() : status);
        hl_leaf_sum_push(&trainer->scores, 1);
        if (v->sums != NULL) {
            hl_validation_sums_pass_save(v->sums, hl_leaf_sum_next(&trainer->sums));
            hl_leaf_sum_push(&trainer->sums, 1);
        }
    }
    return hl_ok();
}

/* Adds the counts of all ranks. */
static void share_classes(hl_ranks *ranks, hl_class_counts *counts)
{
    hl_ranks_sum(ranks, &counts->n_targets, 1);
    hl_ranks_sum(ranks, counts->cases, (int64_t)(hl_class_counts_bytes(counts->n_classes) / sizeof *counts->cases));
}

hl_status hl_trainer_evaluate(hl_trainer *trainer, hl_validation_sums_pass *sums, hl_evaluation *evaluation)
{
    double begin = hl_clock_seconds();
    bool classes = trainer->scored == HL_METRICS_CLASSES, tokens = trainer->scored == HL_METRICS_TOKENS;
    bool chains = trainer->scored == HL_METRICS_CHAINS;
    hl_ranks *ranks = trainer->ranks;
    validation v = { .trainer = trainer, .sums = sums };
    char loss[64];
    snprintf(loss, sizeof loss, "step %lld: the validation loss", (long long)trainer->optimizer.step);
    hl_evaluator evaluator = { .model = &trainer->model,
                               .arena = &trainer->arena,
                               .plan = &trainer->evaluation,
                               .rows = hl_trainer_evaluation_rows(trainer->config),
                               .threads = trainer->threads,
                               .loss = loss,
                               .begin = begin_slice,
                               .end = classes  ? count_classes
                                      : chains ? compare_predictors
                                               : NULL,
                               .context = &v };
    hl_leaf_sum_begin(&trainer->scores, add_scores, NULL);
    hl_leaf_sum_begin(&trainer->sums, add_sums, sums);
    if (classes) {
        hl_class_counts_clear(&trainer->classes);
    }
    HL_TRY(hl_ranks_agree(ranks, evaluate_leaves(&evaluator, &v)));
    if (v.dropped || (hl_ranks_count(ranks) > 1 && hl_ranks_signal(ranks) != 0)) {
        *evaluation = (hl_evaluation){ .dropped = true };
        return hl_ok();
    }
    hl_leaf_sum_finish(&trainer->scores);
    if (sums != NULL) {
        hl_leaf_sum_finish(&trainer->sums);
        hl_validation_sums_pass_load(sums, trainer->sums.total);
    }
    if (classes) {
        share_classes(ranks, &trainer->classes);
    }
    HL_TRY(hl_ranks_agree(ranks, hl_ok())); /* as after an update */
    double seconds = hl_clock_seconds() - begin;
    const hl_validation_leaf *sum = trainer->scores.total;
    *evaluation = (hl_evaluation){
        .scores = hl_scores_of(&sum->scores, classes ? &trainer->classes : NULL, tokens ? &trainer->text : NULL),
        .tokens_per_second = seconds > 0 ? (double)trainer->validation.batch.n_rows / seconds : 0,
    };
    for (int i = 0; i < HL_PREDICTORS && chains; i++) {
        double n = (double)sum->scores.n_scored;
        evaluation->scores.predictors.loss[i] = sum->predictors.loss[i] / n;
        evaluation->scores.predictors.kl[i] = sum->predictors.kl[i] / n;
    }
    return hl_ok();
}
