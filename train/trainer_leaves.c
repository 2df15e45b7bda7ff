#include "train/private/trainer_leaves.h"
#include "core/base/memory.h"
#include "core/base/threads.h"
#include "core/finite_watch.h"
#include "core/ops/cross_entropy.h"
#include "core/private/tape_leaves.h"
#include "train/setup.h"

#include <math.h>
#include <stdio.h>

struct hl_trainer_leaf {
    hl_arena arena; /* a part of the trainer's arena */
    hl_batch batch;
    hl_cross_entropy_result result;
    hl_tape_kept kept;  /* belongs to the thread with this index */
    hl_tape_leaf *leaf; /* an element of an array after these */
};

int64_t hl_trainer_micro_batch(const hl_config *config)
{
    return config->train.batch_size / (config->train.leaves * config->optimizer.accumulate);
}

hl_tape_options hl_trainer_pass_options(const hl_config *config, int threads)
{
    return (hl_tape_options){ .threads = threads,
                              .training = true,
                              .gradients = true,
                              .memory = { .reuse = true },
                              .seed = (uint64_t)config->train.seed };
}

hl_tensor *hl_trainer_forward(const hl_trainer *trainer, const hl_batch *batch, hl_arena *arena, hl_tape_kept *kept,
                              hl_tape *tape, hl_cross_entropy_result *result)
{
    hl_tape_options options = hl_trainer_pass_options(trainer->config, kept != NULL ? 1 : trainer->threads);
    options.step = (uint32_t)(trainer->optimizer.step + 1);
    options.memory.plan = &trainer->plan;
    options.memory.kept = kept;
    options.observer = trainer->observer;
    options.places = batch->places;
    options.n_places = batch->n_rows;
    hl_cross_entropy_args args = { .n = trainer->batch.batch.n_targets,
                                   .smoothing = (hl_real)trainer->config->optimizer.label_smoothing,
                                   .result = result };
    hl_tape_begin(tape, arena, options);
    return hl_model_loss(tape, &trainer->model, batch, args, NULL);
}

void hl_leaf_figures_add(hl_leaf_figures *figures, const hl_trainer *trainer, const hl_cross_entropy_result *result,
                         const hl_tape *tape)
{
    figures->loss += result->loss_sum / (double)trainer->batch.batch.n_targets;
    figures->correct += result->n_correct;
    figures->flops += tape->flops;
}

hl_status hl_trainer_check_loss(const hl_trainer *trainer, const hl_tape *tape, double loss)
{
    HL_TRY(hl_tape_status(tape));
    if (isfinite(loss)) {
        return hl_ok();
    }
    char what[64];
    snprintf(what, sizeof what, "step %lld: the loss", (long long)trainer->optimizer.step + 1);
    return hl_tape_not_finite(tape, what, loss);
}

int hl_trainer_at_once(const hl_config *config, int processes, int rank)
{
    int leaves = hl_leaf_sum_largest((int)config->train.leaves, processes, rank), threads = hl_setup_threads(config);
    int turns = (leaves + threads - 1) / threads;
    bool busy = 4 * leaves >= 3 * turns * threads; /* three quarters of the threads */
    return busy && config->optimizer.accumulate == 1 && !config->model.tie_embedding ? leaves : 1;
}

size_t hl_trainer_leaves_bytes(const hl_tape_plan *plan, int threads, int at_once)
{
    if (at_once == 1) {
        return plan->bytes;
    }
    size_t leaves = hl_size_product((size_t)at_once, hl_arena_round(plan->bytes)),
           kept = hl_size_product((size_t)(threads < at_once ? threads : at_once), hl_arena_round(plan->kept));
    return hl_size_sum(hl_size_sum(leaves, kept), hl_arena_round(plan->sums));
}

hl_status hl_trainer_leaves_init(hl_trainer *trainer, int at_once)
{
    size_t n = (size_t)at_once;
    hl_trainer_leaf *leaves = hl_calloc(n, sizeof *leaves + sizeof(hl_tape_leaf));
    HL_NEED(leaves != NULL, "the leaves of a batch");
    hl_tape_leaf *tapes = (hl_tape_leaf *)(leaves + n);
    for (size_t i = 0; i < n; i++) {
        leaves[i].leaf = &tapes[i];
    }
    trainer->leaves = leaves;
    return hl_ok();
}

static void run_forward(const void *context, hl_range range)
{
    const hl_trainer *trainer = context;
    hl_tape_kept *kept = &trainer->leaves[range.thread].kept;
    for (int64_t i = range.begin; i < range.end; i++) {
        hl_trainer_leaf *own = &trainer->leaves[i];
        if (!own->leaf->empty) {
            own->leaf->loss =
                hl_trainer_forward(trainer, &own->batch, &own->arena, kept, &own->leaf->tape, &own->result);
            kept->made = true;
        }
    }
}

static void push_figures(hl_trainer *trainer, int n)
{
    for (int i = 0; i < n; i++) {
        const hl_trainer_leaf *own = &trainer->leaves[i];
        hl_leaf_figures *figures = hl_leaf_sum_next(&trainer->figures);
        *figures = (hl_leaf_figures){ 0 };
        if (!own->leaf->empty) {
            hl_leaf_figures_add(figures, trainer, &own->result, &own->leaf->tape);
        }
        hl_leaf_sum_push(&trainer->figures, 1);
    }
}

static hl_status check_losses(const hl_trainer *trainer, int n)
{
    for (int i = 0; i < n; i++) {
        const hl_trainer_leaf *own = &trainer->leaves[i];
        if (!own->leaf->empty) {
            HL_TRY(hl_trainer_check_loss(trainer, &own->leaf->tape, own->result.loss_sum));
        }
    }
    return hl_ok();
}

hl_status hl_trainer_leaves_run(hl_trainer *trainer, int64_t first, int n)
{
    int threads = trainer->observer != NULL ? 1 : trainer->threads;
    size_t mark = trainer->arena.used;
    /* Each leaf gets its batch and its memory. */
    int64_t size = hl_trainer_micro_batch(trainer->config);
    size_t bytes = trainer->plan.bytes;
    for (int i = 0; i < n; i++) {
        hl_trainer_leaf *own = &trainer->leaves[i];
        own->batch = hl_batch_slice(&trainer->batch.batch, first + i * size, size);
        own->leaf->empty = own->batch.n_targets == 0;
        own->arena = (hl_arena){ .block = hl_arena_allocate(&trainer->arena, bytes), .capacity = bytes };
        own->result = (hl_cross_entropy_result){ 0 };
    }
    hl_real *scratch = hl_arena_allocate(&trainer->arena, trainer->plan.sums);
    for (int thread = 0; thread < threads && thread < n; thread++) {
        trainer->leaves[thread].kept =
            (hl_tape_kept){ .numbers = hl_arena_allocate(&trainer->arena, trainer->plan.kept) };
    }
    hl_threads_run(threads, n, 1, run_forward, trainer);
    hl_status status = check_losses(trainer, n);
    HL_THEN(status, hl_tape_leaves_backward(threads, n, trainer->leaves->leaf, scratch));
    push_figures(trainer, n);
    hl_arena_rewind(&trainer->arena, mark);
    return status;
}
