#include "heads/snapshot.h"

#include "core/base/memory.h"
#include "data/task.h"
#include "heads/private/snapshot_array.h"
#include "heads/private/validation_sums_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    int64_t C = hl_answers_targets(s->config);
    hl_examples *e = &s->examples;
    *e = (hl_examples){ .n_examples = E, .n_tokens = T };
    const struct {
        const char *name;
        bool optional;
        hl_shape shape;
        int64_t least, most;
        int32_t **ids;
    } arrays[] = {
        { "tokens", false, HL_SHAPE(E, T), 0, V - 1, &e->tokens },
        { "targets", false, HL_SHAPE(E, T), HL_UNSEEN, C - 1, &e->targets },
        { "source", false, HL_SHAPE(E, T), HL_IGNORE, T - 1, &e->sources },
        { "lengths", false, HL_SHAPE(E), 1, T, &e->lengths },
        { "types", true, HL_SHAPE(E, T), 0, 1, &e->types }, /* where texts come in pairs */
        { "words", true, HL_SHAPE(E, T), HL_IGNORE, T - 1, &e->words },
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (!arrays[i].optional || hl_npz_find(&s->npz, arrays[i].name) != NULL) {
            HL_TRY(read_ids(&s->npz, path, arrays[i].name, arrays[i].shape, arrays[i].least, arrays[i].most,
                            arrays[i].ids));
        }
    }
    return hl_ok();
}

/* An example's words are counted from 0, in order. */
static hl_status check_words(const hl_examples *e, const char *path)
{
    int64_t T = e->n_tokens;
    for (int64_t place = 0, last = HL_IGNORE; e->words != NULL && place < e->n_examples * T; place++) {
        int32_t word = e->words[place];
        last = place % T == 0 ? HL_IGNORE : last;
        if (word != HL_IGNORE && word != last && word != last + 1) {
            return hl_snapshot_wrong(path, "words", "%d at place %lld does not follow word %lld", (int)word,
                                     (long long)place, (long long)last);
        }
        last = word != HL_IGNORE ? word : last;
    }
    return hl_ok();
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
    int64_t wrong = 0; /* counted first, in vector code: mostly none is */
#pragma omp simd reduction(+ : wrong)
    for (int64_t i = 0; i < count; i++) {
        wrong += !(weights[i] >= -slack && weights[i] <= 1 + slack);
    }
    for (int64_t i = 0; i < count && wrong > 0; i++) {
        if (!(weights[i] >= -slack && weights[i] <= 1 + slack)) {
            return hl_snapshot_wrong(path, name, "%g at place %lld is no weight", (double)weights[i], (long long)i);
        }
    }
    return hl_ok();
}

/* Whether the largest answers at a place are in order, each once. */
static bool are_in_order(const int32_t *ids, const hl_real *logits, int64_t K)
{
    bool good = true;
    for (int64_t i = 0; i < K; i++) {
        good = good && ids[i] >= 0 && isfinite((double)logits[i]);
        for (int64_t j = 0; j < i; j++) {
            good = good && ids[i] != ids[j] && (logits[j] > logits[i] || (logits[j] == logits[i] && ids[j] < ids[i]));
        }
    }
    return good;
}

/* Refuses answers at a place that are no model's: the target's logit is one of the largest ones or not above them, and
 * the log of the sum holds at least these and at most C of them. */
static hl_status check_answer(const hl_answers *a, const char *path, int64_t place)
{
    int64_t C = a->n_targets, K = hl_answers_top(C);
    const int32_t *ids = a->top_ids + place * K, target = a->targets[place];
    const hl_real *logits = a->top_logits + place * K, least = logits[K - 1];
    double largest = (double)logits[0], slack = 1e-3 * fmax(1, fabs(largest)), sum = 0;
    double log_sum = (double)a->log_sums[place];
    bool is_largest = false;
    if (!are_in_order(ids, logits, K)) {
        return hl_snapshot_wrong(path, "top_logits", "those at place %lld are not the largest in order",
                                 (long long)place);
    }
    for (int64_t i = 0; i < K; i++) {
        sum += exp((double)logits[i] - largest);
        is_largest = is_largest || (ids[i] == target && logits[i] == a->target_logits[place]);
    }
    if (target >= 0 && !is_largest && !(a->target_logits[place] <= least)) {
        return hl_snapshot_wrong(path, "target_logits", "%g at place %lld is above the largest",
                                 (double)a->target_logits[place], (long long)place);
    }
    double most = sum + (double)(C - K) * exp((double)least - largest);
    if (!(log_sum >= largest + log(sum) - slack && log_sum <= largest + log(most) + slack)) {
        return hl_snapshot_wrong(path, "log_sums", "%g at place %lld is not that of its logits", log_sum,
                                 (long long)place);
    }
    return hl_ok();
}

/* All logits, or of what is answered, the largest ones. */
static hl_status read_answers(hl_snapshot *s, const char *path, hl_npy_type real)
{
    int64_t E = s->examples.n_examples, T = s->examples.n_tokens, C = hl_answers_targets(s->config),
            K = hl_answers_top(C);
    void *data = NULL, *target_logits = NULL, *log_sums = NULL;
    int32_t *top_ids;
    s->answers = (hl_answers){ .n_tokens = T, .n_targets = C, .targets = s->examples.targets };
    if (hl_npz_find(&s->npz, "top_ids") == NULL) {
        HL_TRY(hl_snapshot_array(&s->npz, path, "logits", real, HL_SHAPE(E, T, C), &data));
        s->answers.logits = data;
        return hl_ok();
    }
    HL_TRY(read_ids(&s->npz, path, "top_ids", HL_SHAPE(E, T, K), HL_IGNORE, C - 1, &top_ids));
    HL_TRY(hl_snapshot_array(&s->npz, path, "top_logits", real, HL_SHAPE(E, T, K), &data));
    HL_TRY(hl_snapshot_array(&s->npz, path, "target_logits", real, HL_SHAPE(E, T), &target_logits));
    HL_TRY(hl_snapshot_array(&s->npz, path, "log_sums", real, HL_SHAPE(E, T), &log_sums));
    s->answers.top_ids = top_ids;
    s->answers.top_logits = data;
    s->answers.target_logits = target_logits;
    s->answers.log_sums = log_sums;
    for (int64_t place = 0; place < E * T; place++) {
        bool answered = top_ids[place * K] != HL_IGNORE;
        if (!answered && s->examples.targets[place] != HL_IGNORE) {
            return hl_snapshot_wrong(path, "top_ids", "place %lld has a target and no answer", (long long)place);
        }
        HL_TRY(answered ? check_answer(&s->answers, path, place) : hl_ok());
    }
    return hl_ok();
}

static hl_status read_numbers(hl_snapshot *s, const char *path)
{
    const hl_npy_type real = sizeof(hl_real) == sizeof(float) ? HL_NPY_FLOAT32 : HL_NPY_FLOAT64;
    int64_t E = s->examples.n_examples, T = s->examples.n_tokens;
    void *data = NULL;
    s->layers = hl_calloc((size_t)s->config->n_layers, sizeof *s->layers);
    HL_NEED(s->layers != NULL, path);
    for (int l = 0; l < s->config->n_layers; l++) {
        char name[sizeof "layer_-2147483648"];
        snprintf(name, sizeof name, "layer_%d", l);
        hl_shape shape = HL_SHAPE(E, s->config->heads[l], T, T);
        HL_TRY(hl_snapshot_array(&s->npz, path, name, real, shape, &data));
        s->layers[l] = hl_patterns_of(data, &s->examples, s->config, l, 0);
        HL_TRY(check_weights(path, name, data, hl_shape_count(shape)));
    }
    HL_TRY(read_answers(s, path, real));
    HL_TRY(hl_snapshot_array(&s->npz, path, "step", HL_NPY_INT64, (hl_shape){ .n_dims = 0 }, &data));
    s->step = *(const int64_t *)data;
    return s->step >= 0 ? hl_ok() : hl_snapshot_wrong(path, "step", "is negative");
}

static hl_status read_sums(hl_snapshot *s, const char *path)
{
    if (!hl_validation_sums_are_in(&s->npz)) {
        return hl_ok();
    }
    s->sums = hl_calloc(1, sizeof *s->sums);
    HL_NEED(s->sums != NULL, path);
    return hl_validation_sums_read(&s->npz, path, s->config->n_layers, s->config->heads, s->examples.n_tokens,
                                   s->config->max_length, s->sums);
}

hl_status hl_snapshot_read(const char *path, const hl_model_config *config, int64_t most_examples,
                           hl_snapshot *snapshot)
{
    *snapshot = (hl_snapshot){ 0 };
    return hl_snapshot_read_again(path, config, most_examples, 1, snapshot);
}

hl_status hl_snapshot_read_again(const char *path, const hl_model_config *config, int64_t most_examples, int threads,
                                 hl_snapshot *snapshot)
{
    hl_npz before = snapshot->npz;
    snapshot->npz = (hl_npz){ 0 };
    hl_snapshot_free(snapshot);
    *snapshot = (hl_snapshot){ .config = config, .npz = before };
    size_t limit = hl_recorder_file_bytes(config, most_examples, config->max_length, HL_TASK_MAX_RELATIONS);
    if (hl_answers_are_sparse(most_examples, config->max_length, hl_answers_targets(config))) {
        limit = hl_size_sum(limit, HL_ANSWERS_LOGITS * sizeof(hl_real)); /* of fewer examples all logits may be kept */
    }
    hl_status status = hl_npz_read_again(path, limit, threads, &snapshot->npz);
    HL_THEN(status, check_format(&snapshot->npz, path));
    HL_THEN(status, read_examples(snapshot, path));
    HL_THEN(status, check_words(&snapshot->examples, path));
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
    hl_word_forms_free(&snapshot->words);
    hl_free(snapshot->layers);
    hl_free(snapshot->sums);
    hl_npz_free(&snapshot->npz);
    if (snapshot->recorder != NULL) {
        hl_recorder_free(snapshot->recorder);
        hl_free(snapshot->recorder);
    }
    *snapshot = (hl_snapshot){ 0 };
}

static bool has_examples_of(const hl_snapshot *snapshot, const hl_snapshot *like)
{
    const hl_examples *a = &snapshot->examples;
    if (like == NULL || like->words.rarest == NULL || like->examples.n_examples != a->n_examples ||
        like->examples.n_tokens != a->n_tokens) {
        return false;
    }
    return memcmp(like->examples.tokens, a->tokens, (size_t)(a->n_examples * a->n_tokens) * sizeof *a->tokens) == 0;
}

hl_status hl_snapshot_find_words(hl_snapshot *snapshot, const unsigned char *kinds, const hl_tokens *tokens,
                                 const hl_text_data *data, const hl_snapshot *like)
{
    hl_examples *examples = &snapshot->examples;
    examples->kinds = kinds;
    if (examples->words != NULL) {
        HL_TRY(hl_word_forms_make(examples, tokens, &snapshot->words));
        if (has_examples_of(snapshot, like)) {
            size_t n = (size_t)examples->n_examples;
            memcpy(snapshot->words.rarest, like->words.rarest, n * sizeof *snapshot->words.rarest);
        } else if (data != NULL) {
            HL_TRY(hl_word_forms_count(&snapshot->words, data));
        }
        hl_word_forms_tell(&snapshot->words, examples);
    }
    for (int l = 0; l < snapshot->config->n_layers; l++) {
        snapshot->layers[l] = hl_patterns_of(snapshot->layers[l].weights, examples, snapshot->config, l, 0);
    }
    return hl_ok();
}

hl_patterns hl_snapshot_patterns(const hl_snapshot *snapshot, int layer, int64_t head)
{
    hl_patterns patterns = snapshot->layers[layer];
    patterns.head = head;
    return patterns;
}
