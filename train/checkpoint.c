#include "train/checkpoint.h"

#include "core/base/memory.h"
#include "core/files/safetensors.h"
#include "train/private/state_fields.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

enum { NUMBER_TEXT = 40, MAX_METADATA = 5 + HL_STATE_FIELDS };

/* The tensors of a file while it is written. */
typedef struct tensor_list {
    hl_named_tensor *tensors;
    char (*names)[160]; /* after the tensors, in one block */
    int n;
} tensor_list;

static void list_add(tensor_list *list, const char *prefix, const char *name, const hl_parameter *parameter,
                     const hl_real *block)
{
    snprintf(list->names[list->n], sizeof *list->names, "%s%s", prefix, name);
    list->tensors[list->n] = (hl_named_tensor){ .name = list->names[list->n],
                                                .shape = parameter->tensor->shape,
                                                .data = block + parameter->offset };
    list->n++;
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
static int common_metadata(hl_metadata_item *items, char texts[2][NUMBER_TEXT], int64_t step, const char *config,
                           const char *format_key, int format)
{
    snprintf(texts[0], NUMBER_TEXT, "%" PRId64, step);
    snprintf(texts[1], NUMBER_TEXT, "%d", format);
    items[0] = (hl_metadata_item){ "format", "pt" };
    items[1] = (hl_metadata_item){ "step", texts[0] };
    items[2] = (hl_metadata_item){ "config", config };
    items[3] = (hl_metadata_item){ format_key, texts[1] };
    return 4;
}

static int state_metadata(hl_metadata_item *items, char texts[HL_STATE_FIELDS][NUMBER_TEXT],
                          const hl_train_state *state)
{
    int n = state->unvalidated ? HL_STATE_FIELDS : HL_STATE_WHOLE_STEP_FIELDS;
    for (int i = 0; i < n; i++) {
        const void *field = (const char *)state + hl_state_fields[i].place;
        if (hl_state_fields[i].type == HL_STATE_REAL) {
            snprintf(texts[i], NUMBER_TEXT, "%a", *(const double *)field); /* hexadecimal, which keeps every bit */
        } else {
            bool flag = hl_state_fields[i].type == HL_STATE_FLAG;
            snprintf(texts[i], NUMBER_TEXT, "%" PRId64, flag ? *(const bool *)field : *(const int64_t *)field);
        }
        items[i] = (hl_metadata_item){ hl_state_fields[i].key, texts[i] };
    }
    return n;
}

/* Keeps the current checkpoint under another name, before the new one replaces it. */
static hl_status keep_previous(const char *path, const char *kept_path)
{
    const hl_file_calls *calls = hl_file_calls_get();
    calls->unlink(kept_path); /* left by a run that was resumed before this step; usually there is none */
    bool kept = calls->link(path, kept_path) == 0 || errno == ENOENT;
    return kept ? hl_ok() : hl_file_system_error(kept_path, "the last checkpoint cannot be kept under this name");
}

/* Writes the weights and, unless the optimizer is NULL, its moments. */
static hl_status write_file(const char *path, const char *kept_path, const hl_parameters *parameters,
                            const hl_optimizer *optimizer, const hl_metadata_item *items, int n_items)
{
    size_t most = 3 * ((size_t)parameters->n + (size_t)parameters->n_aliases);
    tensor_list list = { .tensors = hl_calloc(most, sizeof *list.tensors + sizeof *list.names) };
    HL_NEED(list.tensors != NULL, path);
    list.names = (void *)(list.tensors + most);
    for (int i = 0; i < parameters->n; i++) {
        list_add(&list, "", parameters->list[i].name, &parameters->list[i], parameters->values);
    }
    for (int i = 0; i < parameters->n_aliases; i++) {
        const hl_parameter_alias *alias = &parameters->aliases[i];
        list_add(&list, "", alias->name, &parameters->list[alias->parameter], parameters->values);
    }
    if (optimizer != NULL) {
        list_add_moments(&list, optimizer);
    }
    hl_file file;
    hl_file_create(&file, path);
    hl_safetensors_write(&file, list.tensors, list.n, items, n_items);
    hl_free(list.tensors);
    hl_status status = kept_path != NULL && file.error.code == HL_OK ? keep_previous(path, kept_path) : hl_ok();
    if (status.code != HL_OK) {
        hl_file_abandon(&file);
        return status;
    }
    return hl_file_commit(&file, HL_DURABLE);
}

hl_status hl_checkpoint_write_model(const char *path, const hl_parameters *parameters, int64_t step, const char *config)
{
    return hl_checkpoint_write_pruned(path, parameters, step, config, NULL);
}

hl_status hl_checkpoint_write_pruned(const char *path, const hl_parameters *parameters, int64_t step,
                                     const char *config, const char *heads)
{
    hl_metadata_item items[MAX_METADATA];
    char texts[2][NUMBER_TEXT];
    int n_items = common_metadata(items, texts, step, config, "weights_format", HL_WEIGHTS_FORMAT);
    if (heads != NULL) {
        items[n_items++] = (hl_metadata_item){ "heads", heads };
    }
    return write_file(path, NULL, parameters, NULL, items, n_items);
}

hl_status hl_checkpoint_write(const char *path, const char *kept_path, const hl_optimizer *optimizer,
                              const hl_train_state *state, const char *config)
{
    hl_metadata_item items[MAX_METADATA];
    char texts[2][NUMBER_TEXT], state_texts[HL_STATE_FIELDS][NUMBER_TEXT];
    int n_items = common_metadata(items, texts, optimizer->step, config, "checkpoint_format", HL_CHECKPOINT_FORMAT);
    n_items += state_metadata(items + n_items, state_texts, state);
    return write_file(path, kept_path, optimizer->parameters, optimizer, items, n_items);
}
