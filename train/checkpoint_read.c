#include "train/checkpoint.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "core/files/safetensors.h"
#include "train/private/state_fields.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The largest count that metadata may hold. It is so far from overflow that a run may continue from it. */
static const int64_t max_count = (int64_t)1 << 60;

/* ---- what the file says ---- */

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

/* The format that a file of ours states; 1 if it states none. */
static int64_t format_of(const hl_checkpoint *checkpoint, const char *key)
{
    int64_t format;
    const char *text = checkpoint->step >= 0 ? hl_safetensors_metadata(checkpoint->file, key) : NULL;
    return read_integer(text, &format) ? format : 1;
}

static hl_status check_newer(hl_checkpoint *checkpoint, const char *key, int newest)
{
    int64_t format = format_of(checkpoint, key);
    return format > newest ? hl_checkpoint_judge(checkpoint, hl_error_newer(checkpoint->path, format, newest))
                           : hl_ok();
}

/* Opens the file at checkpoint->path, and reads what its header says of it. */
static hl_status open_file(hl_checkpoint *checkpoint)
{
    HL_TRY(hl_safetensors_open(checkpoint->path, &checkpoint->file));
    checkpoint->config = hl_safetensors_metadata(checkpoint->file, "config");
    checkpoint->has_checksum = hl_safetensors_has_checksum(checkpoint->file);
    bool ours = checkpoint->has_checksum && checkpoint->config != NULL &&
                read_integer(hl_safetensors_metadata(checkpoint->file, "step"), &checkpoint->step);
    checkpoint->step = ours ? checkpoint->step : -1;
    HL_TRY(check_newer(checkpoint, "weights_format", HL_WEIGHTS_FORMAT));
    return check_newer(checkpoint, "checkpoint_format", HL_CHECKPOINT_FORMAT);
}

hl_status hl_checkpoint_open(const char *path, hl_checkpoint **out)
{
    hl_checkpoint *checkpoint = *out = hl_calloc(1, sizeof *checkpoint);
    HL_NEED(checkpoint != NULL, path);
    checkpoint->path = hl_strdup(path);
    hl_status status = checkpoint->path != NULL ? open_file(checkpoint) : hl_error_memory(path);
    if (status.code != HL_OK) {
        hl_checkpoint_free(checkpoint);
        *out = NULL;
    }
    return status;
}

void hl_checkpoint_free(hl_checkpoint *checkpoint)
{
    if (checkpoint != NULL) {
        hl_safetensors_free(checkpoint->file);
        hl_free(checkpoint->path);
        hl_free(checkpoint);
    }
}

hl_status hl_checkpoint_judge(hl_checkpoint *checkpoint, hl_status found)
{
    if (found.code != HL_OK) {
        HL_TRY(hl_safetensors_read(checkpoint->file, NULL));
    }
    return found;
}

hl_status hl_checkpoint_state(const hl_checkpoint *checkpoint, hl_train_state *state)
{
    if (checkpoint->step < 0) {
        return hl_error(HL_BAD_FILE, "%s: not a checkpoint of a training run", checkpoint->path);
    }
    for (int i = 0; i < HL_STATE_FIELDS; i++) {
        const hl_state_field *f = &hl_state_fields[i];
        void *field = (char *)state + f->place;
        int64_t count = 0;
        const char *text = hl_safetensors_metadata(checkpoint->file, f->key);
        text = text == NULL && i >= HL_STATE_FIRST_FIELDS ? "0" : text;
        if (!(f->type == HL_STATE_REAL ? read_real(text, field) : read_integer(text, &count))) {
            return hl_error(HL_BAD_FILE, "%s: its metadata has no valid %s", checkpoint->path, f->key);
        }
        if (f->type == HL_STATE_COUNT) {
            *(int64_t *)field = count;
        } else if (f->type == HL_STATE_FLAG) {
            *(bool *)field = count != 0;
        }
    }
    return hl_ok();
}

/* ---- where tensors go ---- */

/* Sets the destination of the file's tensor in the parameter's block. Without a block, only checks that it fits. */
static hl_status place_tensor(const hl_checkpoint *checkpoint, const char *prefix, const hl_parameter *parameter,
                              hl_real *block, hl_safetensors_place *places)
{
    char name[HL_PARAMETER_MAX_NAME + 16];
    snprintf(name, sizeof name, "%s%s", prefix, parameter->name);
    int i = hl_safetensors_find(checkpoint->file, name);
    if (i < 0) {
        return hl_error(HL_BAD_FILE, "%s: has no tensor %s", checkpoint->path, name);
    }
    hl_shape shape = hl_safetensors_shape(checkpoint->file, i), wanted = parameter->tensor->shape;
    if (!hl_shape_equal(shape, wanted)) {
        char shape_text[HL_SHAPE_TEXT], wanted_text[HL_SHAPE_TEXT];
        return hl_error(HL_BAD_FILE, "%s: %s is %s, and the config makes it %s", checkpoint->path, name,
                        hl_shape_text(shape, shape_text), hl_shape_text(wanted, wanted_text));
    }
    if (block != NULL) {
        places[i].data = block + parameter->offset;
    }
    return hl_ok();
}

static hl_status alias_differs(const hl_checkpoint *checkpoint, const hl_parameters *parameters,
                               const hl_parameter_alias *alias)
{
    return hl_error(HL_BAD_FILE, "%s: %s differs from %s, and the config makes them one (tie_embedding)",
                    checkpoint->path, alias->name, parameters->list[alias->parameter].name);
}

/* If the file has a second name of a parameter, it must hold the same numbers. The first of the two tensors is read,
 * and the other is compared with it. */
static hl_status place_alias(const hl_checkpoint *checkpoint, const hl_parameters *parameters,
                             const hl_parameter_alias *alias, hl_safetensors_place *places)
{
    const hl_parameter *parameter = &parameters->list[alias->parameter];
    int second = hl_safetensors_find(checkpoint->file, alias->name);
    if (second < 0) {
        return hl_ok();
    }
    if (!hl_shape_equal(hl_safetensors_shape(checkpoint->file, second), parameter->tensor->shape)) {
        return alias_differs(checkpoint, parameters, alias);
    }
    if (places != NULL) {
        int first = hl_safetensors_find(checkpoint->file, parameter->name);
        places[second].data = places[first].data;
        places[first > second ? first : second].compares = true;
    }
    return hl_ok();
}

/* Sets the destinations of all weights; places NULL: only checks that they fit. */
static hl_status place_weights(const hl_checkpoint *checkpoint, const hl_parameters *parameters,
                               hl_safetensors_place *places)
{
    hl_real *block = places != NULL ? parameters->values : NULL;
    for (int i = 0; i < parameters->n; i++) {
        HL_TRY(place_tensor(checkpoint, "", &parameters->list[i], block, places));
    }
    for (int i = 0; i < parameters->n_aliases; i++) {
        HL_TRY(place_alias(checkpoint, parameters, &parameters->aliases[i], places));
    }
    for (int i = 0; i < hl_safetensors_count(checkpoint->file); i++) {
        const char *name = hl_safetensors_name(checkpoint->file, i);
        if (strncmp(name, "optimizer.", 10) != 0 && hl_parameters_find(parameters, name) == NULL) {
            return hl_error(HL_BAD_FILE, "%s: the config's model has no tensor %s", checkpoint->path, name);
        }
    }
    return hl_ok();
}

hl_status hl_checkpoint_fits(hl_checkpoint *checkpoint, const hl_parameters *parameters)
{
    return hl_checkpoint_judge(checkpoint, place_weights(checkpoint, parameters, NULL));
}

/* ---- reading tensors ---- */

static hl_status place_moments(const hl_checkpoint *checkpoint, const hl_optimizer *optimizer,
                               hl_safetensors_place *places)
{
    const hl_parameters *parameters = optimizer->parameters;
    for (int i = 0; i < parameters->n && optimizer->m != NULL; i++) {
        HL_TRY(place_tensor(checkpoint, "optimizer.m.", &parameters->list[i], optimizer->m, places));
        HL_TRY(place_tensor(checkpoint, "optimizer.v.", &parameters->list[i], optimizer->v, places));
    }
    return hl_ok();
}

static hl_status check_read(const hl_checkpoint *checkpoint, const hl_parameters *parameters,
                            const hl_safetensors_place *places)
{
    for (int i = 0; i < hl_safetensors_count(checkpoint->file); i++) {
        int64_t count = places[i].data != NULL ? hl_shape_count(hl_safetensors_shape(checkpoint->file, i)) : 0;
        for (int64_t n = 0; n < count; n++) {
            if (!__builtin_isfinite(places[i].data[n])) {
                return hl_error(HL_BAD_FILE, "%s: %s holds a number that is not finite", checkpoint->path,
                                hl_safetensors_name(checkpoint->file, i));
            }
        }
    }
    for (int i = 0; i < parameters->n_aliases; i++) {
        const hl_parameter_alias *alias = &parameters->aliases[i];
        int second = hl_safetensors_find(checkpoint->file, alias->name),
            first = hl_safetensors_find(checkpoint->file, parameters->list[alias->parameter].name);
        if (second >= 0 && (places[first].differs || places[second].differs)) {
            return alias_differs(checkpoint, parameters, alias);
        }
    }
    return hl_ok();
}

/* `optimizer`: its moments are read too; or NULL. */
static hl_status read_into(hl_checkpoint *checkpoint, const hl_parameters *parameters, const hl_optimizer *optimizer)
{
    hl_safetensors_place *places = hl_calloc((size_t)hl_safetensors_count(checkpoint->file), sizeof *places);
    HL_NEED(places != NULL, checkpoint->path);
    hl_status status = place_weights(checkpoint, parameters, places);
    if (status.code == HL_OK && optimizer != NULL) {
        status = place_moments(checkpoint, optimizer, places);
    }
    status = hl_checkpoint_judge(checkpoint, status);
    HL_THEN(status, hl_safetensors_read(checkpoint->file, places));
    HL_THEN(status, check_read(checkpoint, parameters, places));
    hl_free(places);
    return status;
}

hl_status hl_checkpoint_load(hl_checkpoint *checkpoint, hl_parameters *parameters)
{
    return read_into(checkpoint, parameters, NULL);
}

static hl_status check_format(const hl_checkpoint *checkpoint)
{
    int64_t format = format_of(checkpoint, "checkpoint_format");
    if (format == HL_CHECKPOINT_FORMAT) {
        return hl_ok();
    }
    return hl_error(
        HL_BAD_FILE,
        "%s: of checkpoint format %lld, from which this version would not go on to the same bits (it goes on "
        "from format %d); --from this file begins a new run with its weights, elsewhere",
        checkpoint->path, (long long)format, (int)HL_CHECKPOINT_FORMAT);
}

hl_status hl_checkpoint_restore(hl_checkpoint *checkpoint, hl_optimizer *optimizer, hl_train_state *state)
{
    hl_status status = hl_checkpoint_state(checkpoint, state);
    HL_TRY(hl_checkpoint_judge(checkpoint, status.code == HL_OK ? check_format(checkpoint) : status));
    HL_TRY(read_into(checkpoint, optimizer->parameters, optimizer));
    optimizer->step = checkpoint->step;
    return hl_ok();
}

/* ---- a file that may be missing ---- */

/* Opens and verifies the file; *checkpoint is NULL if there is none. */
static hl_status open_verified(const char *path, hl_checkpoint **checkpoint)
{
    *checkpoint = NULL;
    bool exists;
    HL_TRY(hl_file_exists(path, &exists));
    if (!exists) {
        return hl_ok();
    }
    HL_TRY(hl_checkpoint_open(path, checkpoint));
    hl_status status = hl_safetensors_read((*checkpoint)->file, NULL);
    if (status.code != HL_OK) {
        hl_checkpoint_free(*checkpoint);
        *checkpoint = NULL;
    }
    return status;
}

hl_status hl_checkpoint_read_step(const char *path, int64_t *step)
{
    *step = -1;
    hl_checkpoint *checkpoint;
    HL_TRY(open_verified(path, &checkpoint));
    *step = checkpoint != NULL ? checkpoint->step : -1;
    hl_checkpoint_free(checkpoint);
    return hl_ok();
}

hl_status hl_checkpoint_read_metrics(const char *path, bool *has, hl_metrics_sum *sum)
{
    *sum = (hl_metrics_sum){ 0 };
    *has = false;
    hl_checkpoint *checkpoint;
    HL_TRY(open_verified(path, &checkpoint));
    *has = checkpoint != NULL;
    hl_train_state state = { .metrics = *sum };
    hl_status status = *has ? hl_checkpoint_state(checkpoint, &state) : hl_ok();
    if (status.code == HL_OK) {
        *sum = state.metrics;
    }
    hl_checkpoint_free(checkpoint);
    return status;
}
