/* config.json of a folder that is written, and whether a kind of open models has the shape. */
#include "core/base/text.h"
#include "core/files/json_text.h"
#include "pretrained/private/config_reader.h"
#include "pretrained/private/write.h"

#include <stdio.h>
#include <string.h>

/* ---- the kind ---- */

/* Of an unknown source the kind whose models compute what the shape says. */
static const hl_model_kind *kind_of(const hl_model_config *c)
{
    return hl_model_kind_find(c->positions == HL_POSITIONS_ROTARY                              ? "modernbert"
                              : c->causal                                                      ? "gpt2"
                              : c->position_offset > 0                                         ? "roberta"
                              : c->embedding_size != c->d_model || c->pooler == HL_POOLER_GELU ? "electra"
                              : c->token_types == 0                                            ? "distilbert"
                                                                                               : "bert");
}

/* Whether all layers have heads of one width that divides d_model, each with keys and values of its own. */
static bool has_plain_heads(const hl_model_config *c)
{
    bool plain = c->d_model % c->d_k[0] == 0;
    for (int l = 0; l < c->n_layers; l++) {
        plain = plain && c->kv_heads[l] == c->heads[l] && c->d_k[l] == c->d_k[0] && c->d_v[l] == c->d_k[0] &&
                c->heads[l] <= c->d_model / c->d_k[0];
    }
    return plain;
}

static hl_status check_head(const hl_pretrained_writing *w)
{
    const hl_model_kind *kind = w->kind;
    hl_pretrained_head head = w->parts->head;
    bool words = head == HL_PRETRAINED_MASKED || head == HL_PRETRAINED_NEXT;
    if (head == HL_PRETRAINED_NONE && w->parts->source == NULL) {
        return hl_error(HL_INVALID, "a model without an output layer is written as %s only out of its own folder",
                        kind->name);
    }
    if (words ? (head == HL_PRETRAINED_NEXT) != kind->causal
              : head != HL_PRETRAINED_NONE && hl_model_kind_head(kind, head) == NULL) {
        return hl_error(HL_INVALID, "models of the kind %s have no class %s%s", kind->name, kind->class_name,
                        hl_model_kind_endings[head]);
    }
    return hl_ok();
}

/* Whether each part has biases if the kind has no key for them. */
static bool has_biases(const hl_pretrained_writing *w)
{
    const hl_model_kind *kind = w->kind;
    const hl_model_config *c = &w->parts->model->config;
    return (kind->norm_bias != NULL || c->norm_bias == HL_BIAS_TRUE) &&
           (kind->attention_bias != NULL || c->attention_bias == HL_BIAS_TRUE) &&
           (kind->feed_forward_bias != NULL || c->feed_forward_bias == HL_BIAS_TRUE) &&
           (kind->head_bias != NULL || c->head_bias == HL_BIAS_TRUE);
}

static hl_status check_kind(const hl_pretrained_writing *w)
{
    const hl_model_kind *kind = w->kind;
    const hl_model_config *c = &w->parts->model->config;
    hl_pretrained_head head = w->parts->head;
    const hl_model_config *shape = kind->shape;
    bool transforms = head == HL_PRETRAINED_MASKED || (kind->head_of_all && head != HL_PRETRAINED_NEXT);
    hl_output_head output = head == HL_PRETRAINED_NONE ? HL_HEAD_NONE : transforms ? HL_HEAD_TRANSFORM : HL_HEAD_LINEAR;
    bool rotary = shape->positions == HL_POSITIONS_ROTARY, pre = shape->norm == HL_NORM_PRE,
         gated = shape->feed_forward == HL_FEED_FORWARD_GATED;
    static const char *const poolers[] = { "none", "tanh", "relu", "gelu" };
    hl_pooler pooler = head == HL_PRETRAINED_CLASSES ? kind->pooler : HL_POOLER_NONE;
    hl_pooling pooling = head == HL_PRETRAINED_CLASSES && kind->causal ? HL_POOLING_LAST : HL_POOLING_ROWS;
    char pooler_text[32];
    snprintf(pooler_text, sizeof pooler_text, "pooler = %s", poolers[pooler]);
    int32_t padding = hl_tokens_role(w->parts->tokens, HL_ROLE_PAD);
    const struct {
        bool fits;
        const char *key;
    } keys[] = {
        { c->positions == shape->positions, rotary ? "positions = rotary" : "positions = learned" },
        { c->norm == shape->norm, pre ? "norm = pre" : "norm = post" },
        { c->lacks_first_norm == shape->lacks_first_norm,
          shape->lacks_first_norm ? "first_norm = false" : "first_norm = true" },
        { rotary ? c->window > 0 : c->window == 0, rotary ? "window from 1" : "window = 0" },
        { !rotary || c->global_every > 0, "global_every from 1" },
        { !c->bias || has_biases(w), "norm_bias, attention_bias, feed_forward_bias and head_bias = true" },
        { c->causal == kind->causal, kind->causal ? "causal = true" : "causal = false" },
        { c->norm_kind == HL_NORM_LAYER, "norm_kind = layer" },
        { c->feed_forward == shape->feed_forward, gated ? "feed_forward = gated" : "feed_forward = usual" },
        { c->bias, "bias = true" },
        { c->unscaled_embedding, "scale_embedding = false" },
        { c->embedding_norm == shape->embedding_norm,
          shape->embedding_norm ? "embedding_norm = true" : "embedding_norm = false" },
        { (c->token_types > 0) == kind->has_types, kind->has_types ? "token_types from 1" : "token_types = 0" },
        { c->embedding_size == c->d_model || kind->has_embedding_size, "embedding_size = 0" },
        { kind->positions_follow_padding ? padding >= 0 && c->position_offset == padding + 1 : c->position_offset == 0,
          kind->positions_follow_padding ? "position_offset = the id of padding + 1" : "position_offset = 0" },
        { has_plain_heads(c), "d_k = d_v, the same in every layer and a divisor of d_model, and kv_heads = heads" },
        { c->pooling == pooling ||
              (kind->pooling != NULL && c->pooling == HL_POOLING_MEAN && head == HL_PRETRAINED_CLASSES),
          pooling == HL_POOLING_ROWS ? "pooling = first" : "pooling = last" },
        { kind->norm_epsilon != NULL || (hl_real)c->norm_epsilon == (hl_real)kind->norm_epsilon_otherwise,
          "norm_eps = 1e-12" },
        { c->head == output, output == HL_HEAD_TRANSFORM ? "head = transform" : "head = linear" },
        { c->pooler == pooler, pooler_text },
        { !c->tied_bias, "tied_bias = false" },
        { hl_model_kind_activation(c->activation) != NULL, "activation = one that transformers has" },
        { head != HL_PRETRAINED_MASKED || !kind->gelu_head || c->activation == HL_GELU, "activation = gelu" },
    };
    hl_text unfit = { 0 };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (!keys[i].fits) {
            hl_text_print(&unfit, "%smodel.%s", unfit.size == 0 ? "" : ", ", keys[i].key);
        }
    }
    hl_status status = hl_text_status(&unfit);
    if (status.code == HL_OK && unfit.size > 0) {
        status = hl_error(HL_INVALID, "the model is none of the kind %s, which has %s", kind->name, unfit.bytes);
    }
    hl_text_free(&unfit);
    return status;
}

/* A bias of zeros is none. */
static hl_status check_bias(const hl_pretrained_writing *w)
{
    const hl_parameter *bias = hl_parameters_find(&w->parts->model->parameters, "output.bias");
    bool lacks = hl_model_kind_lacks_bias(w->kind, w->parts->head);
    for (int64_t i = 0; lacks && bias != NULL && i < bias->count; i++) {
        if (bias->tensor->data[i] != 0) {
            return hl_error(HL_INVALID, "the output layer has a bias, which %s%s has not%s", w->kind->class_name,
                            hl_model_kind_endings[w->parts->head],
                            w->parts->head == HL_PRETRAINED_NEXT ? ": train with model.tie_embedding = true"
                                                                 : "; heads and predict take the run itself");
        }
    }
    return hl_ok();
}

hl_status hl_pretrained_find_kind(hl_pretrained_writing *w)
{
    const hl_pretrained_parts *parts = w->parts;
    const hl_model_config *c = &parts->model->config;
    w->kind = parts->source != NULL ? parts->source->kind : kind_of(c);
    HL_TRY(check_kind(w));
    HL_TRY(check_head(w));
    HL_TRY(check_bias(w));
    int64_t n = hl_tokens_size(parts->tokens);
    return n <= c->vocabulary ? hl_ok()
                              : hl_error(HL_INVALID, "the tokens are %lld, and the model has vectors for %lld",
                                         (long long)n, (long long)c->vocabulary);
}

/* ---- config.json ---- */

/* Sets the key, if the kind has it; owns the value. */
static void put(hl_pretrained_writing *w, const char *key, json_t *value)
{
    if (key == NULL) {
        json_decref(value);
        return;
    }
    w->config = hl_json_checked(w->config, json_object_set_new(w->config, key, value));
}

static void drop(const hl_pretrained_writing *w, const char *key)
{
    json_object_del(w->config, key); /* where there is none it says so, and all is well */
}

static void put_number(hl_pretrained_writing *w, const char *key, double number)
{
    put(w, key, json_real(hl_config_json_plain((hl_real)number)));
}

/* Of a role that the tokens have not, null. */
static void put_role(hl_pretrained_writing *w, const char *key, hl_role role)
{
    int32_t id = hl_tokens_role(w->parts->tokens, role);
    put(w, key, id >= 0 ? json_integer(id) : json_null());
}

static void put_sizes(hl_pretrained_writing *w)
{
    const hl_model_kind *kind = w->kind;
    const hl_model_config *c = &w->parts->model->config;
    put(w, kind->d_model, json_integer(c->d_model));
    put(w, kind->n_layers, json_integer(c->n_layers));
    put(w, kind->n_heads, json_integer(c->d_model / c->d_k[0]));
    put(w, kind->d_ff, json_integer(c->d_ff));
    put(w, kind->max_length, json_integer(c->max_length + c->position_offset));
    put(w, kind->has_types ? "type_vocab_size" : NULL, json_integer(c->token_types));
    put(w, kind->has_embedding_size ? "embedding_size" : NULL, json_integer(c->embedding_size));
    put(w, "vocab_size", json_integer(c->vocabulary));
    put(w, kind->inverse_scale, json_false()); /* queries that were divided stay so */
    put(w, kind->norm_bias, json_boolean(c->norm_bias == HL_BIAS_TRUE));
    put(w, kind->attention_bias, json_boolean(c->attention_bias == HL_BIAS_TRUE));
    put(w, kind->feed_forward_bias, json_boolean(c->feed_forward_bias == HL_BIAS_TRUE));
    put(w, kind->head_bias, json_boolean(c->head_bias == HL_BIAS_TRUE));
}

/* As transformers 4 spells them; version 5 reads that, too. */
static void put_windows(hl_pretrained_writing *w)
{
    const hl_model_config *c = &w->parts->model->config;
    if (c->positions != HL_POSITIONS_ROTARY) {
        return;
    }
    drop(w, "layer_types");
    drop(w, "rope_parameters");
    put(w, "local_attention", json_integer(c->window));
    put(w, "global_attn_every_n_layers", json_integer(c->global_every));
    put(w, "global_rope_theta", json_real(c->rotary_theta));
    put(w, "local_rope_theta", json_real(c->rotary_theta_local > 0 ? c->rotary_theta_local : c->rotary_theta));
}

static void put_functions(hl_pretrained_writing *w)
{
    const hl_model_kind *kind = w->kind;
    const hl_model_config *c = &w->parts->model->config;
    hl_pretrained_head head = w->parts->head;
    hl_activation activation;
    const char *stored = json_string_value(json_object_get(w->config, kind->activation));
    if (stored == NULL || !hl_model_kind_find_activation(stored, &activation) || activation != c->activation) {
        put(w, kind->activation, json_string(hl_model_kind_activation(c->activation)));
    }
    if (kind->norm_epsilon != NULL) {
        put_number(w, kind->norm_epsilon, c->norm_epsilon);
    }
    put_number(w, "initializer_range", c->initial_std);
    /* if one key stands for two numbers, the last one is written */
    put_number(w, kind->dropout_embedding, c->dropout_embedding);
    put_number(w, kind->dropout_residual, c->dropout_residual);
    put_number(w, kind->dropout_attention, c->dropout_attention);
    put_number(w, kind->dropout_ffn, c->dropout_ffn);
    if (kind->head_activation != NULL) {
        put(w, kind->head_activation, json_incref(json_object_get(w->config, kind->activation)));
    }
    if (kind->pooling != NULL && head == HL_PRETRAINED_CLASSES) {
        put(w, kind->pooling, json_string(c->pooling == HL_POOLING_MEAN ? "mean" : "cls"));
    }
    const char *dropout = head == HL_PRETRAINED_TAGS      ? kind->dropout_tags
                          : head == HL_PRETRAINED_CLASSES ? kind->dropout_classes
                                                          : NULL;
    if (dropout != NULL) {
        put_number(w, dropout, c->dropout_output);
    }
    if (head == HL_PRETRAINED_MASKED || head == HL_PRETRAINED_NEXT) {
        put(w, "tie_word_embeddings", json_boolean(c->tie_embedding));
    }
}

static void put_labels(hl_pretrained_writing *w)
{
    json_t *labels = json_object(), *ids = json_object();
    for (int64_t i = 0; i < w->parts->model->config.targets; i++) {
        char id[32];
        snprintf(id, sizeof id, "%lld", (long long)i);
        const char *label = w->parts->labels[i];
        labels = hl_json_checked(labels, json_object_set_new(labels, id, json_string(label)));
        ids = hl_json_checked(ids, json_object_set_new(ids, label, json_integer(i)));
    }
    put(w, "id2label", labels);
    put(w, "label2id", ids);
}

void hl_pretrained_print_config(hl_pretrained_writing *w, hl_text *text)
{
    const hl_pretrained_parts *parts = w->parts;
    bool labels = parts->head == HL_PRETRAINED_TAGS || parts->head == HL_PRETRAINED_CLASSES;
    put(w, "architectures", json_pack("[s]", w->class_name));
    put(w, "model_type", json_string(w->kind->name));
    put_sizes(w);
    put_functions(w);
    put_windows(w);
    drop(w, "dtype"); /* float32 */
    drop(w, "torch_dtype");
    if (parts->source == NULL || parts->head != parts->source->head) { /* what is said of another head */
        drop(w, "problem_type");
        drop(w, "num_labels");
        drop(w, "id2label");
        drop(w, "label2id");
    }
    if (labels) {
        put_labels(w);
    }
    if (parts->source == NULL) {
        put_role(w, "pad_token_id", HL_ROLE_PAD);
        put_role(w, "bos_token_id", HL_ROLE_BEGIN);
        put_role(w, "eos_token_id", HL_ROLE_END);
    }
    hl_json_print(text, w->config, JSON_INDENT(2));
    w->config = NULL;
}
