#include "heads/norm_shares.h"

#include "core/base/memory.h"
#include "core/op.h"
#include "data/batch_storage.h"
#include "heads/evaluator.h"
#include "heads/private/written_norms.h"

typedef struct taking {
    hl_snapshot *snapshot;
    const hl_model *model;
    int64_t rows; /* the most at once */
    hl_written_norms norms;
    /* Of the slice that runs. */
    hl_sequences sequences;
    int64_t first; /* the index of its first example */
    int layer;
    hl_tape_observer observer;
} taking;

/* ---- a pass ---- */

static void scale_row(hl_real *row, int64_t n, const double *lengths)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++) {
        sum += (double)row[j] * lengths[j];
    }
    for (int64_t j = 0; j < n && sum > 0; j++) {
        row[j] = (hl_real)((double)row[j] * lengths[j] / sum);
    }
}

/* The rows of one head, in all examples of the slice. */
static void scale_head(const taking *t, int64_t head)
{
    hl_patterns *layer = &t->snapshot->layers[t->layer];
    int64_t T = layer->n_tokens;
    for (int64_t b = 0; b < t->sequences.n; b++) {
        int64_t first = hl_sequences_first(&t->sequences, b), n = hl_sequences_length(&t->sequences, b);
        /* The memory is the snapshot's, which only shows it as constant. */
        hl_real *map = (hl_real *)layer->weights + ((t->first + b) * layer->n_heads + head) * T * T;
        for (int64_t i = 0; i < n; i++) {
            scale_row(map + i * T, n, t->norms.lengths + first);
        }
    }
}

static void scale_layer(void *context, const hl_node *node, bool backward)
{
    const hl_attention_args *args = hl_attention_args_of(node);
    if (backward || args == NULL) {
        return;
    }
    taking *t = context;
    for (int64_t h = 0; h < args->n_heads; h++) {
        hl_written_norms_of_values(&t->norms, t->layer, h, args);
        scale_head(t, h);
    }
    t->layer++;
}

static hl_status begin_slice(void *context, hl_evaluator_slice *slice)
{
    taking *t = context;
    t->sequences = hl_batch_sequences(&slice->batch);
    t->first = slice->first;
    t->layer = 0;
    t->observer = (hl_tape_observer){ .end = scale_layer, .context = t };
    slice->observer = &t->observer;
    return hl_ok();
}

/* ---- all of it ---- */

static taking begin_taking(const hl_model *model, int64_t n_tokens, int64_t rows)
{
    return (taking){ .model = model, .rows = rows > n_tokens ? rows : n_tokens };
}

static void lay_out(void *context, hl_block *block)
{
    taking *t = context;
    hl_written_norms_lay_out(&t->norms, block, t->model, t->rows);
}

hl_status hl_norm_shares_take(hl_snapshot *snapshot, const hl_model *model, int64_t rows, int threads)
{
    const hl_examples *examples = &snapshot->examples;
    taking t = begin_taking(model, examples->n_tokens, rows);
    void *memory;
    HL_TRY(hl_parameters_check_allocated(&model->parameters));
    HL_TRY(hl_block_make(&memory, lay_out, &t, "the norms of attention"));
    hl_written_norms_begin(&t.norms, threads);
    t.snapshot = snapshot;
    hl_batch_storage storage = { 0 };
    hl_status status = hl_batch_storage_of(&storage, examples, examples->n_tokens);
    storage.batch.n_targets = 0; /* the output layer runs on no row */
    const hl_evaluator evaluator = {
        .model = model, .rows = rows, .threads = threads, .begin = begin_slice, .context = &t
    };
    HL_THEN(status, hl_evaluate_once(evaluator, &storage.batch, NULL));
    hl_batch_storage_free(&storage);
    hl_free(memory);
    return status;
}

hl_status hl_norm_shares_bytes(const hl_model *model, int64_t n_examples, int64_t n_tokens, int64_t rows, int threads,
                               size_t *bytes)
{
    const hl_evaluator evaluator = { .model = model, .rows = rows, .threads = threads };
    taking t = begin_taking(model, n_tokens, rows);
    hl_tape_plan plan;
    HL_TRY(hl_evaluator_plan(&evaluator, n_tokens, &plan));
    *bytes = hl_size_sum(hl_size_sum(plan.bytes, hl_block_bytes(lay_out, &t)),
                         hl_batch_storage_bytes(n_examples, n_examples * n_tokens));
    hl_tape_plan_free(&plan);
    return hl_ok();
}
