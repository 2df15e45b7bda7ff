/* config.json: the kind, the model, the stored head and its labels. */
#include "core/base/memory.h"
#include "pretrained/private/config_reader.h"

#include <stdio.h>
#include <string.h>

static const char file[] = "config.json";

/* ---- what is refused ---- */

/* What changes the numbers that a model computes, and is not supported. */
static hl_status check_supported(hl_pretrained *folder)
{
    static const struct {
        const char *key;
        bool only; /* the one value that is supported */
    } flags[] = {
        { "is_decoder", false },          { "is_encoder_decoder", false },
        { "add_cross_attention", false }, { "reorder_and_upcast_attn", false },
        { "scale_attn_weights", true },   { "decoder_bias", true },
    };
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        bool is;
        HL_TRY(hl_config_json_bool(folder, flags[i].key, flags[i].only, &is));
        if (is != flags[i].only) {
            return hl_pretrained_error(folder, file, "%s = %s is not supported", flags[i].key, is ? "true" : "false");
        }
    }
    const char *positions = hl_config_json_text(folder, "position_embedding_type", "absolute");
    const json_t *pruned = hl_config_json_member(folder, "pruned_heads");
    if (strcmp(positions, "absolute") != 0) {
        return hl_pretrained_error(folder, file, "position_embedding_type = %s is not supported, only absolute",
                                   positions);
    }
    if (pruned != NULL && json_object_size(pruned) + json_array_size(pruned) > 0) {
        return hl_pretrained_error(folder, file, "pruned_heads are not supported: other shapes than config.json's");
    }
    if (hl_config_json_member(folder, "quantization_config") != NULL) {
        return hl_pretrained_error(folder, file, "quantization_config is not supported: save it in F32, F16 or BF16");
    }
    return hl_ok();
}

/* Our heads have the activation of the layers. */
static hl_status check_head_activation(hl_pretrained *folder)
{
    const char *key = folder->kind->head_activation, *name = hl_config_json_text(folder, key, "gelu");
    hl_activation activation;
    bool same = hl_model_kind_find_activation(name, &activation) && activation == folder->model.activation;
    return key == NULL || same ? hl_ok()
                               : hl_pretrained_error(folder, file, "%s = %s is not supported, only the function of %s",
                                                     key, name, folder->kind->activation);
}

static hl_status read_activation(hl_pretrained *folder)
{
    const char *key = folder->kind->activation,
               *name = hl_config_json_text(folder, key, folder->kind->causal ? "gelu_new" : "gelu");
    if (hl_model_kind_find_activation(name, &folder->model.activation)) {
        return check_head_activation(folder);
    }
    return hl_pretrained_error(folder, file,
                               "%s = %s is not supported, only relu, gelu, gelu_new, gelu_fast, gelu_pytorch_tanh, "
                               "quick_gelu, silu and swish",
                               key, name);
}

/* ---- the model ---- */

/* Sizes of embeddings, and how many positions there are. */
static hl_status read_embeddings(hl_pretrained *folder)
{
    const hl_model_kind *kind = folder->kind;
    hl_model_config *c = &folder->model;
    int64_t padding;
    HL_TRY(hl_config_json_size(folder, "vocab_size", 1, 0, &c->vocabulary));
    HL_TRY(hl_config_json_size(folder, kind->max_length, 1, kind->causal ? 1024 : 512, &c->max_length));
    if (kind->has_types) {
        HL_TRY(hl_config_json_size(folder, "type_vocab_size", 1, 2, &c->token_types));
    }
    if (kind->has_embedding_size) {
        HL_TRY(hl_config_json_size(folder, "embedding_size", 1, 128, &c->embedding_size));
        c->embedding_size = c->embedding_size == c->d_model ? 0 : c->embedding_size;
    }
    if (kind->positions_follow_padding) {
        HL_TRY(hl_config_json_size(folder, "pad_token_id", 0, 1, &padding));
        c->position_offset = padding + 1;
        c->max_length -= c->position_offset;
    }
    return c->max_length >= 1
               ? hl_ok()
               : hl_pretrained_error(folder, file, "%s leaves no position behind pad_token_id", kind->max_length);
}

static hl_status read_layers(hl_pretrained *folder)
{
    const hl_model_kind *kind = folder->kind;
    hl_model_config *c = &folder->model;
    int64_t n_layers, n_heads;
    HL_TRY(hl_config_json_size(folder, kind->d_model, 1, 0, &c->d_model));
    HL_TRY(hl_config_json_size(folder, kind->n_layers, 1, 0, &n_layers));
    HL_TRY(hl_config_json_size(folder, kind->n_heads, 1, 0, &n_heads));
    HL_TRY(hl_config_json_size(folder, kind->d_ff, 1, kind->causal ? 4 * c->d_model : 0, &c->d_ff));
    if (n_layers > HL_MAX_LAYERS) {
        return hl_pretrained_error(folder, file, "%s is above %d", kind->n_layers, HL_MAX_LAYERS);
    }
    if (c->d_model % n_heads != 0) {
        return hl_pretrained_error(folder, file, "%s = %lld is no multiple of %s = %lld", kind->d_model,
                                   (long long)c->d_model, kind->n_heads, (long long)n_heads);
    }
    c->n_layers = (int)n_layers;
    hl_model_config_heads(c, (int32_t)n_heads);
    return read_activation(folder);
}

static hl_status read_norm_and_dropout(hl_pretrained *folder)
{
    const hl_model_kind *kind = folder->kind;
    hl_model_config *c = &folder->model;
    const json_t *epsilon = hl_config_json_member(folder, kind->norm_epsilon);
    double number = epsilon == NULL ? kind->norm_epsilon_otherwise : json_number_value(epsilon);
    c->norm_epsilon = hl_config_json_plain((hl_real)number);
    if (!(c->norm_epsilon > 0 && number <= 1)) {
        return hl_pretrained_error(folder, file, "%s is no number above 0, at most 1", kind->norm_epsilon);
    }
    HL_TRY(hl_config_json_share(folder, "initializer_range", 0.02, &c->initial_std));
    double otherwise = kind->dropout_otherwise;
    HL_TRY(hl_config_json_share(folder, kind->dropout_embedding, otherwise, &c->dropout_embedding));
    HL_TRY(hl_config_json_share(folder, kind->dropout_residual, otherwise, &c->dropout_residual));
    HL_TRY(hl_config_json_share(folder, kind->dropout_attention, otherwise, &c->dropout_attention));
    HL_TRY(hl_config_json_share(folder, kind->dropout_ffn, 0, &c->dropout_ffn));
    if (kind->dropout_residual == NULL && c->dropout_attention > 0) {
        hl_text_print(&folder->notices, "%s/%s: training drops no outputs of attention, only its weights\n",
                      folder->path, file);
    }
    return hl_text_status(&folder->notices);
}

/* The biases of parts whose kind may have them or not. */
static hl_status read_biases(hl_pretrained *folder)
{
    const hl_model_kind *kind = folder->kind;
    hl_model_config *c = &folder->model;
    const struct {
        const char *key;
        hl_part_bias *bias;
    } parts[] = {
        { kind->norm_bias, &c->norm_bias },
        { kind->attention_bias, &c->attention_bias },
        { kind->feed_forward_bias, &c->feed_forward_bias },
        { kind->head_bias, &c->head_bias },
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        bool is;
        HL_TRY(hl_config_json_bool(folder, parts[i].key, false, &is));
        *parts[i].bias = parts[i].key == NULL ? HL_BIAS_AUTO : is ? HL_BIAS_TRUE : HL_BIAS_FALSE;
    }
    return hl_ok();
}

static hl_status read_model(hl_pretrained *folder)
{
    const hl_model_kind *kind = folder->kind;
    hl_model_config *c = &folder->model;
    *c = *kind->shape;
    HL_TRY(read_layers(folder));
    HL_TRY(read_embeddings(folder));
    HL_TRY(read_norm_and_dropout(folder));
    HL_TRY(read_biases(folder));
    HL_TRY(hl_config_json_windows(folder));
    return hl_config_json_bool(folder, kind->inverse_scale, false, &folder->inverse_scale);
}

/* ---- the head ---- */

/* What the first of `architectures` answers, such as BertForMaskedLM. */
static hl_pretrained_head head_of(hl_pretrained *folder)
{
    const hl_model_kind *kind = folder->kind;
    const char *name = json_string_value(json_array_get(hl_config_json_member(folder, "architectures"), 0));
    size_t prefix = strlen(kind->class_name);
    const char *ending = name != NULL && strncmp(name, kind->class_name, prefix) == 0 ? name + prefix : "";
    hl_pretrained_head head = HL_PRETRAINED_NONE;
    for (int i = 0; i < HL_PRETRAINED_HEADS; i++) {
        head = strcmp(ending, hl_model_kind_endings[i]) == 0 ? (hl_pretrained_head)i : head;
    }
    if (kind->causal) { /* its output layer is the embedding's matrix, of which the bare model's folder has all */
        bool next = head == HL_PRETRAINED_NEXT || strcmp(ending, "DoubleHeadsModel") == 0 ||
                    strcmp(ending, "Model") == 0 || ending[0] == '\0';
        return next ? HL_PRETRAINED_NEXT : head == HL_PRETRAINED_MASKED ? HL_PRETRAINED_NONE : head;
    }
    head = strcmp(kind->name, "bert") == 0 && strcmp(ending, "ForPreTraining") == 0 ? HL_PRETRAINED_MASKED : head;
    return head == HL_PRETRAINED_NEXT ? HL_PRETRAINED_NONE : head;
}

/* id2label, an object of ids and labels; without it num_labels of them, or two, have the names that they have there. */
static hl_status read_labels(hl_pretrained *folder)
{
    const json_t *labels = hl_config_json_member(folder, "id2label");
    int64_t n = (int64_t)json_object_size(labels);
    if (labels == NULL) {
        HL_TRY(hl_config_json_size(folder, "num_labels", 1, 2, &n));
    }
    if ((labels != NULL && !json_is_object(labels)) || n < 1 || n > HL_PRETRAINED_MAX_LABELS) {
        return hl_pretrained_error(folder, file, "id2label is no object of 1 to %d labels",
                                   (int)HL_PRETRAINED_MAX_LABELS);
    }
    folder->labels = hl_calloc((size_t)n, sizeof *folder->labels);
    HL_NEED(folder->labels != NULL, "labels");
    folder->n_labels = n;
    for (int64_t i = 0; i < n; i++) {
        char id[32], otherwise[32];
        snprintf(id, sizeof id, "%lld", (long long)i);
        snprintf(otherwise, sizeof otherwise, "LABEL_%lld", (long long)i);
        const char *label = labels == NULL ? otherwise : json_string_value(json_object_get(labels, id));
        if (label == NULL) {
            return hl_pretrained_error(folder, file, "id2label: the id %lld has no label", (long long)i);
        }
        folder->labels[i] = hl_strdup(label);
        HL_NEED(folder->labels[i] != NULL, "labels");
    }
    return hl_ok();
}

/* What the outputs of a classifier mean; as in transformers one output is a number where nothing is said. */
static hl_status read_problem(hl_pretrained *folder)
{
    static const char *const names[] = { [HL_PROBLEM_CHOICE] = "single_label_classification",
                                         [HL_PROBLEM_LABELS] = "multi_label_classification",
                                         [HL_PROBLEM_NUMBERS] = "regression" };
    hl_pretrained_problem problem = folder->n_labels > 1 ? HL_PROBLEM_CHOICE : HL_PROBLEM_NUMBERS;
    const char *name = hl_config_json_text(folder, "problem_type", names[problem]);
    for (int i = HL_PROBLEM_CHOICE; i <= HL_PROBLEM_NUMBERS; i++) {
        if (strcmp(name, names[i]) == 0) {
            folder->problem = (hl_pretrained_problem)i;
            return hl_ok();
        }
    }
    return hl_pretrained_error(folder, file,
                               "problem_type is none of single_label_classification, multi_label_classification and "
                               "regression");
}

/* Which row or rows classes are read from, if the kind has a key for it. */
static hl_status read_pooling(hl_pretrained *folder, hl_pooling *pooling)
{
    const char *key = folder->kind->pooling, *name = hl_config_json_text(folder, key, "cls");
    bool mean = strcmp(name, "mean") == 0;
    if (!mean && strcmp(name, "cls") != 0) {
        return hl_pretrained_error(folder, file, "%s = %s is not supported, only cls and mean", key, name);
    }
    *pooling = mean ? HL_POOLING_MEAN : *pooling;
    return hl_ok();
}

/* Adds the head to a model without one. */
static hl_status add_head(hl_pretrained *folder, hl_pretrained_head head, hl_model_config *c)
{
    const hl_model_kind *kind = folder->kind;
    bool tied;
    HL_TRY(hl_config_json_bool(folder, "tie_word_embeddings", true, &tied));
    c->head = HL_HEAD_NONE;
    if (head == HL_PRETRAINED_NONE) {
        return hl_ok();
    }
    bool masked = head == HL_PRETRAINED_MASKED, words = masked || head == HL_PRETRAINED_NEXT;
    bool transforms = words ? masked && !kind->causal : kind->head_of_all;
    c->head = transforms ? HL_HEAD_TRANSFORM : HL_HEAD_LINEAR;
    if (words) {
        c->tie_embedding = tied && (masked || c->embedding_size == 0);
        return hl_ok();
    }
    c->targets = folder->n_labels;
    if (head == HL_PRETRAINED_TAGS) {
        return hl_config_json_share(folder, kind->dropout_tags, c->dropout_residual, &c->dropout_output);
    }
    c->pooling = kind->causal ? HL_POOLING_LAST : HL_POOLING_ROWS; /* of the row that has the target, or of the last */
    HL_TRY(read_pooling(folder, &c->pooling));
    if (kind->dropout_classes != NULL) {
        double otherwise = kind->dropout_classes_otherwise > 0 ? kind->dropout_classes_otherwise : c->dropout_residual;
        HL_TRY(hl_config_json_share(folder, kind->dropout_classes, otherwise, &c->dropout_output));
    }
    c->pooler = kind->pooler;
    c->dropout_pooler = kind->pooler_dropout ? c->dropout_output : 0;
    return hl_ok();
}

static hl_status read_head(hl_pretrained *folder)
{
    folder->head = head_of(folder);
    if (folder->head == HL_PRETRAINED_TAGS || folder->head == HL_PRETRAINED_CLASSES) {
        HL_TRY(read_labels(folder));
    }
    if (folder->head == HL_PRETRAINED_CLASSES) {
        HL_TRY(read_problem(folder));
        folder->head = folder->problem == HL_PROBLEM_CHOICE ? folder->head : HL_PRETRAINED_NONE;
    }
    if (folder->head == HL_PRETRAINED_MASKED && folder->kind->gelu_head && folder->model.activation != HL_GELU) {
        return hl_pretrained_error(folder, file, "a head of masked tokens of %s whose %s is not gelu is not supported",
                                   folder->kind->name, folder->kind->activation);
    }
    for (int head = 0; head < HL_PRETRAINED_HEADS; head++) {
        folder->heads[head] = folder->model;
        HL_TRY(add_head(folder, (hl_pretrained_head)head, &folder->heads[head]));
    }
    folder->model = folder->heads[folder->head];
    return hl_ok();
}

static hl_status read(hl_pretrained *folder)
{
    const char *name = json_string_value(hl_config_json_member(folder, "model_type"));
    char names[HL_MODEL_KIND_NAMES];
    if (name == NULL) {
        return hl_pretrained_error(folder, file, "has no model_type; it can be one of %s", hl_model_kind_names(names));
    }
    folder->kind = hl_model_kind_find(name);
    if (folder->kind == NULL) {
        return hl_pretrained_error(folder, file, "model_type = %s is not supported, only %s", name,
                                   hl_model_kind_names(names));
    }
    HL_TRY(check_supported(folder));
    HL_TRY(read_model(folder));
    return read_head(folder);
}

hl_status hl_pretrained_read_config(hl_pretrained *folder)
{
    json_t *root;
    HL_TRY(hl_pretrained_read_json(folder->path, file, &root));
    if (root == NULL) {
        return hl_pretrained_error(folder, file, "is missing: no folder of a model as Hugging Face lays it out");
    }
    folder->config = root;
    hl_status status = json_is_object(root) ? read(folder) : hl_pretrained_error(folder, file, "is no object");
    folder->config = NULL;
    json_decref(root);
    return status;
}
