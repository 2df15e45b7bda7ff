#include "train/trainer.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "core/kernels/private/reduce.h"
#include "core/ops/cross_entropy.h"
#include "core/private/forgotten_grads.h"
#include "heads/evaluator.h"
#include "optim/clip.h"
#include "train/private/trainer_holds.h"
#include "train/private/trainer_leaves.h"
#include "train/setup.h"

#include <math.h>
#include <string.h>

int64_t hl_trainer_evaluation_slice(const hl_config *config)
{
    enum { LOGITS = 1 << 24 }; /* a large vocabulary's logits for a whole batch would need most of the memory */
    int64_t most = LOGITS / (config->sizes.longest * config->sizes.targets),
            micro_batch = hl_trainer_micro_batch(config);
    most = most > 1 ? most : 1;
    most = most < micro_batch ? most : micro_batch;
    return most < config->train.eval_examples ? most : config->train.eval_examples;
}

int64_t hl_trainer_evaluation_rows(const hl_config *config)
{
    return hl_trainer_evaluation_slice(config) * config->sizes.longest;
}

hl_batch hl_trainer_largest(const hl_config *config)
{
    int64_t n = hl_trainer_micro_batch(config);
    hl_batch batch = hl_batch_largest(n, config->sizes.longest);
    batch.n_targets = n * config->sizes.answers;
    return batch;
}

/* Plans any micro-batch, and any slice of the validation set. After success, free both with hl_tape_plan_free. */
static hl_status plan_passes(const hl_model *model, const hl_config *config, int at_once, hl_tape_plan *training,
                             hl_tape_plan *evaluation)
{
    int64_t T = config->sizes.longest;
    int threads = hl_setup_threads(config);
    hl_batch largest = hl_trainer_largest(config);
    hl_evaluator evaluator = {
        .model = model, .rows = hl_trainer_evaluation_rows(config), .threads = threads, .loss = ""
    };
    hl_tape_options options = hl_trainer_pass_options(config, threads);
    options.memory.leaves = at_once;
    HL_TRY(hl_model_plan(model, &largest, options, training));
    hl_status status = hl_evaluator_plan(&evaluator, T, evaluation);
    if (status.code != HL_OK) {
        hl_tape_plan_free(training);
    }
    return status;
}

static size_t arena_bytes(const hl_config *config, const hl_tape_plan *training, const hl_tape_plan *evaluation,
                          int at_once)
{
    size_t bytes = hl_trainer_leaves_bytes(training, hl_setup_threads(config), at_once);
    return bytes > evaluation->bytes ? bytes : evaluation->bytes;
}

hl_status hl_trainer_plan(const hl_model *model, const hl_config *config, int at_once, size_t *bytes, double *flops)
{
    hl_tape_plan training, evaluation;
    HL_TRY(plan_passes(model, config, at_once, &training, &evaluation));
    *bytes = arena_bytes(config, &training, &evaluation, at_once);
    if (flops != NULL) {
        *flops = training.flops * (double)(config->train.leaves * config->optimizer.accumulate);
    }
    hl_tape_plan_free(&training);
    hl_tape_plan_free(&evaluation);
    return hl_ok();
}

/* If examples have different lengths, generates the code for all of them now, because a step allocates nothing. */
static hl_status prepare_lengths(const hl_trainer *trainer)
{
    if (trainer->config->sizes.n_lengths == 1) {
        return hl_ok();
    }
    hl_tape_options options = hl_trainer_pass_options(trainer->config, trainer->threads);
    options.memory.prepare = true;
    hl_batch largest = hl_trainer_largest(trainer->config);
    hl_tape_plan plan;
    HL_TRY(hl_model_plan(&trainer->model, &largest, options, &plan));
    hl_tape_plan_free(&plan);
    return hl_ok();
}

/* Prepares what measures how good the answers are, according to the task. */
static hl_status prepare_scores(hl_trainer *trainer)
{
    const hl_config *config = trainer->config;
    hl_text_task task;
    if (!hl_config_is_text(config, &task)) {
        hl_task_spec spec = hl_config_task_spec(config);
        trainer->scored = hl_task_find(spec.name)->is_chain ? HL_METRICS_CHAINS : HL_METRICS_PLAIN;
        return hl_ok();
    }
    if (task == HL_TEXT_FILE) {
        return hl_ok();
    }
    if (task == HL_TEXT_TAGS || task == HL_TEXT_CLASSES) {
        trainer->scored = HL_METRICS_CLASSES;
        return hl_class_counts_init(&trainer->classes, config->sizes.targets);
    }
    trainer->scored = HL_METRICS_TOKENS;
    return hl_scored_text_of_validation(hl_dataset_text(trainer->dataset), (uint64_t)config->train.seed,
                                        config->train.eval_examples, &trainer->text);
}

hl_status hl_trainer_reserve_sums(hl_trainer *trainer, const hl_validation_sums_pass *sums)
{
    return hl_leaf_sum_init(&trainer->sums, trainer->ranks, (int)trainer->config->train.leaves, 1,
                            (sums->count + 1) * sizeof(double), NULL);
}

hl_status hl_trainer_reserve(hl_trainer *trainer, const hl_config *config, hl_dataset *dataset, hl_ranks *ranks)
{
    *trainer =
        (hl_trainer){ .config = config, .ranks = ranks, .threads = hl_setup_threads(config), .dataset = dataset };
    HL_TRY(hl_setup_check_processes(config, hl_ranks_count(ranks), "the config"));
    HL_TRY(hl_setup_check_precision(config, "the config"));
    hl_model_config model = hl_setup_model(config);
    HL_TRY(hl_model_init(&trainer->model, &model));
    HL_TRY(hl_trainer_holds_init(trainer));
    int at_once = hl_trainer_at_once(config, hl_ranks_count(ranks), hl_ranks_rank(ranks));
    HL_TRY(plan_passes(&trainer->model, config, at_once, &trainer->plan, &trainer->evaluation));
    HL_TRY(hl_arena_init(&trainer->arena, arena_bytes(config, &trainer->plan, &trainer->evaluation, at_once)));
    HL_TRY(hl_model_reserve(&trainer->model, HL_MODEL_TRAINED));
    int leaves = (int)trainer->config->train.leaves;
    hl_parameters *parameters = &trainer->model.parameters;
    HL_TRY(hl_leaf_sum_init(&trainer->gradients, trainer->ranks, leaves, at_once,
                            (size_t)parameters->count * sizeof(hl_real), parameters->grads));
    HL_TRY(hl_leaf_sum_init(&trainer->figures, trainer->ranks, leaves, 1, sizeof(hl_leaf_figures), NULL));
    HL_TRY(hl_leaf_sum_init(&trainer->scores, trainer->ranks, leaves, 1, sizeof(hl_validation_leaf), NULL));
    HL_TRY(at_once > 1 ? hl_trainer_leaves_init(trainer, at_once) : hl_ok());
    HL_TRY(prepare_lengths(trainer));
    HL_TRY(hl_optimizer_init(&trainer->optimizer, &trainer->model.parameters, config->optimizer.update));
    trainer->schedule = hl_setup_schedule(config);
    HL_TRY(prepare_scores(trainer));
    int64_t T = hl_dataset_sizes(trainer->dataset)->longest, most = config->model.max_length,
            batch = config->train.batch_size, n = config->train.eval_examples;
    HL_TRY(hl_dataset_storage(trainer->dataset, batch, batch * T, most, &trainer->batch));
    HL_TRY(hl_dataset_storage(trainer->dataset, n, n * T, most, &trainer->validation));
    HL_TRY(hl_dataset_batch(trainer->dataset, HL_VALIDATION, 0, n, &trainer->validation));
    /* Without a target that training also has, there is no validation loss. */
    for (int64_t m = 0; m < trainer->validation.batch.n_targets; m++) {
        if (trainer->validation.batch.target_ids[m] != HL_IGNORE) {
            return hl_ok();
        }
    }
    return hl_error(HL_BAD_FILE,
                    "the validation set has no target that training has, too: are its labels spelled alike?");
}

void hl_trainer_draw(hl_trainer *trainer)
{
    uint64_t seed = (uint64_t)trainer->config->train.seed;
    hl_parameters_initialise_on(&trainer->model.parameters, seed, trainer->threads);
}

hl_status hl_trainer_init(hl_trainer *trainer, const hl_config *config)
{
    *trainer = (hl_trainer){ 0 };
    if (hl_config_is_text(config, NULL)) {
        return hl_error(HL_INVALID, "a trainer of text needs its data: hl_setup_data, then hl_trainer_reserve");
    }
    hl_task_spec spec = hl_config_task_spec(config);
    hl_dataset *dataset;
    HL_TRY(hl_dataset_open(&spec, (uint64_t)config->train.seed, &dataset));
    HL_TRY(hl_trainer_reserve(trainer, config, dataset, NULL));
    hl_trainer_draw(trainer);
    return hl_ok();
}

void hl_trainer_free(hl_trainer *trainer)
{
    hl_batch_storage_free(&trainer->batch);
    hl_batch_storage_free(&trainer->validation);
    hl_class_counts_free(&trainer->classes);
    hl_tape_plan_free(&trainer->plan);
    hl_tape_plan_free(&trainer->evaluation);
    hl_free(trainer->leaves);
    trainer->leaves = NULL;
    hl_leaf_sum_free(&trainer->gradients);
    hl_leaf_sum_free(&trainer->figures);
    hl_leaf_sum_free(&trainer->scores);
    hl_leaf_sum_free(&trainer->sums);
    hl_optimizer_free(&trainer->optimizer);
    hl_arena_free(&trainer->arena);
    hl_free(trainer->holds);
    trainer->holds = NULL;
    hl_model_free(&trainer->model);
    hl_dataset_free(trainer->dataset);
    trainer->dataset = NULL;
}

/* Forward and backward of one micro-batch. */
static hl_status run_micro_batch(hl_trainer *trainer, const hl_batch *batch, hl_leaf_figures *figures)
{
    hl_cross_entropy_result result = { 0 };
    size_t mark = trainer->arena.used;
    hl_tape tape;
    hl_tensor *loss = hl_trainer_forward(trainer, batch, &trainer->arena, NULL, &tape, &result);
    hl_status status = hl_trainer_check_loss(trainer, &tape, result.loss_sum);
    HL_THEN(status, hl_tape_backward(&tape, loss));
    hl_arena_rewind(&trainer->arena, mark);
    hl_leaf_figures_add(figures, trainer, &result, &tape);
    return status;
}

/* Runs one leaf, the examples from `first` on, micro-batch after micro-batch. */
static hl_status run_leaf(hl_trainer *trainer, int64_t first)
{
    const hl_batch *batch = &trainer->batch.batch;
    int64_t size = hl_trainer_micro_batch(trainer->config), end = first + trainer->config->optimizer.accumulate * size;
    hl_leaf_figures *figures = hl_leaf_sum_next(&trainer->figures);
    *figures = (hl_leaf_figures){ 0 };
    hl_status status = hl_ok();
    for (; first < end; first += size) {
        hl_batch micro_batch = hl_batch_slice(batch, first, size);
        if (micro_batch.n_targets > 0) {
            HL_THEN(status, run_micro_batch(trainer, &micro_batch, figures));
        }
    }
    hl_leaf_sum_push(&trainer->figures, 1);
    return status;
}

/* Computes the gradients of n leaves, and the figures of each, into their values. */
static hl_status run_leaves(hl_trainer *trainer, int leaf, int n)
{
    int64_t first = leaf * (trainer->config->train.batch_size / trainer->config->train.leaves);
    hl_real *gradients = hl_leaf_sum_next(&trainer->gradients);
    hl_parameters *parameters = &trainer->model.parameters;
    hl_status status;
    hl_parameters_grads_into(parameters, gradients);
    if (n > 1) {
        memset(gradients, 0, trainer->gradients.bytes);
        status = hl_trainer_leaves_run(trainer, first, n);
    } else {
        hl_forgotten_grads_begin(parameters);
        status = run_leaf(trainer, first);
        hl_forgotten_grads_end(parameters);
    }
    hl_leaf_sum_push(&trainer->gradients, n);
    return status;
}

typedef struct addition {
    hl_real *to;
    const hl_real *from;
} addition;

static void add_range(const void *context, hl_range range)
{
    const addition *a = context;
    hl_real *restrict to = a->to;
    const hl_real *restrict from = a->from;
    for (int64_t i = range.begin; i < range.end; i++) {
        to[i] += from[i];
    }
}

static void add_gradients(const void *context, void *to, const void *from)
{
    const hl_trainer *trainer = context;
    int64_t count = trainer->model.parameters.count;
    hl_threads_run(hl_threads_for(trainer->threads, count), count, HL_CACHE_LINE, add_range,
                   &(addition){ .to = to, .from = from });
}

static void add_figures(const void *context, void *to, const void *from)
{
    (void)context;
    hl_leaf_figures *sum = to;
    const hl_leaf_figures *more = from;
    sum->loss += more->loss;
    sum->correct += more->correct;
    sum->flops += more->flops;
}

static hl_status check_gradients(const hl_trainer *trainer, double norm)
{
    if (isfinite(norm)) {
        return hl_ok();
    }
    const hl_parameter *bad = hl_clip_find_not_finite(&trainer->model.parameters);
    norm = isnan(norm) ? (double)NAN : norm;
    return hl_error(HL_NOT_FINITE,
                    "step %lld: the gradient norm is %g; the first gradient that is not finite is that of %s",
                    (long long)trainer->optimizer.step + 1, norm, bad != NULL ? bad->name : "no single parameter");
}

hl_status hl_trainer_update(hl_trainer *trainer, hl_update *update)
{
    const hl_config *config = trainer->config;
    int64_t all = config->train.batch_size, step = trainer->optimizer.step;
    hl_trainer_holds_switch(trainer); /* a resumed run has just got its step */
    hl_leaf_sum_begin(&trainer->gradients, add_gradients, trainer);
    hl_leaf_sum_begin(&trainer->figures, add_figures, NULL);
    hl_status status = hl_dataset_batch(trainer->dataset, HL_TRAIN, step * all, all, &trainer->batch);
    for (int leaf = trainer->gradients.first, n; leaf < trainer->gradients.last && status.code == HL_OK; leaf += n) {
        n = hl_leaf_sum_group(&trainer->gradients);
        status = run_leaves(trainer, leaf, n);
    }
    HL_TRY(hl_ranks_agree(trainer->ranks, status));
    hl_leaf_sum_finish(&trainer->gradients);
    hl_leaf_sum_finish(&trainer->figures);
    HL_TRY(hl_ranks_agree(trainer->ranks, hl_ok())); /* until then, it may not be a sum: ranks.h */
    hl_trainer_holds_act(trainer, step, HL_FROZEN_CLEAR);
    const hl_leaf_figures *found = trainer->figures.total;
    *update = (hl_update){
        .loss = found->loss,
        .scored = trainer->batch.batch.n_targets,
        .correct = found->correct,
        .tokens = trainer->batch.batch.n_rows,
        .flops = found->flops,
        .learning_rate = hl_schedule_rate(&trainer->schedule, step + 1),
        .grad_norm = hl_clip_gradients(trainer->threads, &trainer->model.parameters, config->optimizer.clip_norm),
    };
    HL_TRY(check_gradients(trainer, update->grad_norm));
    hl_trainer_holds_act(trainer, step, HL_FROZEN_KEEP);
    hl_optimizer_step(&trainer->optimizer, trainer->threads, update->learning_rate);
    hl_trainer_holds_act(trainer, step, HL_FROZEN_RESTORE);
    hl_trainer_holds_switch(trainer);
    if (trainer->ranks != NULL && trainer->ranks->mixed) { /* weights that are computed separately would drift apart */
        const hl_parameters *parameters = &trainer->model.parameters;
        hl_ranks_broadcast(trainer->ranks, parameters->values, (size_t)parameters->count * sizeof(hl_real));
    }
    return hl_ok();
}

static bool block_finite(int threads, const hl_real *block, int64_t count)
{
    /* In double, the squares of floats cannot overflow: the sum is finite exactly if every number is. */
    return block == NULL || isfinite(hl_sum_squares(threads, block, count));
}

hl_status hl_trainer_check_finite(const hl_trainer *trainer)
{
    const hl_parameters *parameters = &trainer->model.parameters;
    const hl_real *blocks[] = { parameters->values, trainer->optimizer.m, trainer->optimizer.v };
    static const char *const names[] = { "weight", "first moment", "second moment" };
    for (int i = 0; i < 3; i++) {
        if (block_finite(trainer->threads, blocks[i], parameters->count)) {
            continue;
        }
        for (int p = 0; p < parameters->n; p++) {
            const hl_parameter *parameter = &parameters->list[p];
            if (!block_finite(1, blocks[i] + parameter->offset, parameter->count)) {
                return hl_error(HL_NOT_FINITE, "step %lld: a %s of %s is not finite",
                                (long long)trainer->optimizer.step, names[i], parameter->name);
            }
        }
    }
    return hl_ok();
}
