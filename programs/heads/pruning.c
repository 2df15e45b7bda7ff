#include "programs/heads/pruning.h"

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "heads/head_set.h"
#include "heads/importance.h"
#include "heads/prune.h"
#include "study/study.h"
#include "study/validation.h"

#include <math.h>

/* What the way down needs. */
typedef struct descent {
    hl_heads_pruning *pruning;
    hl_opened_model *run;
    const hl_snapshot *snapshot; /* whose examples tell importance; the run's */
    hl_heads_validation validation;
    double *importance; /* of every head of the whole model, as last measured */
} descent;

static void keep_all(const descent *d)
{
    for (int64_t i = 0; i < hl_heads_count(&d->run->source.shape); i++) {
        d->pruning->kept[i] = true;
    }
}

/* ---- what is left ---- */

static hl_status add_row(descent *d, const hl_model *model, int64_t removed)
{
    hl_heads_pruning_row *row = &d->pruning->rows[d->pruning->n_rows++];
    *row = (hl_heads_pruning_row){ .heads = hl_heads_count(&model->config),
                                   .removed = removed,
                                   .parameters = hl_parameters_count(&model->parameters),
                                   .seconds = INFINITY };
    return hl_heads_validate(&d->validation, model, NULL, &row->worth);
}

/* ---- which goes next ---- */

/* Of the model's heads, which are those that are kept, in order. */
static hl_status measure_importance(descent *d, hl_model *model)
{
    hl_importance importance;
    bool by_loss = d->pruning->by == HL_PRUNE_BY_LOSS;
    HL_TRY(hl_importance_measure(model, &d->snapshot->examples, d->snapshot->layers, d->run->source.slice,
                                 d->validation.threads, by_loss ? HL_IMPORTANCE_ZERO : HL_IMPORTANCE_GRADIENT, NULL,
                                 &importance));
    d->pruning->n_importance = importance.n_examples;
    int64_t next = 0;
    for (int64_t i = 0; next < importance.n; i++) {
        if (d->pruning->kept[i]) {
            d->importance[i] = by_loss ? importance.heads[next].zero.mean : importance.heads[next].gradient.mean;
            next++;
        }
    }
    hl_importance_free(&importance);
    return hl_ok();
}

static hl_status prune(descent *d)
{
    hl_model_free(&d->pruning->model);
    return hl_prune(&d->run->model, d->pruning->kept, &d->pruning->model);
}

/* Takes one head out of `model`, which is the whole or the pruned one. */
static hl_status take_out(descent *d, hl_model *model)
{
    hl_heads_pruning *pruning = d->pruning;
    if (!pruning->once || pruning->n_rows == 1) {
        HL_TRY(measure_importance(d, model));
    }
    int64_t next = hl_prune_next(&d->run->source.shape, d->importance, pruning->kept);
    pruning->kept[next] = false;
    HL_TRY(prune(d));
    return add_row(d, &pruning->model, next);
}

/* ---- how fast ---- */

/* The fastest of the passes that a short time holds. */
static hl_status time_passes(hl_subset *subset, const hl_batch *batch, double *seconds)
{
    const double enough = 0.02;
    double sum = 0;
    hl_subset_worth unused;
    do {
        double begin = hl_clock_seconds();
        HL_TRY(hl_subset_measure(subset, batch, NULL, &unused));
        double pass = hl_clock_seconds() - begin;
        *seconds = fmin(*seconds, pass);
        sum += pass;
    } while (sum < enough);
    return hl_ok();
}

/* Times all rows in turn, several times, so that a disturbance hits all of them. Leaves the last row's model. */
static hl_status time_rows(descent *d)
{
    enum { ROUNDS = 6 };
    hl_heads_pruning *pruning = d->pruning;
    hl_batch batch;
    HL_TRY(hl_heads_validation_slice(&d->validation, 0, &batch));
    pruning->batch = batch.n_examples;
    for (int round = 0; round < ROUNDS; round++) {
        keep_all(d);
        for (int64_t i = 0; i < pruning->n_rows; i++) {
            hl_heads_pruning_row *row = &pruning->rows[i];
            if (row->removed >= 0) {
                pruning->kept[row->removed] = false;
            }
            HL_TRY(prune(d));
            /* On one thread, which never waits for others that the machine holds up. */
            hl_subset subset = { .model = &d->pruning->model, .rows = batch.n_rows, .threads = 1 };
            hl_status status = hl_subset_begin(&subset, batch.longest);
            HL_THEN(status, time_passes(&subset, &batch, &row->seconds));
            hl_subset_free(&subset);
            HL_TRY(status);
        }
    }
    return hl_ok();
}

/* ---- all the way ---- */

static hl_status go_down(descent *d, int64_t target)
{
    hl_heads_pruning *pruning = d->pruning;
    int64_t n = hl_heads_count(&d->run->source.shape);
    pruning->rows = hl_calloc((size_t)n, sizeof *pruning->rows);
    pruning->kept = hl_calloc((size_t)n, sizeof *pruning->kept);
    d->importance = hl_calloc((size_t)n, sizeof *d->importance);
    HL_NEED(pruning->rows != NULL && pruning->kept != NULL && d->importance != NULL, "the pruning of heads");
    keep_all(d);
    HL_TRY(hl_opened_model_snapshot(d->run, -1, &d->snapshot));
    HL_TRY(hl_heads_load_weights(d->run, d->snapshot->step, false));
    HL_TRY(hl_heads_validation_make(&d->validation, &d->run->source));
    pruning->n_validation = d->validation.n_examples;
    HL_TRY(prune(d));
    HL_TRY(add_row(d, &d->run->model, -1));
    for (; n > target; n--) {
        HL_TRY(take_out(d, &pruning->model));
    }
    return time_rows(d);
}

hl_status hl_heads_pruning_make(hl_heads_pruning *pruning, hl_opened_model *run, int64_t target, hl_heads_prune_by by,
                                bool once)
{
    *pruning = (hl_heads_pruning){ .run = run, .by = by, .once = once };
    descent d = { .pruning = pruning, .run = run };
    hl_status status = go_down(&d, target);
    hl_free(d.importance);
    hl_heads_validation_free(&d.validation);
    return status;
}

void hl_heads_pruning_free(hl_heads_pruning *pruning)
{
    hl_model_free(&pruning->model);
    hl_free(pruning->rows);
    hl_free(pruning->kept);
    *pruning = (hl_heads_pruning){ 0 };
}
