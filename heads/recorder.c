#include "heads/recorder.h"

#include "core/base/memory.h"
#include "core/base/private/block.h"
#include "core/base/threads.h"
#include "core/files/folders.h"
#include "core/files/npz.h"
#include "data/examples_storage.h"
#include "heads/evaluator.h"
#include "heads/head_set.h"
#include "heads/private/snapshot_array.h"
#include "heads/private/validation_sums_file.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = sizeof "/step_9223372036854775807.npz" };

/* Sizes */

/* All numbers of a snapshot: weights and logits, and beside these their ids where not all are kept. SIZE_MAX if they
 * do not fit. */
static size_t count_numbers(const hl_model_config *config, int64_t E, int64_t T)
{
    int64_t C = hl_answers_targets(config), answer = hl_answers_are_sparse(E, T, C) ? 2 * hl_answers_top(C) + 2 : C;
    size_t rows = hl_size_product((size_t)E, (size_t)T),
           maps = hl_size_product((size_t)hl_heads_count(config), (size_t)T);
    return hl_size_product(rows, hl_size_sum(maps, (size_t)answer));
}

size_t hl_recorder_bytes(const hl_model_config *config, int64_t n_examples, int64_t n_tokens, int64_t n_relations)
{
    int arrays = hl_answers_are_sparse(n_examples, n_tokens, hl_answers_targets(config)) ? 11 : 8; /* one too many */
    size_t frames = (size_t)(config->n_layers + arrays + (n_relations > 0)) * HL_SNAPSHOT_FRAME;
    size_t numbers = hl_size_product(count_numbers(config, n_examples, n_tokens), sizeof(hl_real));
    return hl_size_sum(hl_size_sum(numbers, frames), hl_examples_bytes(n_examples, n_tokens, n_relations));
}

size_t hl_recorder_file_bytes(const hl_model_config *config, int64_t n_examples, int64_t n_tokens, int64_t n_relations)
{
    return hl_size_sum(hl_recorder_bytes(config, n_examples, n_tokens, n_relations),
                       hl_validation_sums_file_bytes(config, n_tokens));
}

/* How many rows the model is run on at once where the caller allows so many. */
static int64_t rows_at_once(const hl_model *model, int64_t rows)
{
    int64_t most = HL_ANSWERS_LOGITS / model->config.targets;
    return rows <= most || most < 1 ? rows : most;
}

static hl_status make_plan(const hl_model *model, int64_t rows, int64_t n_tokens, int threads, hl_tape_plan *plan)
{
    hl_evaluator evaluator = { .model = model, .rows = rows_at_once(model, rows), .threads = threads };
    return hl_evaluator_plan(&evaluator, n_tokens, plan);
}

hl_status hl_recorder_pass_bytes(const hl_model *model, int64_t rows, int64_t n_tokens, int threads, size_t *bytes)
{
    hl_tape_plan plan;
    hl_status status = make_plan(model, rows, n_tokens, threads, &plan);
    *bytes = plan.bytes;
    hl_tape_plan_free(&plan);
    return status;
}

/* Set-up */

/* Rows of T ids out of rows of `stride`; nothing where there are none. */
static void copy_rows(int32_t *to, const int32_t *from, int64_t n, int64_t T, int64_t stride)
{
    for (int64_t i = 0; to != NULL && from != NULL && i < n; i++) {
        memcpy(to + i * T, from + i * stride, (size_t)T * sizeof *to);
    }
}

static hl_status copy_examples(const hl_examples *from, hl_examples *to)
{
    int32_t T = 0;
    int64_t E = from->n_examples, R = from->n_relations, stride = from->n_tokens;
    for (int64_t e = 0; e < E; e++) {
        T = from->lengths[e] > T ? from->lengths[e] : T;
    }
    HL_TRY(from->words != NULL ? hl_examples_allocate_text(E, T, from->types != NULL, to)
                               : hl_examples_allocate(E, T, R, to));
    to->kinds = from->kinds;
    copy_rows(to->lengths, from->lengths, 1, E, E);
    copy_rows(to->tokens, from->tokens, E, T, stride);
    copy_rows(to->targets, from->targets, E, T, stride);
    copy_rows(to->sources, from->sources, E, T, stride);
    copy_rows(to->words, from->words, E, T, stride);
    copy_rows(to->types, from->types, E, T, stride);
    copy_rows(to->relations, from->relations, E * to->n_relations, T, stride);
    return hl_ok();
}

static void lay_out(void *context, hl_block *block)
{
    hl_recorder *r = context;
    const hl_model_config *config = &r->model->config;
    int64_t E = r->examples.n_examples, T = r->examples.n_tokens, C = config->targets, K = hl_answers_top(C);
    for (int l = 0; l < config->n_layers; l++) {
        r->weights[l] = hl_block_take(block, E * config->heads[l], hl_size_product((size_t)(T * T), sizeof(hl_real)));
    }
    if (r->sparse) {
        r->top_logits = hl_block_take(block, E * T * K, sizeof *r->top_logits);
        r->target_logits = hl_block_take(block, E * T, sizeof *r->target_logits);
        r->log_sums = hl_block_take(block, E * T, sizeof *r->log_sums);
        r->top_ids = hl_block_take(block, E * T * K, sizeof *r->top_ids);
    } else {
        r->logits = hl_block_take(block, E * T, (size_t)C * sizeof *r->logits);
    }
    r->probes = hl_block_take(block, config->n_layers, sizeof *r->probes);
    r->copies = hl_block_take(block, config->n_layers, sizeof *r->copies);
}

static hl_status allocate_numbers(hl_recorder *recorder)
{
    const hl_model_config *config = &recorder->model->config;
    int64_t E = recorder->examples.n_examples, T = recorder->examples.n_tokens, C = config->targets;
    char what[80];
    snprintf(what, sizeof what, "patterns of %lld examples of %lld tokens", (long long)E, (long long)T);
    recorder->sparse = hl_answers_are_sparse(E, T, C);
    HL_TRY(hl_block_make(&recorder->memory, lay_out, recorder, what));
    for (int l = 0; l < config->n_layers; l++) {
        recorder->probes[l] =
            (hl_head_probe){ .observe = hl_head_weights_observe, .observe_context = &recorder->copies[l] };
    }
    for (int64_t i = 0; recorder->sparse && i < E * T * hl_answers_top(C); i++) {
        recorder->top_ids[i] = HL_IGNORE;
    }
    return hl_ok();
}

/* The examples as the model reads them. Where all logits are kept, and where no answer is asked for, every row is to be
 * answered, or of a model that answers for a whole example, the first. */
static hl_status make_rows(hl_recorder *recorder)
{
    hl_examples asked = recorder->examples;
    int64_t T = asked.n_tokens;
    bool asks = recorder->sparse && hl_examples_scored(&asked) > 0;
    int32_t *first = NULL;
    if (!asks && recorder->model->config.pooling != HL_POOLING_ROWS) {
        first = hl_malloc((size_t)(asked.n_examples * T) * sizeof *first);
        for (int64_t i = 0; first != NULL && i < asked.n_examples * T; i++) {
            first[i] = i % T == 0 ? 0 : HL_IGNORE;
        }
        HL_NEED(first != NULL, "patterns");
    }
    asked.targets = asks ? asked.targets : first != NULL ? first : asked.tokens;
    hl_status status = hl_batch_storage_of(&recorder->storage, &asked, T);
    hl_free(first);
    return status;
}

hl_status hl_recorder_answer_targets_alone(hl_recorder *recorder)
{
    hl_batch_storage_free(&recorder->storage);
    return hl_batch_storage_of(&recorder->storage, &recorder->examples, recorder->examples.n_tokens);
}

static hl_status set_folder(hl_recorder *recorder, const char *folder)
{
    recorder->folder_length = strlen(folder);
    recorder->path = hl_malloc(recorder->folder_length + NAME_BYTES);
    HL_NEED(recorder->path != NULL, "a path");
    memcpy(recorder->path, folder, recorder->folder_length + 1);
    return hl_folder_make(folder);
}

hl_status hl_recorder_init(hl_recorder *recorder, const hl_model *model, const hl_examples *examples, int64_t rows,
                           int threads, const char *folder)
{
    *recorder = (hl_recorder){ .model = model, .rows = rows_at_once(model, rows), .threads = threads };
    if (examples->n_examples < 1) {
        return hl_error(HL_INVALID, "patterns: there are no examples");
    }
    hl_status status = copy_examples(examples, &recorder->examples);
    HL_THEN(status, make_plan(model, rows, recorder->examples.n_tokens, threads, &recorder->plan));
    HL_THEN(status, allocate_numbers(recorder));
    HL_THEN(status, make_rows(recorder));
    if (status.code == HL_OK && folder != NULL) {
        status = set_folder(recorder, folder);
    }
    if (status.code != HL_OK) {
        hl_recorder_free(recorder);
    }
    return status;
}

void hl_recorder_free(hl_recorder *recorder)
{
    hl_examples_free(&recorder->examples);
    hl_batch_storage_free(&recorder->storage);
    hl_tape_plan_free(&recorder->plan);
    hl_free(recorder->memory);
    hl_free(recorder->path);
    *recorder = (hl_recorder){ 0 };
}

/* Recording */

/* Makes the pass write the slice's weights to where they are kept. */
static hl_status place_weights(void *context, hl_evaluator_slice *slice)
{
    hl_recorder *recorder = context;
    const hl_model_config *config = &recorder->model->config;
    int64_t T = recorder->examples.n_tokens;
    for (int l = 0; l < config->n_layers; l++) {
        recorder->copies[l] = (hl_head_weights){ .at = recorder->weights[l] + slice->first * config->heads[l] * T * T,
                                                 .n_heads = config->heads[l],
                                                 .n_tokens = T };
    }
    slice->probes = recorder->probes;
    return recorder->progress != NULL
               ? recorder->progress(recorder->context, slice->first, recorder->examples.n_examples)
               : hl_ok();
}

/* Of a row that is answered: its largest logits, the target's, and the log of the sum. */
static void keep_largest(const hl_recorder *recorder, int64_t place, const hl_real *logits)
{
    int64_t C = recorder->model->config.targets, K = hl_answers_top(C);
    int32_t *ids = recorder->top_ids + place * K, target = recorder->examples.targets[place];
    hl_top_ids(logits, C, (int)K, ids);
    for (int64_t i = 0; i < K; i++) {
        recorder->top_logits[place * K + i] = logits[ids[i]];
    }
    recorder->target_logits[place] = target >= 0 ? logits[target] : 0;
    recorder->log_sums[place] = (hl_real)hl_log_sum_exp(logits, C, logits[ids[0]]);
}

typedef struct keep_work {
    const hl_recorder *recorder;
    const hl_evaluator_slice *slice;
    const hl_real *logits; /* (M, C) */
} keep_work;

/* The logits of some of the slice's rows that are answered. */
static void keep_rows(const void *context, hl_range rows)
{
    const keep_work *work = context;
    const hl_recorder *recorder = work->recorder;
    const hl_batch *batch = &work->slice->batch;
    hl_sequences examples = hl_batch_sequences(batch);
    int64_t C = recorder->model->config.targets, e = 0;
    for (int64_t m = rows.begin; m < rows.end; m++) {
        int64_t row = batch->target_rows[m] - batch->offsets[0];
        while (row >= hl_sequences_first(&examples, e) + hl_sequences_length(&examples, e)) {
            e++;
        }
        int64_t place = (work->slice->first + e) * recorder->examples.n_tokens + row - hl_sequences_first(&examples, e);
        if (recorder->sparse) {
            keep_largest(recorder, place, work->logits + m * C);
        } else {
            memcpy(recorder->logits + place * C, work->logits + m * C, (size_t)C * sizeof *work->logits);
        }
    }
}

static hl_status keep_logits(void *context, const hl_evaluator_slice *slice, const hl_real *logits)
{
    const hl_recorder *recorder = context;
    int64_t M = logits != NULL ? slice->batch.n_targets : 0;
    int threads = hl_threads_for(recorder->threads, M * recorder->model->config.targets);
    hl_threads_run(threads, M, 1, keep_rows, &(keep_work){ recorder, slice, logits });
    return hl_ok();
}

hl_status hl_recorder_run(hl_recorder *recorder, hl_arena *arena)
{
    hl_evaluator evaluator = { .model = recorder->model,
                               .arena = arena,
                               .plan = &recorder->plan,
                               .rows = recorder->rows,
                               .threads = recorder->threads,
                               .begin = place_weights,
                               .end = keep_logits,
                               .context = recorder };
    return hl_evaluate(&evaluator, &recorder->storage.batch, NULL);
}

static void write_arrays(const hl_recorder *recorder, int64_t step, hl_npz_writer *npz)
{
    const hl_model_config *config = &recorder->model->config;
    const hl_examples *examples = &recorder->examples;
    const hl_npy_type real = sizeof(hl_real) == sizeof(float) ? HL_NPY_FLOAT32 : HL_NPY_FLOAT64;
    int64_t E = examples->n_examples, T = examples->n_tokens, C = config->targets, K = hl_answers_top(C),
            format = recorder->sparse || examples->words != NULL ? 2 : 1;
    hl_npz_add(npz, "format", HL_NPY_INT64, (hl_shape){ .n_dims = 0 }, &format);
    for (int l = 0; l < config->n_layers; l++) {
        char name[sizeof "layer_-2147483648"];
        snprintf(name, sizeof name, "layer_%d", l);
        hl_npz_add(npz, name, real, HL_SHAPE(E, config->heads[l], T, T), recorder->weights[l]);
    }
    const struct {
        const char *name;
        hl_npy_type type;
        hl_shape shape;
        const void *data; /* NULL: the examples have no such array */
    } arrays[] = {
        { "tokens", HL_NPY_INT32, HL_SHAPE(E, T), examples->tokens },
        { "targets", HL_NPY_INT32, HL_SHAPE(E, T), examples->targets },
        { "source", HL_NPY_INT32, HL_SHAPE(E, T), examples->sources },
        { "lengths", HL_NPY_INT32, HL_SHAPE(E), examples->lengths },
        { "step", HL_NPY_INT64, { .n_dims = 0 }, &step },
        { "logits", real, HL_SHAPE(E, T, C), recorder->logits },
        { "top_ids", HL_NPY_INT32, HL_SHAPE(E, T, K), recorder->top_ids },
        { "top_logits", real, HL_SHAPE(E, T, K), recorder->top_logits },
        { "target_logits", real, HL_SHAPE(E, T), recorder->target_logits },
        { "log_sums", real, HL_SHAPE(E, T), recorder->log_sums },
        { "relations", HL_NPY_INT32, HL_SHAPE(E, examples->n_relations, T), examples->relations },
        { "words", HL_NPY_INT32, HL_SHAPE(E, T), examples->words },
        { "types", HL_NPY_INT32, HL_SHAPE(E, T), examples->types },
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (arrays[i].data != NULL) {
            hl_npz_add(npz, arrays[i].name, arrays[i].type, arrays[i].shape, arrays[i].data);
        }
    }
}

hl_status hl_recorder_record(hl_recorder *recorder, int64_t step, const hl_validation_sums *sums, hl_arena *arena)
{
    if (recorder->path == NULL || step < 0) {
        return recorder->path == NULL ? hl_error(HL_INVALID, "a recorder without a folder writes no snapshot")
                                      : hl_error(HL_INVALID, "a snapshot of step %lld cannot be", (long long)step);
    }
    HL_TRY(hl_recorder_run(recorder, arena));
    snprintf(recorder->path + recorder->folder_length, NAME_BYTES, "/step_%06lld.npz", (long long)step);
    hl_npz_writer *npz = hl_npz_create(recorder->path);
    write_arrays(recorder, step, npz);
    if (sums != NULL) {
        hl_validation_sums_write(sums, npz);
    }
    return hl_npz_close(npz, HL_VOLATILE);
}

hl_answers hl_recorder_answers(const hl_recorder *recorder)
{
    return (hl_answers){ .n_tokens = recorder->examples.n_tokens,
                         .n_targets = recorder->model->config.targets,
                         .targets = recorder->examples.targets,
                         .logits = recorder->logits,
                         .top_ids = recorder->top_ids,
                         .top_logits = recorder->top_logits,
                         .target_logits = recorder->target_logits,
                         .log_sums = recorder->log_sums };
}

hl_patterns hl_recorder_patterns(const hl_recorder *recorder, int layer, int64_t head)
{
    return hl_patterns_of(recorder->weights[layer], &recorder->examples, &recorder->model->config, layer, head);
}
