/* The numbers of the folder's tensors into the parameters of a model. */
#include "core/base/memory.h"
#include "pretrained/private/loading.h"

#include <stdio.h>
#include <string.h>

/* ---- finding tensors ---- */

static bool find(const hl_loading *l, const char *name, hl_folder_tensor *found)
{
    for (int f = 0; f < l->folder->n_files; f++) {
        int i = hl_safetensors_find(l->folder->files[f], name);
        if (i >= 0) {
            *found = (hl_folder_tensor){ f, i };
            return true;
        }
    }
    return false;
}

/* The tensor "<theirs><ending>" of a module whose name ends with a point, with the kind's prefix or without it; of
 * layer norms also under the names that TensorFlow gave them. */
static bool find_weight(const hl_loading *l, const char *theirs, const char *ending, hl_folder_tensor *found)
{
    size_t size = strlen(theirs), norm = strlen("LayerNorm.");
    bool is_norm = size >= norm && strcmp(theirs + size - norm, "LayerNorm.") == 0;
    const char *const prefixes[2] = { l->folder->kind->prefix, "" };
    const char *const endings[2] = { ending, strcmp(ending, "weight") == 0 ? "gamma" : "beta" };
    for (int p = 0; p < 2; p++) {
        for (int e = 0; e < (is_norm ? 2 : 1); e++) {
            char name[HL_WEIGHT_NAME];
            snprintf(name, sizeof name, "%s%s%s", prefixes[p], theirs, endings[e]);
            if (find(l, name, found)) {
                return true;
            }
        }
    }
    return false;
}

/* ---- their places ---- */

const hl_parameter *hl_weight_gate(const hl_model *model, int layer, const char *ending)
{
    char name[HL_WEIGHT_NAME];
    snprintf(name, sizeof name, "encoder.layers.%d.linear3.%s", layer, ending);
    return hl_parameters_find(&model->parameters, name);
}

/* Puts the tensor where the parameter, or a third of its rows, is; the second half of its rows where `gate` is, unless
 * that is NULL. */
static hl_status place(hl_loading *l, const hl_parameter *parameter, const hl_parameter *gate, hl_weight_part part,
                       hl_folder_tensor from)
{
    const hl_safetensors *file = l->folder->files[from.file];
    const char *name = hl_safetensors_name(file, from.i);
    hl_shape shape = hl_safetensors_shape(file, from.i), wanted = parameter->tensor->shape;
    bool third = hl_weight_part_is_third(part);
    bool transposed = part == HL_PART_TRANSPOSED && wanted.n_dims == 2;
    if (gate != NULL) {
        wanted.size[0] *= 2;
        l->used[gate - l->model->parameters.list] = true;
        l->from[gate - l->model->parameters.list] = from;
    }
    if (third) {
        wanted.size[0] /= 3;
    }
    if (transposed) {
        wanted = HL_SHAPE(wanted.size[1], wanted.size[0]);
    }
    const hl_model_config *stored = &l->folder->model;
    bool cut = strcmp(parameter->name, "positions.weight") == 0 && wanted.size[0] < shape.size[0] &&
               shape.size[0] == stored->max_length + stored->position_offset;
    if (cut) {
        l->rows_cut = shape.size[0] - wanted.size[0];
        shape.size[0] = wanted.size[0];
    }
    if (!hl_shape_equal(shape, wanted)) {
        char shape_text[HL_SHAPE_TEXT], wanted_text[HL_SHAPE_TEXT];
        return hl_pretrained_error(l->folder, l->folder->file_names[from.file],
                                   "tensor \"%s\" is %s, and config.json makes it %s", name,
                                   hl_shape_text(shape, shape_text), hl_shape_text(wanted, wanted_text));
    }
    if (parameter->tensor->data != NULL) {
        l->places[from.file][from.i] = (hl_safetensors_place){
            .data = parameter->tensor->data + (third ? (part - HL_PART_Q) * (parameter->count / 3) : 0),
            .transposed = transposed,
            .first = cut            ? (size_t)hl_shape_count(shape)
                     : gate != NULL ? (size_t)parameter->count
                                    : 0,
            .rest = gate != NULL ? gate->tensor->data : NULL,
        };
    }
    int number = (int)(parameter - l->model->parameters.list);
    if (l->used[number] && !third) { /* a second name of the same numbers: the tensor that is read later is compared */
        hl_folder_tensor first = l->from[number];
        bool later = from.file != first.file ? from.file > first.file : from.i > first.i;
        hl_folder_tensor second = later ? from : first;
        l->places[second.file][second.i].compares = true;
    }
    l->used[number] = true;
    l->from[number] = from;
    return hl_ok();
}

/* Weight or bias of a module of that layer, where the model has it. */
static hl_status place_weight(hl_loading *l, const hl_weight_name *row, int layer, const char *ending, bool needed)
{
    char ours[HL_WEIGHT_NAME], theirs[HL_WEIGHT_NAME], parameter_name[HL_WEIGHT_NAME + 8];
    hl_folder_tensor from;
    hl_weight_name_print(row->ours, layer, ours);
    hl_weight_name_print(row->theirs, layer, theirs);
    snprintf(parameter_name, sizeof parameter_name, "%s%s", ours, ending);
    const hl_parameter *parameter = hl_parameters_find(&l->model->parameters, parameter_name);
    if (parameter == NULL) {
        return hl_ok();
    }
    bool has_other = row->part == HL_PART_ALL && l->used[parameter - l->model->parameters.list];
    if (has_other && !l->folder->model.tie_embedding) { /* two names of what would be the same if it were tied */
        return hl_ok();
    }
    if (find_weight(l, theirs, ending, &from)) {
        const hl_parameter *gate = row->part == HL_PART_GATED ? hl_weight_gate(l->model, layer, ending) : NULL;
        return place(l, parameter, gate, row->part, from);
    }
    return needed ? hl_pretrained_error(l->folder, l->folder->file_names[0], "has no tensor \"%s%s\"", theirs, ending)
                  : hl_ok();
}

/* All rows of a table, which may be NULL; `needed`: none may be missing. */
static hl_status place_rows(hl_loading *l, const hl_weight_name *rows, bool needed)
{
    for (const hl_weight_name *row = rows; row != NULL && row->ours != NULL; row++) {
        for (int layer = 0; layer < hl_weight_name_layers(row, l->model); layer++) {
            HL_TRY(place_weight(l, row, layer, "weight", needed));
            HL_TRY(place_weight(l, row, layer, "bias", needed));
        }
    }
    return hl_ok();
}

/* Whether the model has the stored output layer. */
static bool has_stored_head(const hl_loading *l)
{
    const hl_model_config *model = &l->model->config, *stored = &l->folder->model;
    int64_t targets = stored->targets != 0 ? stored->targets : stored->vocabulary;
    return stored->head != HL_HEAD_NONE && model->head == stored->head && model->pooling == stored->pooling &&
           model->pooler == stored->pooler && model->targets == targets;
}

/* Of the output layer nothing must be in the folder; what comes before it must. */
static hl_status check_body(const hl_loading *l)
{
    static const char *const prefixes[] = { "output.", "head.", "pooler." };
    for (int p = 0; p < l->model->parameters.n; p++) {
        const char *name = l->model->parameters.list[p].name;
        bool free = l->used[p];
        for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
            free = free || strncmp(name, prefixes[i], strlen(prefixes[i])) == 0;
        }
        if (!free) {
            return hl_error(HL_INVALID, "%s: models of the kind %s have no %s", l->folder->path, l->folder->kind->name,
                            name);
        }
    }
    return hl_ok();
}

/* The head's transform, which every class of the kind has, also where the model answers something else than the stored
 * one: only the output layer is then drawn anew. */
static hl_status place_transform(hl_loading *l, const hl_weight_name *rows)
{
    for (const hl_weight_name *row = rows; row->ours != NULL; row++) {
        if (strcmp(row->ours, "head.dense.") == 0 || strcmp(row->ours, "head.norm.") == 0) {
            HL_TRY(place_weight(l, row, 0, "weight", false));
            HL_TRY(place_weight(l, row, 0, "bias", false));
        }
    }
    return hl_ok();
}

hl_status hl_loading_place(hl_loading *l)
{
    const hl_model_kind *kind = l->folder->kind;
    const hl_weight_name *rows = hl_model_kind_head(kind, l->folder->head);
    HL_TRY(place_rows(l, kind->body, true));
    HL_TRY(check_body(l));
    HL_TRY(place_rows(l, l->model->config.pooler == kind->pooler ? kind->pooler_rows : NULL, false));
    if (has_stored_head(l)) {
        return place_rows(l, rows, false);
    }
    return kind->head_of_all && l->folder->head != HL_PRETRAINED_NONE ? place_transform(l, rows) : hl_ok();
}

/* ---- reading ---- */

static hl_status read_file(const hl_loading *l, int f)
{
    hl_safetensors *file = l->folder->files[f];
    HL_TRY(hl_safetensors_read(file, l->places[f]));
    for (int i = 0; i < hl_safetensors_count(file); i++) {
        if (l->places[f][i].differs) {
            return hl_pretrained_error(l->folder, l->folder->file_names[f],
                                       "tensor \"%s\" differs from another that config.json makes the same "
                                       "(tie_word_embeddings)",
                                       hl_safetensors_name(file, i));
        }
    }
    return hl_ok();
}

/* Divides the queries of layer l by l + 1, and with them its scores. */
static void scale_queries(const hl_loading *l)
{
    for (int layer = 1; l->folder->inverse_scale && layer < l->model->config.n_layers; layer++) {
        static const char *const endings[] = { "weight", "bias" };
        for (int e = 0; e < 2; e++) {
            char name[HL_WEIGHT_NAME];
            snprintf(name, sizeof name, "encoder.layers.%d.self_attn.in_proj_%s", layer, endings[e]);
            const hl_parameter *all = hl_parameters_find(&l->model->parameters, name);
            for (int64_t i = 0; i < all->count / 3; i++) {
                all->tensor->data[i] /= (hl_real)(layer + 1);
            }
        }
    }
}

static hl_status check_finite(const hl_loading *l)
{
    for (int p = 0; p < l->model->parameters.n; p++) {
        const hl_parameter *parameter = &l->model->parameters.list[p];
        for (int64_t k = 0; l->used[p] && k < parameter->count; k++) {
            if (!__builtin_isfinite(parameter->tensor->data[k])) {
                return hl_pretrained_error(l->folder, l->folder->file_names[l->from[p].file],
                                           "a tensor of %s holds a number that is not finite", parameter->name);
            }
        }
    }
    return hl_ok();
}

/* ---- what was done ---- */

static void add_name(hl_text *text, int64_t *n, const char *name)
{
    hl_text_print(text, "%s", *n > 0 ? ", " : "");
    hl_text_shown(text, name);
    ++*n;
}

/* Causal masks, which files of GPT-2 may hold as numbers. */
static bool is_mask(const hl_loading *l, const char *name)
{
    const char *attention = l->folder->kind->causal ? strstr(name, ".attn.") : NULL;
    return attention != NULL && (strcmp(attention, ".attn.bias") == 0 || strcmp(attention, ".attn.masked_bias") == 0);
}

bool hl_loading_is_unused(const hl_loading *l, int f, int i)
{
    const hl_safetensors *file = l->folder->files[f];
    return l->places[f][i].data == NULL && hl_safetensors_can_read(file, i) &&
           !is_mask(l, hl_safetensors_name(file, i));
}

static hl_status tell(const hl_loading *l, hl_pretrained_loaded *loaded)
{
    const hl_parameters *parameters = &l->model->parameters;
    loaded->rows_cut = l->rows_cut;
    for (int p = 0; p < parameters->n; p++) {
        if (l->used[p]) {
            loaded->n_loaded++;
            loaded->n_numbers += parameters->list[p].count;
        } else {
            add_name(&loaded->drawn, &loaded->n_drawn, parameters->list[p].name);
        }
    }
    for (int f = 0; f < l->folder->n_files; f++) {
        const hl_safetensors *file = l->folder->files[f];
        for (int i = 0; i < hl_safetensors_count(file); i++) {
            if (hl_loading_is_unused(l, f, i)) {
                add_name(&loaded->unused, &loaded->n_unused, hl_safetensors_name(file, i));
            }
        }
    }
    HL_TRY(hl_text_status(&loaded->drawn));
    return hl_text_status(&loaded->unused);
}

hl_status hl_loading_allocate(hl_loading *l)
{
    size_t n = (size_t)l->model->parameters.n, n_files = (size_t)l->folder->n_files;
    l->used = hl_calloc(n, sizeof *l->used);
    l->from = hl_calloc(n, sizeof *l->from);
    l->places = hl_calloc(n_files, sizeof *l->places);
    bool good = l->used != NULL && l->from != NULL && l->places != NULL;
    for (size_t f = 0; good && f < n_files; f++) {
        l->places[f] = hl_calloc((size_t)hl_safetensors_count(l->folder->files[f]), sizeof *l->places[f]);
        good = l->places[f] != NULL;
    }
    return good ? hl_ok() : hl_error_memory("the places of weights");
}

void hl_loading_free(hl_loading *l)
{
    for (int f = 0; l->places != NULL && f < l->folder->n_files; f++) {
        hl_free(l->places[f]);
    }
    hl_free(l->places);
    hl_free(l->used);
    hl_free(l->from);
}

hl_status hl_pretrained_load(hl_pretrained *folder, hl_model *model, hl_pretrained_loaded *loaded)
{
    HL_TRY(hl_parameters_check_allocated(&model->parameters));
    hl_pretrained_loaded_free(loaded);
    hl_loading l = { .folder = folder, .model = model };
    hl_status status = hl_loading_allocate(&l);
    HL_THEN(status, hl_loading_place(&l));
    for (int f = 0; f < folder->n_files; f++) {
        HL_THEN(status, read_file(&l, f));
    }
    HL_THEN(status, check_finite(&l));
    if (status.code == HL_OK) {
        scale_queries(&l);
    }
    HL_THEN(status, tell(&l, loaded));
    hl_loading_free(&l);
    return status;
}

/* Whether the files hold one layer more than config.json, which the model would silently lack. */
static hl_status check_layers(const hl_loading *l)
{
    const hl_model_kind *kind = l->folder->kind;
    int n = l->folder->model.n_layers;
    for (const hl_weight_name *row = kind->body; row->ours != NULL; row++) {
        char theirs[HL_WEIGHT_NAME];
        hl_folder_tensor found;
        hl_weight_name_print(row->theirs, n, theirs);
        if (strchr(row->theirs, '#') != NULL && find_weight(l, theirs, "weight", &found)) {
            return hl_pretrained_error(l->folder, l->folder->file_names[found.file],
                                       "tensor \"%s\" is of a layer that config.json does not have (%s = %d)",
                                       hl_safetensors_name(l->folder->files[found.file], found.i), kind->n_layers, n);
        }
    }
    return hl_ok();
}

hl_status hl_pretrained_check_weights(hl_pretrained *folder)
{
    hl_model *model = hl_calloc(1, sizeof *model);
    HL_NEED(model != NULL, "a model");
    hl_loading l = { .folder = folder, .model = model };
    hl_status status = hl_model_init(model, &folder->model);
    if (status.code == HL_INVALID) {
        status = hl_pretrained_error(folder, "config.json", "%s", status.text);
    }
    HL_THEN(status, hl_loading_allocate(&l));
    HL_THEN(status, hl_loading_place(&l));
    HL_THEN(status, check_layers(&l));
    hl_loading_free(&l);
    hl_model_free(model);
    hl_free(model);
    return status;
}
