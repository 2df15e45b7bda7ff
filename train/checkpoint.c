#include "train/checkpoint.h"

#include "core/memory.h"
#include "core/safetensors.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The largest file that is read: more than any machine's memory would hold. */
static const size_t max_bytes = (size_t)1 << 40;

/* The largest count that metadata may hold: so far from overflow that a run may go on from it. */
static const int64_t max_count = (int64_t)1 << 60;

/* Files of format 1 have the first fields alone; their rows of metrics.csv are still read. */
enum { NUMBER_TEXT = 40, FIRST_FIELDS = 10, STATE_FIELDS = 13, MAX_METADATA = 4 + STATE_FIELDS };

/* Of checkpoints; counts on wherever a run would no longer go on from an older one to the same bits. Checkpoints of
 * format 1 say no format: until then Adam's moments were rounded otherwise, and the losses that call for snapshots were
 * not kept. */
static const char checkpoint_format[] = "2";

/* One line of metadata a field, in one order for writing and reading. */
typedef struct state_field {
    const char *key;
    double *real;
    int64_t *integer;
} state_field;

/* The fields of `state`; has_best goes as the 0 or 1 in *has_best. */
static void fields_of(hl_train_state *state, int64_t *has_best, state_field fields[STATE_FIELDS])
{
    hl_cadence_state *loss = &state->cadence;
    const state_field all[STATE_FIELDS] = {
        { "state.has_best", NULL, has_best },           { "state.best_loss", &state->best_loss, NULL },
        { "state.best_step", NULL, &state->best_step }, { "state.since_best", NULL, &state->since_best },
        { "state.loss_sum", &state->loss_sum, NULL },   { "state.n_updates", NULL, &state->n_updates },
        { "state.scored", NULL, &state->scored },       { "state.correct", NULL, &state->correct },
        { "state.rows", NULL, &state->metrics.rows },   { "state.rows_crc32", NULL, &state->metrics.crc },
        { "state.loss_first", &loss->first, NULL },     { "state.loss_smoothed", &loss->smoothed, NULL },
        { "state.loss_lowest", &loss->lowest, NULL },
    };
    memcpy(fields, all, sizeof all);
}

/* ---- writing ---- */

/* The tensors of a file being put together. */
typedef struct tensor_list {
    hl_named_tensor *tensors;
    char (*names)[160];
    int n;
} tensor_list;

static bool list_allocate(tensor_list *list, const hl_parameters *parameters)
{
    size_t most = 3 * ((size_t)parameters->n + (size_t)parameters->n_aliases);
    *list = (tensor_list){ .tensors = hl_calloc(most, sizeof *list->tensors),
                           .names = hl_calloc(most, sizeof *list->names) };
    return list->tensors != NULL && list->names != NULL;
}

static void list_free(tensor_list *list)
{
    hl_free(list->tensors);
    hl_free(list->names);
}

static void list_add(tensor_list *list, const char *prefix, const char *name, const hl_parameter *parameter,
                     const hl_real *block)
{
    snprintf(list->names[list->n], sizeof *list->names, "%s%s", prefix, name);
    list->tensors[list->n] = (hl_named_tensor){ .name = list->names[list->n],
                                                .shape = parameter->tensor->shape,
                                                .data = block + parameter->offset };
    list->n++;
}

static void list_add_weights(tensor_list *list, const hl_parameters *parameters)
{
    for (int i = 0; i < parameters->n; i++) {
        list_add(list, "", parameters->list[i].name, &parameters->list[i], parameters->values);
    }
    for (int i = 0; i < parameters->n_aliases; i++) {
        const hl_parameter_alias *alias = &parameters->aliases[i];
        list_add(list, "", alias->name, &parameters->list[alias->parameter], parameters->values);
    }
}

static void list_add_moments(tensor_list *list, const hl_optimizer *optimizer)
{
    const hl_parameters *parameters = optimizer->parameters;
    for (int i = 0; i < parameters->n && optimizer->m != NULL; i++) {
        list_add(list, "optimizer.m.", parameters->list[i].name, &parameters->list[i], optimizer->m);
        list_add(list, "optimizer.v.", parameters->list[i].name, &parameters->list[i], optimizer->v);
    }
}

/* The metadata that every file of ours has. */
static int common_metadata(hl_metadata_item *items, char step_text[NUMBER_TEXT], int64_t step, const char *config)
{
    snprintf(step_text, NUMBER_TEXT, "%" PRId64, step);
    items[0] = (hl_metadata_item){ "format", "pt" };
    items[1] = (hl_metadata_item){ "step", step_text };
    items[2] = (hl_metadata_item){ "config", config };
    return 3;
}

static int state_metadata(hl_metadata_item *items, char texts[STATE_FIELDS][NUMBER_TEXT], const hl_train_state *state)
{
    hl_train_state copy = *state;
    int64_t has_best = state->has_best;
    state_field fields[STATE_FIELDS];
    fields_of(&copy, &has_best, fields);
    for (int i = 0; i < STATE_FIELDS; i++) {
        if (fields[i].real != NULL) {
            snprintf(texts[i], NUMBER_TEXT, "%a", *fields[i].real); /* hexadecimal: the very bits */
        } else {
            snprintf(texts[i], NUMBER_TEXT, "%" PRId64, *fields[i].integer);
        }
        items[i] = (hl_metadata_item){ fields[i].key, texts[i] };
    }
    return STATE_FIELDS;
}

/* `heads` may be NULL. */
static hl_status write_weights(const char *path, const hl_parameters *parameters, int64_t step, const char *config,
                               const char *heads)
{
    tensor_list list;
    if (!list_allocate(&list, parameters)) {
        list_free(&list);
        return hl_error_memory(path);
    }
    list_add_weights(&list, parameters);
    hl_metadata_item items[MAX_METADATA];
    char step_text[NUMBER_TEXT];
    int n_items = common_metadata(items, step_text, step, config);
    if (heads != NULL) {
        items[n_items++] = (hl_metadata_item){ "heads", heads };
    }
    hl_file file;
    hl_file_create(&file, path);
    hl_safetensors_write(&file, list.tensors, list.n, items, n_items);
    list_free(&list);
    return hl_file_commit(&file, HL_DURABLE);
}

hl_status hl_checkpoint_write_model(const char *path, const hl_parameters *parameters, int64_t step, const char *config)
{
    return write_weights(path, parameters, step, config, NULL);
}

hl_status hl_checkpoint_write_pruned(const char *path, const hl_parameters *parameters, int64_t step,
                                     const char *config, const char *heads)
{
    return write_weights(path, parameters, step, config, heads);
}

/* Keeps the present checkpoint under another name, before the new one takes its place. */
static hl_status keep_previous(const char *path, const char *kept_path)
{
    const hl_file_calls *calls = hl_file_calls_get();
    calls->unlink(kept_path); /* of an earlier run that was resumed before this step; usually there is none */
    bool kept = calls->link(path, kept_path) == 0 || errno == ENOENT;
    return kept ? hl_ok() : hl_file_system_error(kept_path, "the last checkpoint cannot be kept under this name");
}

hl_status hl_checkpoint_write(const char *path, const char *kept_path, const hl_optimizer *optimizer,
                              const hl_train_state *state, const char *config)
{
    tensor_list list;
    if (!list_allocate(&list, optimizer->parameters)) {
        list_free(&list);
        return hl_error_memory(path);
    }
    list_add_weights(&list, optimizer->parameters);
    list_add_moments(&list, optimizer);
    hl_metadata_item items[MAX_METADATA];
    char step_text[NUMBER_TEXT], state_texts[STATE_FIELDS][NUMBER_TEXT];
    int n_items = common_metadata(items, step_text, optimizer->step, config);
    items[n_items++] = (hl_metadata_item){ "checkpoint_format", checkpoint_format };
    n_items += state_metadata(items + n_items, state_texts, state);
    hl_file file;
    hl_file_create(&file, path);
    hl_safetensors_write(&file, list.tensors, list.n, items, n_items);
    list_free(&list);
    hl_status status = kept_path != NULL && file.error.code == HL_OK ? keep_previous(path, kept_path) : hl_ok();
    if (status.code != HL_OK) {
        hl_file_abandon(&file);
        return status;
    }
    return hl_file_commit(&file, HL_DURABLE);
}

/* ---- reading ---- */

struct hl_checkpoint {
    hl_safetensors *file;
    char *path;
    int64_t step;
};

static bool read_integer(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    long long read = text != NULL ? strtoll(text, &end, 10) : 0;
    if (text == NULL || end == text || *end != '\0' || errno != 0 || read < 0 || read > max_count) {
        return false;
    }
    *value = read;
    return true;
}

static bool read_real(const char *text, double *value)
{
    char *end;
    *value = text != NULL ? strtod(text, &end) : 0;
    return text != NULL && end != text && *end == '\0' && __builtin_isfinite(*value);
}

/* Whether the file says what every file of ours says; *step is set then. */
static bool is_ours(const hl_safetensors *file, int64_t *step)
{
    return hl_safetensors_has_checksum(file) && hl_safetensors_metadata(file, "config") != NULL &&
           read_integer(hl_safetensors_metadata(file, "step"), step);
}

hl_status hl_checkpoint_open(const char *path, hl_checkpoint **out)
{
    hl_checkpoint *checkpoint = hl_calloc(1, sizeof *checkpoint);
    if (checkpoint == NULL || (checkpoint->path = hl_strdup(path)) == NULL) {
        hl_checkpoint_free(checkpoint);
        return hl_error_memory(path);
    }
    hl_status status = hl_safetensors_read(path, max_bytes, &checkpoint->file);
    if (status.code == HL_OK && !is_ours(checkpoint->file, &checkpoint->step)) {
        status = hl_error(HL_BAD_FILE, "%s: not a checkpoint of a training run", path);
    }
    if (status.code != HL_OK) {
        hl_checkpoint_free(checkpoint);
        return status;
    }
    *out = checkpoint;
    return hl_ok();
}

hl_status hl_checkpoint_read_step(const char *path, int64_t *step)
{
    *step = -1;
    bool exists;
    HL_TRY(hl_file_exists(path, &exists));
    if (!exists) {
        return hl_ok();
    }
    hl_safetensors *file;
    HL_TRY(hl_safetensors_read(path, max_bytes, &file));
    int64_t its;
    *step = is_ours(file, &its) ? its : -1;
    hl_safetensors_free(file);
    return hl_ok();
}

void hl_checkpoint_free(hl_checkpoint *checkpoint)
{
    if (checkpoint != NULL) {
        hl_safetensors_free(checkpoint->file);
        hl_free(checkpoint->path);
        hl_free(checkpoint);
    }
}

const char *hl_checkpoint_config(const hl_checkpoint *checkpoint)
{
    return hl_safetensors_metadata(checkpoint->file, "config");
}

static hl_status restore_tensor(const hl_safetensors *file, const char *path, const char *prefix, const char *name,
                                const hl_parameter *parameter, hl_real *block)
{
    char full[160];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    int i = hl_safetensors_find(file, full);
    if (i < 0) {
        return hl_error(HL_BAD_FILE, "%s: has no tensor %s", path, full);
    }
    hl_shape shape = hl_safetensors_shape(file, i), wanted = parameter->tensor->shape;
    if (!hl_shape_equal(shape, wanted)) {
        char shape_text[HL_SHAPE_TEXT], wanted_text[HL_SHAPE_TEXT];
        return hl_error(HL_BAD_FILE, "%s: %s is %s, and the config makes it %s", path, full,
                        hl_shape_text(shape, shape_text), hl_shape_text(wanted, wanted_text));
    }
    hl_real *numbers = block + parameter->offset;
    hl_safetensors_copy(file, i, numbers);
    for (int64_t n = 0; n < parameter->count; n++) {
        if (!__builtin_isfinite(numbers[n])) {
            return hl_error(HL_BAD_FILE, "%s: %s holds a number that is not finite", path, full);
        }
    }
    return hl_ok();
}

/* A second name of a parameter, where the file has it, must stand for the same numbers. */
static hl_status check_alias(const hl_safetensors *file, const char *path, const hl_parameters *parameters,
                             const hl_parameter_alias *alias)
{
    int i = hl_safetensors_find(file, alias->name);
    if (i < 0) {
        return hl_ok();
    }
    const hl_parameter *parameter = &parameters->list[alias->parameter];
    hl_status status = hl_error(HL_BAD_FILE, "%s: %s differs from %s, and the config makes them one (tie_embedding)",
                                path, alias->name, parameter->name);
    if (!hl_shape_equal(hl_safetensors_shape(file, i), parameter->tensor->shape)) {
        return status;
    }
    size_t bytes = (size_t)parameter->count * sizeof(hl_real);
    hl_real *numbers = hl_malloc(bytes);
    if (numbers == NULL) {
        return hl_error_memory(path);
    }
    hl_safetensors_copy(file, i, numbers);
    bool same = memcmp(numbers, parameters->values + parameter->offset, bytes) == 0;
    hl_free(numbers);
    return same ? hl_ok() : status;
}

static hl_status restore_weights(const hl_safetensors *file, const char *path, hl_parameters *parameters)
{
    for (int i = 0; i < parameters->n; i++) {
        const hl_parameter *parameter = &parameters->list[i];
        HL_TRY(restore_tensor(file, path, "", parameter->name, parameter, parameters->values));
    }
    for (int i = 0; i < parameters->n_aliases; i++) {
        HL_TRY(check_alias(file, path, parameters, &parameters->aliases[i]));
    }
    for (int i = 0; i < hl_safetensors_count(file); i++) {
        const char *name = hl_safetensors_name(file, i);
        if (strncmp(name, "optimizer.", 10) != 0 && hl_parameters_find(parameters, name) == NULL) {
            return hl_error(HL_BAD_FILE, "%s: the config's model has no tensor %s", path, name);
        }
    }
    return hl_ok();
}

static hl_status read_state(const hl_checkpoint *checkpoint, hl_train_state *state)
{
    int64_t has_best = 0;
    state_field fields[STATE_FIELDS];
    fields_of(state, &has_best, fields);
    for (int i = 0; i < STATE_FIELDS; i++) {
        const char *text = hl_safetensors_metadata(checkpoint->file, fields[i].key);
        text = text == NULL && i >= FIRST_FIELDS ? "0" : text;
        if (!(fields[i].real != NULL ? read_real(text, fields[i].real) : read_integer(text, fields[i].integer))) {
            return hl_error(HL_BAD_FILE, "%s: its metadata has no valid %s", checkpoint->path, fields[i].key);
        }
    }
    state->has_best = has_best != 0;
    return hl_ok();
}

hl_status hl_checkpoint_read_metrics(const char *path, bool *has, hl_metrics_sum *sum)
{
    *sum = (hl_metrics_sum){ 0 };
    HL_TRY(hl_file_exists(path, has));
    if (!*has) {
        return hl_ok();
    }
    hl_checkpoint *checkpoint;
    HL_TRY(hl_checkpoint_open(path, &checkpoint));
    hl_train_state state;
    hl_status status = read_state(checkpoint, &state);
    if (status.code == HL_OK) {
        *sum = state.metrics;
    }
    hl_checkpoint_free(checkpoint);
    return status;
}

static hl_status check_format(const hl_checkpoint *checkpoint)
{
    const char *format = hl_safetensors_metadata(checkpoint->file, "checkpoint_format");
    if (format != NULL && strcmp(format, checkpoint_format) == 0) {
        return hl_ok();
    }
    return hl_error(HL_BAD_FILE,
                    "%s: of checkpoint format %s, from which this version would not go on to the same bits (it goes on "
                    "from format %s); --from this file begins a new run with its weights, elsewhere",
                    checkpoint->path, format != NULL ? format : "1", checkpoint_format);
}

hl_status hl_checkpoint_restore(const hl_checkpoint *checkpoint, hl_optimizer *optimizer, hl_train_state *state)
{
    const hl_safetensors *file = checkpoint->file;
    hl_parameters *parameters = optimizer->parameters;
    HL_TRY(check_format(checkpoint));
    HL_TRY(restore_weights(file, checkpoint->path, parameters));
    for (int i = 0; i < parameters->n && optimizer->m != NULL; i++) {
        const hl_parameter *p = &parameters->list[i];
        HL_TRY(restore_tensor(file, checkpoint->path, "optimizer.m.", p->name, p, optimizer->m));
        HL_TRY(restore_tensor(file, checkpoint->path, "optimizer.v.", p->name, p, optimizer->v));
    }
    optimizer->step = checkpoint->step;
    return read_state(checkpoint, state);
}

static hl_status copy_config(const hl_safetensors *file, const char *path, char **config)
{
    const char *text = hl_safetensors_metadata(file, "config");
    *config = text != NULL ? hl_strdup(text) : NULL;
    return text == NULL || *config != NULL ? hl_ok() : hl_error_memory(path);
}

hl_status hl_checkpoint_load_weights(const char *path, hl_parameters *parameters, bool *has_checksum, char **config)
{
    hl_safetensors *file;
    *config = NULL;
    HL_TRY(hl_safetensors_read(path, max_bytes, &file));
    *has_checksum = hl_safetensors_has_checksum(file);
    hl_status status = restore_weights(file, path, parameters);
    if (status.code == HL_OK) {
        status = copy_config(file, path, config);
    }
    hl_safetensors_free(file);
    return status;
}
