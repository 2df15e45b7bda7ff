#include "heads/snapshot.h"

#include "core/memory.h"
#include "data/task.h"
#include "heads/private/snapshot_array.h"
#include "heads/private/validation_sums_file.h"
#include "heads/recorder.h"

#include <stdio.h>

static hl_status read_ids(const hl_npz *npz, const char *path, const char *name, hl_shape shape, int64_t low,
                          int64_t high, int32_t **ids)
{
    void *data = NULL;
    HL_TRY(hl_snapshot_array(npz, path, name, HL_NPY_INT32, shape, &data));
    *ids = data;
    for (int64_t i = 0; i < hl_shape_count(shape); i++) {
        int32_t id = (*ids)[i];
        if (id < low || id > high) {
            return hl_snapshot_wrong(path, name, "%d at place %lld is not in %lld .. %lld", (int)id, (long long)i,
                                     (long long)low, (long long)high);
        }
    }
    return hl_ok();
}

/* Files of format 1 were written without it, too. */
static hl_status check_format(const hl_npz *npz, const char *path)
{
    if (hl_npz_find(npz, "format") == NULL) {
        return hl_ok();
    }
    void *data = NULL;
    HL_TRY(hl_snapshot_array(npz, path, "format", HL_NPY_INT64, (hl_shape){ .n_dims = 0 }, &data));
    int64_t format = *(const int64_t *)data;
    return format <= HL_SNAPSHOT_FORMAT ? hl_ok() : hl_error_newer(path, format, HL_SNAPSHOT_FORMAT);
}

static hl_status read_examples(hl_snapshot *s, const char *path)
{
    const hl_npz_array *tokens = hl_npz_find(&s->npz, "tokens");
    if (tokens == NULL || tokens->shape.n_dims != 2 || hl_shape_count(tokens->shape) < 1) {
        return hl_snapshot_wrong(path, "tokens", "are missing, or no (examples, T)");
    }
    int64_t E = tokens->shape.size[0], T = tokens->shape.size[1], V = s->config->vocabulary;
    hl_examples *e = &s->examples;
    *e = (hl_examples){ .n_examples = E, .n_tokens = T };
    HL_TRY(read_ids(&s->npz, path, "tokens", HL_SHAPE(E, T), 0, V - 1, &e->tokens));
    HL_TRY(read_ids(&s->npz, path, "targets", HL_SHAPE(E, T), HL_IGNORE, V - 1, &e->targets));
    HL_TRY(read_ids(&s->npz, path, "source", HL_SHAPE(E, T), HL_IGNORE, T - 1, &e->sources));
    return read_ids(&s->npz, path, "lengths", HL_SHAPE(E), 1, T, &e->lengths);
}

/* Only snapshots of tasks that state relations hold them. */
static hl_status read_relations(hl_snapshot *s, const char *path)
{
    const hl_npz_array *relations = hl_npz_find(&s->npz, "relations");
    if (relations == NULL) {
        return hl_ok();
    }
    hl_examples *e = &s->examples;
    int64_t R = relations->shape.n_dims == 3 ? relations->shape.size[1] : 0;
    if (R < 1 || R > HL_TASK_MAX_RELATIONS) {
        return hl_snapshot_wrong(path, "relations", "are not (examples, 1 .. %d, T)", HL_TASK_MAX_RELATIONS);
    }
    e->n_relations = R;
    return read_ids(&s->npz, path, "relations", HL_SHAPE(e->n_examples, R, e->n_tokens), HL_IGNORE, e->n_tokens - 1,
                    &e->relations);
}

/* Refuses numbers that no softmax produces, so that metrics and drawings need not expect them. */
static hl_status check_weights(const char *path, const char *name, const hl_real *weights, int64_t count)
{
    const hl_real slack = (hl_real)1e-3;
    for (int64_t i = 0; i < count; i++) {
        if (!(weights[i] >= -slack && weights[i] <= 1 + slack)) {
            return hl_snapshot_wrong(path, name, "%g at place %lld is no weight", (double)weights[i], (long long)i);
        }
    }
    return hl_ok();
}

static hl_status read_numbers(hl_snapshot *s, const char *path)
{
    const hl_npy_type real = sizeof(hl_real) == sizeof(float) ? HL_NPY_FLOAT32 : HL_NPY_FLOAT64;
    int64_t E = s->examples.n_examples, T = s->examples.n_tokens;
    void *data = NULL;
    s->layers = hl_calloc((size_t)s->config->n_layers, sizeof *s->layers);
    if (s->layers == NULL) {
        return hl_error_memory(path);
    }
    for (int l = 0; l < s->config->n_layers; l++) {
        char name[sizeof "layer_-2147483648"];
        snprintf(name, sizeof name, "layer_%d", l);
        hl_shape shape = HL_SHAPE(E, s->config->heads[l], T, T);
        HL_TRY(hl_snapshot_array(&s->npz, path, name, real, shape, &data));
        s->layers[l] = hl_patterns_of(data, &s->examples, s->config, l, 0);
        HL_TRY(check_weights(path, name, data, hl_shape_count(shape)));
    }
    HL_TRY(hl_snapshot_array(&s->npz, path, "logits", real, HL_SHAPE(E, T, s->config->vocabulary), &data));
    s->logits = data;
    HL_TRY(hl_snapshot_array(&s->npz, path, "step", HL_NPY_INT64, (hl_shape){ .n_dims = 0 }, &data));
    s->step = *(const int64_t *)data;
    return s->step >= 0 ? hl_ok() : hl_snapshot_wrong(path, "step", "is negative");
}

static hl_status read_sums(hl_snapshot *s, const char *path)
{
    bool has = false;
    s->sums = hl_calloc(1, sizeof *s->sums);
    if (s->sums == NULL) {
        return hl_error_memory(path);
    }
    HL_TRY(hl_validation_sums_read(&s->npz, path, s->config->n_layers, s->config->heads, s->examples.n_tokens,
                                   s->config->max_length, s->sums, &has));
    if (!has) {
        hl_free(s->sums);
        s->sums = NULL;
    }
    return hl_ok();
}

hl_status hl_snapshot_read(const char *path, const hl_model_config *config, int64_t most_examples,
                           hl_snapshot *snapshot)
{
    *snapshot = (hl_snapshot){ .config = config };
    size_t limit = hl_recorder_file_bytes(config, most_examples, config->max_length, HL_TASK_MAX_RELATIONS);
    HL_TRY(hl_npz_read(path, limit, &snapshot->npz));
    hl_status status = check_format(&snapshot->npz, path);
    HL_THEN(status, read_examples(snapshot, path));
    HL_THEN(status, read_relations(snapshot, path));
    HL_THEN(status, read_numbers(snapshot, path));
    HL_THEN(status, read_sums(snapshot, path));
    if (status.code != HL_OK) {
        hl_snapshot_free(snapshot);
    }
    return status;
}

void hl_snapshot_free(hl_snapshot *snapshot)
{
    hl_free(snapshot->layers);
    hl_free(snapshot->sums);
    hl_npz_free(&snapshot->npz);
    *snapshot = (hl_snapshot){ 0 };
}

hl_patterns hl_snapshot_patterns(const hl_snapshot *snapshot, int layer, int64_t head)
{
    hl_patterns patterns = snapshot->layers[layer];
    patterns.head = head;
    return patterns;
}

hl_answers hl_snapshot_answers(const hl_snapshot *snapshot)
{
    return (hl_answers){ snapshot->examples.targets, snapshot->logits, snapshot->config->vocabulary };
}
