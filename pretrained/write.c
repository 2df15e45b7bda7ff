#include "pretrained/write.h"

#include "core/base/memory.h"
#include "core/files/folders.h"
#include "core/files/json_text.h"
#include "data/text/tokens_file.h"
#include "pretrained/private/folder.h"
#include "pretrained/private/write.h"

#include <stdio.h>
#include <string.h>

/* ---- the folder ---- */

/* Whether a file of that name is read as a part of a model, by us or in Python, which what is written would not
 * replace. */
static bool is_of_another(const char *name)
{
    static const char *const names[] = { "config.json",
                                         "model.safetensors.index.json",
                                         "vocab.txt",
                                         "vocab.json",
                                         "merges.txt",
                                         "sentencepiece.bpe.model",
                                         "special_tokens_map.json",
                                         "added_tokens.json",
                                         "generation_config.json",
                                         "modules.json",
                                         "sentence_bert_config.json",
                                         "config_sentence_transformers.json",
                                         "1_Pooling/config.json",
                                         "adapter_config.json",
                                         "adapter_model.safetensors" };
    bool found = strncmp(name, "model-", 6) == 0 && strstr(name, ".safetensors") != NULL; /* a shard */
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        found = found || strcmp(name, names[i]) == 0;
    }
    return found;
}

static hl_status remove_file(const char *folder, const char *name)
{
    char *path = hl_path_join(folder, "%s", name);
    HL_NEED(path != NULL, folder);
    hl_status status = hl_file_remove(path);
    hl_free(path);
    return status;
}

static hl_status remove_of_another(void *context, const char *name)
{
    const char *whole = strcmp(name, "1_Pooling") == 0 ? "1_Pooling/config.json" : name;
    return is_of_another(whole) ? remove_file(context, whole) : hl_ok();
}

/* Without config.json the folder is no model, and of another model nothing else is read. */
static hl_status clear(const char *folder)
{
    HL_TRY(remove_file(folder, "config.json"));
    return hl_folder_list(folder, remove_of_another, (void *)folder);
}

/* ---- its files ---- */

static hl_status write_tokenizer(const hl_pretrained_writing *w)
{
    char *path = hl_path_join(w->path, "tokenizer.json");
    HL_NEED(path != NULL, w->path);
    hl_status status = hl_tokens_save_tokenizer(w->parts->tokens, path);
    hl_free(path);
    return status;
}

/* Which class reads tokenizer.json as it is, and what it cannot say itself. */
static hl_status write_tokenizer_config(const hl_pretrained_writing *w)
{
    static const struct {
        const char *key;
        hl_role role;
    } roles[] = { { "pad_token", HL_ROLE_PAD }, { "unk_token", HL_ROLE_UNK },   { "cls_token", HL_ROLE_CLS },
                  { "sep_token", HL_ROLE_SEP }, { "mask_token", HL_ROLE_MASK }, { "bos_token", HL_ROLE_BEGIN },
                  { "eos_token", HL_ROLE_END } };
    const hl_model_config *c = &w->parts->model->config;
    json_t *root =
        json_pack("{s: s, s: I, s: [s, s]}", "tokenizer_class", "PreTrainedTokenizerFast", "model_max_length",
                  (json_int_t)c->max_length, "model_input_names", "input_ids", "attention_mask");
    if (c->token_types > 1) {
        json_t *names = json_object_get(root, "model_input_names");
        root = hl_json_checked(root, json_array_append_new(names, json_string("token_type_ids")));
    }
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        const char *piece = hl_tokens_piece(w->parts->tokens, hl_tokens_role(w->parts->tokens, roles[i].role), NULL);
        if (piece != NULL) {
            root = hl_json_checked(root, json_object_set_new(root, roles[i].key, json_string(piece)));
        }
    }
    hl_text text = { 0 };
    hl_json_print(&text, root, JSON_INDENT(2));
    return hl_pretrained_write_text(w->path, "tokenizer_config.json", &text);
}

static hl_status write_config(hl_pretrained_writing *w)
{
    hl_text text = { 0 };
    hl_pretrained_print_config(w, &text);
    return hl_pretrained_write_text(w->path, "config.json", &text);
}

/* config.json last: with it the folder is a model. */
static hl_status write_files(hl_pretrained_writing *w, hl_pretrained_written *written)
{
    HL_TRY(hl_folder_make(w->path));
    HL_TRY(clear(w->path));
    HL_TRY(hl_pretrained_write_weights(w, written));
    HL_TRY(write_tokenizer(w));
    HL_TRY(write_tokenizer_config(w));
    const hl_pretrained_sentence *sentence = &w->parts->sentence;
    written->sentence = sentence->pooling != HL_SENTENCE_UNKNOWN;
    snprintf(written->unsupported, sizeof written->unsupported, "%s", sentence->unsupported);
    if (written->sentence) {
        HL_TRY(hl_pretrained_write_sentence(sentence, &w->parts->model->config, w->path));
    }
    return write_config(w);
}

/* ---- the source ---- */

/* Its config.json, in which integers stay integers. */
static hl_status read_config(const hl_pretrained *source, json_t **config)
{
    char *path = hl_path_join(source->path, "config.json");
    HL_NEED(path != NULL, "config.json");
    hl_status status = hl_json_read(path, HL_PRETRAINED_JSON_BYTES, 0, config);
    hl_free(path);
    HL_TRY(status);
    return json_is_object(*config) ? hl_ok() : hl_pretrained_error(source, "config.json", "is no object");
}

/* What else the source has; kept where the class stays the one that has it. */
static hl_status read_source(hl_pretrained_writing *w, hl_pretrained_written *written)
{
    hl_pretrained *source = w->parts->source;
    if (source == NULL) {
        w->config = json_object();
        return w->config != NULL ? hl_ok() : hl_error_memory("config.json");
    }
    HL_TRY(read_config(source, &w->config));
    HL_TRY(hl_pretrained_read_unused(source, w->model, &w->kept));
    const char *stored = json_string_value(json_array_get(json_object_get(w->config, "architectures"), 0));
    if (w->parts->head == source->head && w->kept.n > 0 && stored != NULL) {
        snprintf(w->class_name, sizeof w->class_name, "%s", stored);
        return hl_ok();
    }
    for (int i = 0; i < w->kept.n; i++) {
        hl_text_print(&written->left_out, "%s", i > 0 ? ", " : "");
        hl_text_shown(&written->left_out, w->kept.list[i].name);
    }
    written->n_left_out = w->kept.n;
    hl_unused_tensors_free(&w->kept);
    return hl_text_status(&written->left_out);
}

/* ---- all of it ---- */

hl_status hl_pretrained_write(const hl_pretrained_parts *parts, const char *path, hl_pretrained_written *written)
{
    hl_pretrained_written_free(written);
    HL_TRY(hl_parameters_check_allocated(&parts->model->parameters));
    hl_pretrained_writing *w = hl_calloc(1, sizeof *w);
    HL_NEED(w != NULL, path);
    w->parts = parts;
    w->path = path;
    hl_status status = hl_pretrained_find_kind(w);
    HL_THEN(status, hl_pretrained_whole_model(w));
    if (status.code == HL_OK) {
        snprintf(w->class_name, sizeof w->class_name, "%s%s", w->kind->class_name, hl_model_kind_endings[parts->head]);
        status = read_source(w, written);
    }
    HL_THEN(status, write_files(w, written));
    if (status.code == HL_OK) {
        const hl_model_config *c = &parts->model->config;
        written->kind = w->kind->name;
        snprintf(written->class_name, sizeof written->class_name, "%s", w->class_name);
        for (int l = 0; l < c->n_layers; l++) {
            written->n_empty_heads += c->d_model / c->d_k[0] - c->heads[l];
        }
    }
    hl_unused_tensors_free(&w->kept);
    hl_model_free(&w->whole);
    json_decref(w->config);
    hl_free(w);
    return status;
}

void hl_pretrained_print_written(const hl_pretrained_written *written, hl_text *text)
{
    hl_text_print(text, "written: %s, a model of the kind %s, %lld tensors, %lld numbers\n", written->class_name,
                  written->kind, (long long)written->n_tensors, (long long)written->n_numbers);
    if (written->n_kept > 0) {
        hl_text_print(text, "kept as they were: %lld tensors that the model here does not use\n",
                      (long long)written->n_kept);
    }
    if (written->sentence) {
        hl_text_print(text, "with it: what sentence-transformers reads (modules.json)\n");
    }
    if (*written->unsupported != '\0') {
        hl_text_print(text, "left out: what sentence-transformers reads, as this is not known here: ");
        hl_text_shown(text, written->unsupported);
        hl_text_print(text, "\n");
    }
    if (written->n_empty_heads > 0) {
        hl_text_print(text, "heads that were pruned: %lld, written with zeros, which change nothing\n",
                      (long long)written->n_empty_heads);
    }
    if (written->n_left_out > 0) {
        hl_text_print(text, "left out, as a %s has them not: %s\n", written->class_name, written->left_out.bytes);
    }
}

void hl_pretrained_written_free(hl_pretrained_written *written)
{
    hl_text_free(&written->left_out);
    *written = (hl_pretrained_written){ 0 };
}
