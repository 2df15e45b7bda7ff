/* The numbers of the folder's tensors into the parameters of a model. */
#include "core/base/memory.h"
#include "pretrained/private/loading.h"

#include <stdio.h>
#include <string.h>

/* ---- finding tensors ---- */

/* The number of the tensor with that name; -1: none. */
static int find(const hl_loading *l, const char *name)
{
    int i = -1;
    const hl_folder_file *file = l->folder->files;
    for (int f = 0; f < l->folder->n_files && i < 0; f++, file++) {
        i = hl_safetensors_find(file->tensors, name);
        i = i < 0 ? i : file->first + i;
    }
    return i;
}

/* The file that holds the tensor of that number. */
static const hl_folder_file *file_of(const hl_loading *l, int tensor)
{
    int f = l->folder->n_files - 1;
    while (l->folder->files[f].first > tensor) {
        f--;
    }
    return &l->folder->files[f];
}

static const char *name_of(const hl_loading *l, int tensor)
{
    const hl_folder_file *file = file_of(l, tensor);
    return hl_safetensors_name(file->tensors, tensor - file->first);
}

/* The tensor "<theirs><ending>" of a module whose name ends with a point, with the kind's prefix or without it; of
 * layer norms also under the names that TensorFlow gave them. */
static int find_weight(const hl_loading *l, const char *theirs, const char *ending)
{
    size_t size = strlen(theirs), norm = strlen("LayerNorm.");
    bool is_norm = size >= norm && strcmp(theirs + size - norm, "LayerNorm.") == 0;
    const char *const prefixes[2] = { l->folder->kind->prefix, "" };
    const char *const endings[2] = { ending, strcmp(ending, "weight") == 0 ? "gamma" : "beta" };
    for (int p = 0; p < 2; p++) {
        for (int e = 0; e < (is_norm ? 2 : 1); e++) {
            char name[HL_WEIGHT_NAME];
            snprintf(name, sizeof name, "%s%s%s", prefixes[p], theirs, endings[e]);
            int tensor = find(l, name);
            if (tensor >= 0) {
                return tensor;
            }
        }
    }
    return -1;
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
                       int from)
{
    const hl_folder_file *file = file_of(l, from);
    hl_shape shape = hl_safetensors_shape(file->tensors, from - file->first), wanted = parameter->tensor->shape;
    bool third = hl_weight_part_is_third(part);
    bool transposed = part == HL_PART_TRANSPOSED && wanted.n_dims == 2;
    if (gate != NULL) {
        wanted.size[0] *= 2;
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
        return hl_pretrained_error(l->folder, file->name, "tensor \"%s\" is %s, and config.json makes it %s",
                                   name_of(l, from), hl_shape_text(shape, shape_text),
                                   hl_shape_text(wanted, wanted_text));
    }
    if (parameter->tensor->data != NULL) {
        l->places[from] = (hl_safetensors_place){
            .data = parameter->tensor->data + (third ? (part - HL_PART_Q) * (parameter->count / 3) : 0),
            .transposed = transposed,
            .first = cut            ? (size_t)hl_shape_count(shape)
                     : gate != NULL ? (size_t)parameter->count
                                    : 0,
            .rest = gate != NULL ? gate->tensor->data : NULL,
        };
    }
    int *other = &l->from[parameter - l->model->parameters.list];
    if (*other >= 0 && !third) { /* a second name of the same numbers: the tensor that is read later is compared */
        l->places[from > *other ? from : *other].compares = true;
    }
    *other = from;
    return hl_ok();
}

/* Weight or bias of a module of that layer, where the model has it. */
static hl_status place_weight(hl_loading *l, const hl_weight_name *row, int layer, const char *ending, bool needed)
{
    char ours[HL_WEIGHT_NAME], theirs[HL_WEIGHT_NAME], parameter_name[HL_WEIGHT_NAME + 8];
    hl_weight_name_print(row->ours, layer, ours);
    hl_weight_name_print(row->theirs, layer, theirs);
    snprintf(parameter_name, sizeof parameter_name, "%s%s", ours, ending);
    const hl_parameter *parameter = hl_parameters_find(&l->model->parameters, parameter_name);
    if (parameter == NULL) {
        return hl_ok();
    }
    bool has_other = row->part == HL_PART_ALL && l->from[parameter - l->model->parameters.list] >= 0;
    if (has_other && !l->folder->model.tie_embedding) { /* two names of what would be the same if it were tied */
        return hl_ok();
    }
    int from = find_weight(l, theirs, ending);
    if (from >= 0) {
        const hl_parameter *gate = row->part == HL_PART_GATED ? hl_weight_gate(l->model, layer, ending) : NULL;
        return place(l, parameter, gate, row->part, from);
    }
    return needed ? hl_pretrained_error(l->folder, l->folder->files[0].name, "has no tensor \"%s%s\"", theirs, ending)
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
        bool free = l->from[p] >= 0;
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

static hl_status read_file(const hl_loading *l, const hl_folder_file *file)
{
    hl_safetensors_place *places = l->places + file->first;
    HL_TRY(hl_safetensors_read(file->tensors, places));
    for (int i = 0; i < hl_safetensors_count(file->tensors); i++) {
        if (places[i].differs) {
            return hl_pretrained_error(l->folder, file->name,
                                       "tensor \"%s\" differs from another that config.json makes the same "
                                       "(tie_word_embeddings)",
                                       hl_safetensors_name(file->tensors, i));
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
        for (int64_t k = 0; l->from[p] >= 0 && k < parameter->count; k++) {
            if (!__builtin_isfinite(parameter->tensor->data[k])) {
                return hl_pretrained_error(l->folder, file_of(l, l->from[p])->name,
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

bool hl_loading_is_unused(const hl_loading *l, const hl_folder_file *file, int i)
{
    return l->places[file->first + i].data == NULL && hl_safetensors_can_read(file->tensors, i) &&
           !is_mask(l, hl_safetensors_name(file->tensors, i));
}

static hl_status tell(const hl_loading *l, hl_pretrained_loaded *loaded)
{
    const hl_parameters *parameters = &l->model->parameters;
    loaded->rows_cut = l->rows_cut;
    for (int p = 0; p < parameters->n; p++) {
        if (l->from[p] >= 0) {
            loaded->n_loaded++;
            loaded->n_numbers += parameters->list[p].count;
        } else {
            add_name(&loaded->drawn, &loaded->n_drawn, parameters->list[p].name);
        }
    }
    for (int f = 0; f < l->folder->n_files; f++) {
        const hl_folder_file *file = &l->folder->files[f];
        for (int i = 0; i < hl_safetensors_count(file->tensors); i++) {
            if (hl_loading_is_unused(l, file, i)) {
                add_name(&loaded->unused, &loaded->n_unused, hl_safetensors_name(file->tensors, i));
            }
        }
    }
    HL_TRY(hl_text_status(&loaded->drawn));
    return hl_text_status(&loaded->unused);
}

hl_status hl_loading_allocate(hl_loading *l)
{
    int n = l->model->parameters.n;
    l->from = hl_calloc((size_t)n, sizeof *l->from);
    l->places = hl_calloc((size_t)l->folder->n_tensors, sizeof *l->places);
    HL_NEED(l->from != NULL && l->places != NULL, "the places of weights");
    for (int p = 0; p < n; p++) {
        l->from[p] = -1;
    }
    return hl_ok();
}

void hl_loading_free(hl_loading *l)
{
    hl_free(l->places);
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
        HL_THEN(status, read_file(&l, &folder->files[f]));
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
        hl_weight_name_print(row->theirs, n, theirs);
        int found = strchr(row->theirs, '#') != NULL ? find_weight(l, theirs, "weight") : -1;
        if (found >= 0) {
            return hl_pretrained_error(l->folder, file_of(l, found)->name,
                                       "tensor \"%s\" is of a layer that config.json does not have (%s = %d)",
                                       name_of(l, found), kind->n_layers, n);
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
