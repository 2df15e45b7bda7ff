/* The numbers of the folder's tensors into the parameters of a model. */
#include "core/base/memory.h"
#include "pretrained/private/folder.h"
#include "pretrained/private/write.h"

#include <stdio.h>
#include <string.h>

/* A tensor of one of the files. */
typedef struct tensor {
    int file, i;
} tensor;

/* What is done with every tensor and every parameter. Places of a model that is not allocated stay empty. */
typedef struct loading {
    hl_pretrained *folder;
    hl_model *model;
    hl_safetensors_place **places; /* of each file, one for each of its tensors */
    bool *used;                    /* of each parameter, whether a tensor goes there */
    tensor *from;                  /* of each parameter, the tensor that does; of thirds the last one */
    int64_t rows_cut;              /* positions beyond the longest that the model takes */
} loading;

/* ---- finding tensors ---- */

static bool find(const loading *l, const char *name, tensor *found)
{
    for (int f = 0; f < l->folder->n_files; f++) {
        int i = hl_safetensors_find(l->folder->files[f], name);
        if (i >= 0) {
            *found = (tensor){ f, i };
            return true;
        }
    }
    return false;
}

/* The tensor "<theirs><ending>" of a module whose name ends with a point, with the kind's prefix or without it; of
 * layer norms also under the names that TensorFlow gave them. */
static bool find_weight(const loading *l, const char *theirs, const char *ending, tensor *found)
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

/* Puts the tensor where the parameter, or a third of its rows, is. */
static hl_status place(loading *l, const hl_parameter *parameter, hl_weight_part part, tensor from)
{
    const hl_safetensors *file = l->folder->files[from.file];
    const char *name = hl_safetensors_name(file, from.i);
    hl_shape shape = hl_safetensors_shape(file, from.i), wanted = parameter->tensor->shape;
    bool third = hl_weight_part_is_third(part);
    bool transposed = part == HL_PART_TRANSPOSED && wanted.n_dims == 2;
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
            .first = cut ? (size_t)hl_shape_count(shape) : 0,
        };
    }
    int number = (int)(parameter - l->model->parameters.list);
    if (l->used[number] && !third) { /* a second name of the same numbers: the tensor that is read later is compared */
        tensor first = l->from[number];
        bool later = from.file != first.file ? from.file > first.file : from.i > first.i;
        tensor second = later ? from : first;
        l->places[second.file][second.i].compares = true;
    }
    l->used[number] = true;
    l->from[number] = from;
    return hl_ok();
}

/* Weight or bias of a module of that layer, where the model has it. */
static hl_status place_weight(loading *l, const hl_weight_name *row, int layer, const char *ending, bool needed)
{
    char ours[HL_WEIGHT_NAME], theirs[HL_WEIGHT_NAME], parameter_name[HL_WEIGHT_NAME + 8];
    tensor from;
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
        return place(l, parameter, row->part, from);
    }
    return needed ? hl_pretrained_error(l->folder, l->folder->file_names[0], "has no tensor \"%s%s\"", theirs, ending)
                  : hl_ok();
}

/* All rows of a table, which may be NULL; `needed`: none may be missing. */
static hl_status place_rows(loading *l, const hl_weight_name *rows, bool needed)
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
static bool has_stored_head(const loading *l)
{
    const hl_model_config *model = &l->model->config, *stored = &l->folder->model;
    int64_t targets = stored->targets != 0 ? stored->targets : stored->vocabulary;
    return stored->head != HL_HEAD_NONE && model->head == stored->head && model->pooling == stored->pooling &&
           model->pooler == stored->pooler && model->targets == targets;
}

/* Of the output layer nothing must be in the folder; what comes before it must. */
static hl_status check_body(const loading *l)
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

static hl_status place_all(loading *l)
{
    const hl_model_kind *kind = l->folder->kind;
    const hl_weight_name *rows = hl_model_kind_head(kind, l->folder->head);
    HL_TRY(place_rows(l, kind->body, true));
    HL_TRY(check_body(l));
    HL_TRY(place_rows(l, l->model->config.pooler == kind->pooler ? kind->pooler_rows : NULL, false));
    return has_stored_head(l) ? place_rows(l, rows, false) : hl_ok();
}

/* ---- reading ---- */

static hl_status read_file(const loading *l, int f)
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
static void scale_queries(const loading *l)
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

static hl_status check_finite(const loading *l)
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
static bool is_mask(const loading *l, const char *name)
{
    const char *attention = l->folder->kind->causal ? strstr(name, ".attn.") : NULL;
    return attention != NULL && (strcmp(attention, ".attn.bias") == 0 || strcmp(attention, ".attn.masked_bias") == 0);
}

static bool is_unused(const loading *l, int f, int i)
{
    const hl_safetensors *file = l->folder->files[f];
    return l->places[f][i].data == NULL && hl_safetensors_can_read(file, i) &&
           !is_mask(l, hl_safetensors_name(file, i));
}

static hl_status tell(const loading *l, hl_pretrained_loaded *loaded)
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
            if (is_unused(l, f, i)) {
                add_name(&loaded->unused, &loaded->n_unused, hl_safetensors_name(file, i));
            }
        }
    }
    HL_TRY(hl_text_status(&loaded->drawn));
    return hl_text_status(&loaded->unused);
}

/* Cannot fail but for memory, which frees nothing: free_loading does. */
static hl_status allocate(loading *l)
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

static void free_loading(loading *l)
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
    loading l = { .folder = folder, .model = model };
    hl_status status = allocate(&l);
    HL_THEN(status, place_all(&l));
    for (int f = 0; f < folder->n_files; f++) {
        HL_THEN(status, read_file(&l, f));
    }
    HL_THEN(status, check_finite(&l));
    if (status.code == HL_OK) {
        scale_queries(&l);
    }
    HL_THEN(status, tell(&l, loaded));
    free_loading(&l);
    return status;
}

/* Whether the files hold one layer more than config.json, which the model would silently lack. */
static hl_status check_layers(const loading *l)
{
    const hl_model_kind *kind = l->folder->kind;
    int n = l->folder->model.n_layers;
    for (const hl_weight_name *row = kind->body; row->ours != NULL; row++) {
        char theirs[HL_WEIGHT_NAME];
        tensor found;
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
    loading l = { .folder = folder, .model = model };
    hl_status status = hl_model_init(model, &folder->model);
    if (status.code == HL_INVALID) {
        status = hl_pretrained_error(folder, "config.json", "%s", status.text);
    }
    HL_THEN(status, allocate(&l));
    HL_THEN(status, place_all(&l));
    HL_THEN(status, check_layers(&l));
    free_loading(&l);
    hl_model_free(model);
    hl_free(model);
    return status;
}

/* ---- what is not used ---- */

/* Adds those of one file, with their numbers. */
static hl_status read_unused(const loading *l, int f, hl_unused_tensors *unused)
{
    hl_safetensors *file = l->folder->files[f];
    for (int i = 0; i < hl_safetensors_count(file); i++) {
        bool is = is_unused(l, f, i);
        l->places[f][i] = (hl_safetensors_place){ 0 };
        if (is) {
            hl_shape shape = hl_safetensors_shape(file, i);
            hl_real *data = hl_calloc((size_t)hl_shape_count(shape), sizeof *data);
            unused->list[unused->n++] = (hl_named_tensor){ hl_safetensors_name(file, i), shape, data };
            l->places[f][i].data = data;
            HL_NEED(data != NULL, "tensors");
        }
    }
    return hl_safetensors_read(file, l->places[f]);
}

hl_status hl_pretrained_read_unused(hl_pretrained *folder, hl_model *model, hl_unused_tensors *unused)
{
    size_t n = 0;
    for (int f = 0; f < folder->n_files; f++) {
        n += (size_t)hl_safetensors_count(folder->files[f]);
    }
    loading l = { .folder = folder, .model = model };
    hl_status status = allocate(&l);
    HL_THEN(status, place_all(&l));
    *unused = (hl_unused_tensors){ .list = hl_calloc(n, sizeof *unused->list) };
    HL_THEN(status, unused->list != NULL ? hl_ok() : hl_error_memory("tensors"));
    for (int f = 0; f < folder->n_files; f++) {
        HL_THEN(status, read_unused(&l, f, unused));
    }
    free_loading(&l);
    return status;
}

void hl_unused_tensors_free(hl_unused_tensors *unused)
{
    for (int i = 0; i < unused->n; i++) {
        hl_free((void *)unused->list[i].data);
    }
    hl_free(unused->list);
    *unused = (hl_unused_tensors){ 0 };
}
