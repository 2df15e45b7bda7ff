#include "heads/recorder.h"

#include "core/folders.h"
#include "core/memory.h"
#include "core/npz.h"
#include "data/examples_storage.h"
#include "heads/evaluator.h"
#include "heads/private/snapshot_array.h"
#include "heads/private/validation_sums_file.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = sizeof "/step_9223372036854775807.npz" };

/* Sizes */

/* *sum += the product of four sizes; false where that does not fit. */
static bool add_product(const int64_t sizes[4], size_t *sum)
{
    size_t product = 1;
    for (int i = 0; i < 4; i++) {
        if (sizes[i] < 0 || !hl_multiply_sizes(product, (size_t)sizes[i], &product)) {
            return false;
        }
    }
    return !__builtin_add_overflow(*sum, product, sum);
}

/* All numbers of a snapshot, weights and logits. */
static bool count_numbers(const hl_model_config *config, int64_t E, int64_t T, size_t *numbers)
{
    *numbers = 0;
    for (int l = 0; l < config->n_layers; l++) {
        if (!add_product((int64_t[]){ E, config->heads[l], T, T }, numbers)) {
            return false;
        }
    }
    return add_product((int64_t[]){ E, T, config->vocabulary, 1 }, numbers);
}

size_t hl_recorder_bytes(const hl_model_config *config, int64_t n_examples, int64_t n_tokens, int64_t n_relations)
{
    size_t numbers, bytes, frames = 0, batch = hl_examples_bytes(n_examples, n_tokens, n_relations);
    if (!count_numbers(config, n_examples, n_tokens, &numbers) ||
        !add_product((int64_t[]){ config->n_layers + 8 + (n_relations > 0), HL_SNAPSHOT_FRAME, 1, 1 }, &frames) ||
        !hl_multiply_sizes(numbers, sizeof(hl_real), &bytes) || __builtin_add_overflow(bytes, frames, &bytes) ||
        __builtin_add_overflow(bytes, batch, &bytes)) {
        return SIZE_MAX;
    }
    return bytes;
}

size_t hl_recorder_file_bytes(const hl_model_config *config, int64_t n_examples, int64_t n_tokens, int64_t n_relations)
{
    size_t bytes = hl_recorder_bytes(config, n_examples, n_tokens, n_relations);
    return __builtin_add_overflow(bytes, hl_validation_sums_file_bytes(config, n_tokens), &bytes) ? SIZE_MAX : bytes;
}

hl_status hl_recorder_plan(const hl_model *model, int64_t rows, int64_t n_tokens, int threads, hl_tape_plan *plan)
{
    hl_evaluator evaluator = { .model = model, .rows = rows, .threads = threads };
    return hl_evaluator_plan(&evaluator, n_tokens, plan);
}

/* Set-up */

static hl_status copy_examples(const hl_examples *from, hl_examples *to)
{
    int32_t T = 0;
    for (int64_t e = 0; e < from->n_examples; e++) {
        T = from->lengths[e] > T ? from->lengths[e] : T;
    }
    int64_t R = from->n_relations;
    HL_TRY(hl_examples_allocate(from->n_examples, T, R, to));
    size_t row = (size_t)T * sizeof *to->tokens;
    for (int64_t e = 0; e < from->n_examples; e++) {
        memcpy(to->tokens + e * T, from->tokens + e * from->n_tokens, row);
        memcpy(to->targets + e * T, from->targets + e * from->n_tokens, row);
        memcpy(to->sources + e * T, from->sources + e * from->n_tokens, row);
        to->lengths[e] = from->lengths[e];
    }
    for (int64_t r = 0; r < from->n_examples * R; r++) {
        memcpy(to->relations + r * T, from->relations + r * from->n_tokens, row);
    }
    return hl_ok();
}

static hl_status allocate_numbers(hl_recorder *recorder)
{
    const hl_model_config *config = &recorder->model->config;
    int64_t E = recorder->examples.n_examples, T = recorder->examples.n_tokens;
    size_t count;
    recorder->numbers = count_numbers(config, E, T, &count) ? hl_calloc(count, sizeof *recorder->numbers) : NULL;
    recorder->probes = hl_calloc((size_t)config->n_layers, sizeof *recorder->probes);
    recorder->copies = hl_calloc((size_t)config->n_layers, sizeof *recorder->copies);
    if (recorder->numbers == NULL || recorder->probes == NULL || recorder->copies == NULL) {
        return hl_error(HL_NO_MEMORY, "out of memory: patterns of %lld examples of %lld tokens", (long long)E,
                        (long long)T);
    }
    hl_real *next = recorder->numbers;
    for (int l = 0; l < config->n_layers; l++) {
        recorder->weights[l] = next;
        recorder->probes[l] =
            (hl_head_probe){ .observe = hl_head_weights_observe, .observe_context = &recorder->copies[l] };
        next += E * config->heads[l] * T * T;
    }
    recorder->logits = next;
    return hl_ok();
}

static hl_status set_folder(hl_recorder *recorder, const char *folder)
{
    recorder->folder_length = strlen(folder);
    recorder->path = hl_malloc(recorder->folder_length + NAME_BYTES);
    if (recorder->path == NULL) {
        return hl_error_memory("a path");
    }
    memcpy(recorder->path, folder, recorder->folder_length + 1);
    return hl_folder_make(folder);
}

hl_status hl_recorder_init(hl_recorder *recorder, const hl_model *model, const hl_examples *examples, int64_t rows,
                           int threads, const char *folder)
{
    *recorder = (hl_recorder){ .model = model, .rows = rows, .threads = threads };
    if (examples->n_examples < 1) {
        return hl_error(HL_INVALID, "patterns: there are no examples");
    }
    hl_status status = copy_examples(examples, &recorder->examples);
    if (status.code == HL_OK) {
        status = hl_recorder_plan(model, rows, recorder->examples.n_tokens, threads, &recorder->plan);
    }
    if (status.code == HL_OK) {
        status = hl_batch_storage_of(&recorder->storage, &recorder->examples, recorder->examples.n_tokens);
    }
    if (status.code == HL_OK) {
        status = allocate_numbers(recorder);
    }
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
    hl_free(recorder->numbers);
    hl_free(recorder->probes);
    hl_free(recorder->copies);
    hl_free(recorder->path);
    *recorder = (hl_recorder){ 0 };
}

/* Recording */

/* Makes the pass write the slice's weights to where they are kept. */
static bool place_weights(void *context, hl_evaluator_slice *slice)
{
    const hl_recorder *recorder = context;
    const hl_model_config *config = &recorder->model->config;
    int64_t T = recorder->examples.n_tokens;
    for (int l = 0; l < config->n_layers; l++) {
        recorder->copies[l] = (hl_head_weights){ .at = recorder->weights[l] + slice->first * config->heads[l] * T * T,
                                                 .n_heads = config->heads[l],
                                                 .n_tokens = T };
    }
    slice->probes = recorder->probes;
    return true;
}

/* Copies the logits of the slice; those of padding stay zero. */
static void keep_logits(void *context, const hl_evaluator_slice *slice, const hl_real *logits)
{
    const hl_recorder *recorder = context;
    int64_t V = recorder->model->config.vocabulary, row = recorder->examples.n_tokens * V;
    hl_sequences examples = hl_batch_sequences(&slice->batch);
    for (int64_t e = 0; e < examples.n; e++) {
        size_t real = (size_t)(hl_sequences_length(&examples, e) * V);
        memcpy(recorder->logits + (slice->first + e) * row, logits + hl_sequences_first(&examples, e) * V,
               real * sizeof *logits);
    }
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
    int64_t E = examples->n_examples, T = examples->n_tokens, format = HL_SNAPSHOT_FORMAT;
    hl_npz_add(npz, "format", HL_NPY_INT64, (hl_shape){ .n_dims = 0 }, &format);
    for (int l = 0; l < config->n_layers; l++) {
        char name[sizeof "layer_-2147483648"];
        snprintf(name, sizeof name, "layer_%d", l);
        hl_npz_add(npz, name, real, HL_SHAPE(E, config->heads[l], T, T), recorder->weights[l]);
    }
    hl_npz_add(npz, "tokens", HL_NPY_INT32, HL_SHAPE(E, T), examples->tokens);
    hl_npz_add(npz, "targets", HL_NPY_INT32, HL_SHAPE(E, T), examples->targets);
    hl_npz_add(npz, "source", HL_NPY_INT32, HL_SHAPE(E, T), examples->sources);
    hl_npz_add(npz, "lengths", HL_NPY_INT32, HL_SHAPE(E), examples->lengths);
    hl_npz_add(npz, "step", HL_NPY_INT64, (hl_shape){ .n_dims = 0 }, &step);
    hl_npz_add(npz, "logits", real, HL_SHAPE(E, T, config->vocabulary), recorder->logits);
    if (examples->n_relations > 0) {
        hl_npz_add(npz, "relations", HL_NPY_INT32, HL_SHAPE(E, examples->n_relations, T), examples->relations);
    }
}

hl_status hl_recorder_record(hl_recorder *recorder, int64_t step, const hl_validation_sums *sums, hl_arena *arena)
{
    HL_TRY(hl_recorder_run(recorder, arena));
    snprintf(recorder->path + recorder->folder_length, NAME_BYTES, "/step_%06lld.npz", (long long)step);
    hl_npz_writer *npz = hl_npz_create(recorder->path);
    write_arrays(recorder, step, npz);
    if (sums != NULL) {
        hl_validation_sums_write(sums, npz);
    }
    return hl_npz_close(npz, HL_VOLATILE);
}

hl_patterns hl_recorder_patterns(const hl_recorder *recorder, int layer, int64_t head)
{
    return hl_patterns_of(recorder->weights[layer], &recorder->examples, &recorder->model->config, layer, head);
}
