/* The parameters of a model as the tensors of a folder. */
#include "core/base/memory.h"
#include "core/files/folders.h"
#include "core/kernels/small_matmul.h"
#include "pretrained/private/write.h"

#include <stdio.h>
#include <string.h>

/* ---- heads that were pruned ---- */

/* Copies `rows` rows of `columns` numbers, which lie so many numbers apart there and here. */
static void copy_rows(hl_real *to, int64_t to_stride, const hl_real *from, int64_t from_stride, int64_t rows,
                      int64_t columns)
{
    for (int64_t row = 0; row < rows; row++) {
        memcpy(to + row * to_stride, from + row * from_stride, (size_t)columns * sizeof *to);
    }
}

static const hl_real *numbers(const hl_model *model, int layer, const char *name)
{
    char whole[HL_WEIGHT_NAME];
    snprintf(whole, sizeof whole, "encoder.layers.%d.self_attn.%s", layer, name);
    const hl_parameter *parameter = hl_parameters_find(&model->parameters, whole);
    return parameter != NULL ? parameter->tensor->data : NULL;
}

/* What a layer with fewer heads has of q, k and v, a third of the rows each, and of the output's columns. `places`:
 * which head of the whole layer each of them is, or NULL for the first ones. */
static void fill_attention(const hl_model *from, int layer, const int32_t *places, hl_model *to)
{
    static const char *const names[] = { "q_proj_weight", "k_proj_weight", "v_proj_weight" };
    int64_t D = from->config.d_model, d_k = from->config.d_k[layer], width = from->config.heads[layer] * d_k;
    hl_real *weight = (hl_real *)numbers(to, layer, "in_proj_weight"),
            *bias = (hl_real *)numbers(to, layer, "in_proj_bias"),
            *out = (hl_real *)numbers(to, layer, "out_proj.weight");
    for (int32_t head = 0; head < from->config.heads[layer]; head++) {
        int64_t here = head * d_k, there = (places != NULL ? places[head] : head) * d_k;
        for (int part = 0; part < 3; part++) {
            copy_rows(weight + (part * D + there) * D, D, numbers(from, layer, names[part]) + here * D, D, d_k, D);
            if (bias != NULL) {
                copy_rows(bias + part * D + there, d_k, numbers(from, layer, "in_proj_bias") + part * width + here, d_k,
                          1, d_k);
            }
        }
        copy_rows(out + there, D, numbers(from, layer, "out_proj.weight") + here, width, D, d_k);
    }
}

hl_status hl_pretrained_whole_model(hl_pretrained_writing *w)
{
    hl_model *model = w->model = w->parts->model;
    int32_t d_k = model->config.d_k[0], n_heads = (int32_t)(model->config.d_model / d_k);
    bool whole = true;
    for (int l = 0; l < model->config.n_layers; l++) {
        whole = whole && model->config.heads[l] == n_heads;
    }
    if (whole) {
        return hl_ok();
    }
    w->model = &w->whole;
    hl_model_config *config = hl_malloc(sizeof *config);
    HL_NEED(config != NULL, "a model");
    *config = model->config;
    hl_model_config_heads(config, n_heads);
    hl_status status = hl_model_init(&w->whole, config);
    hl_free(config);
    HL_TRY(status);
    HL_TRY(hl_model_reserve(&w->whole, HL_MODEL_EVALUATED));
    for (int i = 0; i < w->whole.parameters.n; i++) {
        const hl_parameter *to = &w->whole.parameters.list[i], *from = hl_parameters_find(&model->parameters, to->name);
        if (from != NULL && hl_shape_equal(from->tensor->shape, to->tensor->shape)) {
            memcpy(to->tensor->data, from->tensor->data, (size_t)to->count * sizeof *to->tensor->data);
        }
    }
    const int32_t *places = w->parts->places;
    for (int l = 0; l < model->config.n_layers; l++) {
        if (model->config.heads[l] != n_heads) {
            fill_attention(model, l, places, &w->whole);
        }
        places = places != NULL ? places + model->config.heads[l] : NULL;
    }
    return hl_ok();
}

/* ---- tensors ---- */

enum { FULL_NAME = 2 * HL_WEIGHT_NAME /* bytes of a name with its prefix */ };

typedef struct tensors {
    const hl_pretrained_writing *w;
    const char *prefix;
    hl_named_tensor *list;
    char (*names)[FULL_NAME];
    hl_real **copies; /* owned; NULL for tensors that are where the model has them */
    int n, n_kept, capacity;
} tensors;

static hl_status transpose(hl_named_tensor *tensor, hl_real **copy)
{
    int64_t rows = tensor->shape.size[0], columns = tensor->shape.size[1];
    *copy = hl_malloc((size_t)(rows * columns) * sizeof **copy);
    HL_NEED(*copy != NULL, tensor->name);
    hl_transpose(rows, columns, 1, tensor->data, columns, *copy, rows);
    tensor->shape = HL_SHAPE(columns, rows);
    tensor->data = *copy;
    return hl_ok();
}

/* The rows of linear1, and behind them those of linear3, which has the same shape. */
static hl_status join_gate(const hl_model *model, int layer, const char *ending, hl_named_tensor *tensor,
                           hl_real **copy)
{
    size_t count = (size_t)hl_shape_count(tensor->shape);
    *copy = hl_malloc(2 * count * sizeof **copy);
    HL_NEED(*copy != NULL, tensor->name);
    memcpy(*copy, tensor->data, count * sizeof **copy);
    memcpy(*copy + count, hl_weight_gate(model, layer, ending)->tensor->data, count * sizeof **copy);
    tensor->shape.size[0] *= 2;
    tensor->data = *copy;
    return hl_ok();
}

/* Weight or bias of a module of that layer, where the model has it under this name: a tied matrix is written once. */
static hl_status add_weight(tensors *t, const hl_weight_name *row, int layer, const char *ending)
{
    char ours[HL_WEIGHT_NAME], theirs[HL_WEIGHT_NAME], name[HL_WEIGHT_NAME + 8];
    hl_weight_name_print(row->ours, layer, ours);
    hl_weight_name_print(row->theirs, layer, theirs);
    snprintf(name, sizeof name, "%s%s", ours, ending);
    const hl_parameter *parameter = hl_parameters_find(&t->w->model->parameters, name);
    bool zeros = hl_model_kind_lacks_bias(t->w->kind, t->w->parts->head) && strcmp(name, "output.bias") == 0;
    if (parameter == NULL || strcmp(parameter->name, name) != 0 || zeros) {
        return hl_ok();
    }
    hl_named_tensor *tensor = &t->list[t->n];
    snprintf(t->names[t->n], FULL_NAME, "%s%s%s", t->prefix, theirs, ending);
    *tensor = (hl_named_tensor){ t->names[t->n], parameter->tensor->shape, parameter->tensor->data };
    if (hl_weight_part_is_third(row->part)) {
        tensor->shape.size[0] /= 3;
        tensor->data += (row->part - HL_PART_Q) * (parameter->count / 3);
    }
    hl_real **copy = &t->copies[t->n++];
    if (row->part == HL_PART_GATED) {
        return join_gate(t->w->model, layer, ending, tensor, copy);
    }
    return row->part == HL_PART_TRANSPOSED && tensor->shape.n_dims == 2 ? transpose(tensor, copy) : hl_ok();
}

static hl_status add_rows(tensors *t, const hl_weight_name *rows, const char *prefix)
{
    t->prefix = prefix;
    for (const hl_weight_name *row = rows; row != NULL && row->ours != NULL; row++) {
        for (int layer = 0; layer < hl_weight_name_layers(row, t->w->model); layer++) {
            HL_TRY(add_weight(t, row, layer, "weight"));
            HL_TRY(add_weight(t, row, layer, "bias"));
        }
    }
    return hl_ok();
}

static bool has(const tensors *t, int n, const char *name)
{
    int i = 0;
    while (i < n && strcmp(t->list[i].name, name) != 0) {
        i++;
    }
    return i < n;
}

/* The model's parameters, and behind them what else the source holds. */
static hl_status add_all(tensors *t)
{
    const hl_model_kind *kind = t->w->kind;
    hl_pretrained_head head = t->w->parts->head;
    const hl_weight_name *rows = head != HL_PRETRAINED_NONE ? hl_model_kind_head(kind, head) : NULL;
    const hl_weight_name *pooler = t->w->model->config.pooler == kind->pooler ? kind->pooler_rows : NULL;
    size_t stem = strlen(kind->class_name);
    bool bare = strncmp(t->w->class_name, kind->class_name, stem) == 0 &&
                strcmp(t->w->class_name + stem, hl_model_kind_endings[HL_PRETRAINED_NONE]) == 0;
    const char *prefix = bare ? "" : kind->prefix;
    t->capacity = 3 * t->w->model->parameters.n + t->w->kept.n; /* q, k and v of one, or a second name */
    t->list = hl_calloc((size_t)t->capacity, sizeof *t->list);
    t->names = hl_calloc((size_t)t->capacity, sizeof *t->names);
    t->copies = hl_calloc((size_t)t->capacity, sizeof *t->copies);
    HL_NEED(t->list != NULL && t->names != NULL && t->copies != NULL, "tensors");
    HL_TRY(add_rows(t, kind->body, prefix));
    HL_TRY(add_rows(t, pooler, prefix));
    HL_TRY(add_rows(t, rows, ""));
    int n = t->n;
    for (int i = 0; i < t->w->kept.n; i++) {
        if (!has(t, n, t->w->kept.list[i].name)) { /* a second bias of an output layer is written already */
            t->list[t->n++] = t->w->kept.list[i];
        }
    }
    t->n_kept = t->n - n;
    return hl_ok();
}

hl_status hl_pretrained_write_weights(const hl_pretrained_writing *w, hl_pretrained_written *written)
{
    static const hl_metadata_item format = { "format", "pt" }; /* transformers 4 refuses files that do not say so */
    tensors t = { .w = w };
    hl_file file = { .fd = -1 };
    hl_status status = add_all(&t);
    char *path = hl_path_join(w->path, "model.safetensors");
    HL_THEN(status, path != NULL ? hl_ok() : hl_error_memory(w->path));
    if (status.code == HL_OK && hl_file_create(&file, path).code == HL_OK) {
        hl_safetensors_write(&file, t.list, t.n, &format, 1);
    }
    HL_THEN(status, hl_file_commit(&file, HL_DURABLE));
    written->n_tensors = t.n;
    written->n_kept = t.n_kept;
    for (int i = 0; i < t.n; i++) {
        written->n_numbers += hl_shape_count(t.list[i].shape);
    }
    for (int i = 0; t.copies != NULL && i < t.capacity; i++) {
        hl_free(t.copies[i]);
    }
    hl_free(path);
    hl_free(t.copies);
    hl_free(t.names);
    hl_free(t.list);
    return status;
}
