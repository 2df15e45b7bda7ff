#include "heads/norm_shares.h"

#include "core/base/memory.h"
#include "core/op.h"
#include "core/ops/attention.h"
#include "data/batch_storage.h"
#include "heads/evaluator.h"
#include "heads/head_set.h"
#include "heads/written_norms.h"

typedef struct taking {
    hl_snapshot *snapshot;
    hl_written_norms norms;
    hl_real *scratch; /* (rows, widest Dv) */
    double *lengths;  /* (rows): |v_j W_O| of a head */
    int threads;
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
            scale_row(map + i * T, n, t->lengths + first);
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
    int64_t stride = hl_shape_last(args->v.x->shape), rows = hl_shape_count(args->v.x->shape) / stride;
    int64_t d_v = args->d_v, group = args->n_heads / args->n_kv_heads;
    for (int64_t h = 0; h < args->n_heads; h++) {
        const hl_real *values = args->v.x->data + args->v.first + h / group * d_v;
        hl_written_norms_of(t->threads, rows, d_v, values, stride, t->norms.layer[t->layer] + h * d_v * d_v, t->scratch,
                            t->lengths, 1);
        scale_head(t, h);
    }
    t->layer++;
}

static bool begin_slice(void *context, hl_evaluator_slice *slice)
{
    taking *t = context;
    t->sequences = hl_batch_sequences(&slice->batch);
    t->first = slice->first;
    t->layer = 0;
    t->observer = (hl_tape_observer){ .end = scale_layer, .context = t };
    slice->observer = &t->observer;
    return true;
}

/* ---- all of it ---- */

static int64_t rows_at_once(int64_t n_tokens, int64_t rows)
{
    return rows > n_tokens ? rows : n_tokens;
}

static hl_status run(taking *t, const hl_model *model, int64_t rows)
{
    hl_batch_storage storage = { 0 };
    hl_status status = hl_batch_storage_of(&storage, &t->snapshot->examples, t->snapshot->examples.n_tokens);
    storage.batch.n_targets = 0; /* the output layer runs on no row */
    const hl_evaluator evaluator = {
        .model = model, .rows = rows, .threads = t->threads, .begin = begin_slice, .context = t
    };
    HL_THEN(status, hl_evaluate_once(evaluator, &storage.batch, NULL));
    hl_batch_storage_free(&storage);
    return status;
}

hl_status hl_norm_shares_take(hl_snapshot *snapshot, const hl_model *model, int64_t rows, int threads)
{
    size_t most = (size_t)rows_at_once(snapshot->examples.n_tokens, rows);
    taking t = { .snapshot = snapshot, .threads = threads };
    HL_TRY(hl_written_norms_init(&t.norms, model, threads));
    t.scratch =
        hl_malloc((size_t)hl_written_norms_scratch((int64_t)most, hl_heads_widest(&model->config)) * sizeof *t.scratch);
    t.lengths = hl_malloc(most * sizeof *t.lengths);
    bool complete = t.scratch != NULL && t.lengths != NULL;
    hl_status status = complete ? run(&t, model, rows) : hl_error_memory("the norms of attention");
    hl_written_norms_free(&t.norms);
    hl_free(t.scratch);
    hl_free(t.lengths);
    return status;
}

hl_status hl_norm_shares_bytes(const hl_model *model, int64_t n_examples, int64_t n_tokens, int64_t rows, int threads,
                               size_t *bytes)
{
    const hl_evaluator evaluator = { .model = model, .rows = rows, .threads = threads };
    hl_tape_plan plan;
    HL_TRY(hl_evaluator_plan(&evaluator, n_tokens, &plan));
    int64_t most = rows_at_once(n_tokens, rows);
    size_t row =
        (size_t)hl_written_norms_scratch(1, hl_heads_widest(&model->config)) * sizeof(hl_real) + sizeof(double);
    *bytes = hl_size_sum(
        hl_size_sum(plan.bytes, hl_written_norms_bytes(model)),
        hl_size_sum(hl_size_product((size_t)most, row), hl_batch_storage_bytes(n_examples, n_examples * n_tokens)));
    hl_tape_plan_free(&plan);
    return hl_ok();
}
