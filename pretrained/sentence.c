/* What sentence-transformers' files say: modules.json, the config.json of the folder of its pooling, and
 * sentence_bert_config.json. */
#include "core/files.h"
#include "core/folders.h"
#include "core/memory.h"
#include "pretrained/private/folder.h"

#include <string.h>

/* Whether the module's type, as sentence_transformers.models.Pooling, ends so. */
static bool is_module(const json_t *module, const char *name)
{
    const char *type = json_string_value(json_object_get(module, "type"));
    const char *point = type != NULL ? strrchr(type, '.') : NULL;
    return point != NULL && strcmp(point + 1, name) == 0;
}

/* The one pooling that is on. */
static hl_pretrained_pooling pooling_of(json_t *config)
{
    const char *key;
    json_t *value;
    hl_pretrained_pooling pooling = HL_SENTENCE_UNKNOWN;
    int n = 0;
    json_object_foreach(config, key, value)
    {
        if (strncmp(key, "pooling_mode_", strlen("pooling_mode_")) == 0 && json_is_true(value)) {
            pooling = strcmp(key, "pooling_mode_mean_tokens") == 0 ? HL_SENTENCE_MEAN
                      : strcmp(key, "pooling_mode_cls_token") == 0 ? HL_SENTENCE_FIRST
                                                                   : HL_SENTENCE_UNKNOWN;
            n++;
        }
    }
    return n == 1 ? pooling : HL_SENTENCE_UNKNOWN;
}

static hl_status read_pooling(hl_pretrained *folder, const json_t *module)
{
    const char *path = json_string_value(json_object_get(module, "path"));
    if (path == NULL || !hl_pretrained_is_file_name(path)) {
        return hl_pretrained_error(folder, "modules.json", "the path of its pooling is none in the folder");
    }
    char *name = hl_path_join(path, "config.json");
    folder->pooling = folder->pooling == NULL ? hl_strdup(path) : folder->pooling;
    if (name == NULL || folder->pooling == NULL) {
        hl_free(name);
        return hl_error_memory("config.json");
    }
    json_t *config;
    hl_status status = hl_pretrained_read_json(folder, name, &config);
    folder->sentence.pooling = pooling_of(config);
    json_decref(config);
    hl_free(name);
    return status;
}

static const char length_file[] = "sentence_bert_config.json";

/* *cased: whether the texts are read as they are. */
static hl_status read_length(hl_pretrained *folder, bool *cased)
{
    json_t *config;
    HL_TRY(hl_pretrained_read_json(folder, length_file, &config));
    json_t *length = json_object_get(config, "max_seq_length");
    double number = json_number_value(length);
    bool good = length == NULL || json_is_null(length) || (number >= 1 && number <= INT32_MAX);
    folder->sentence.length = good ? (int64_t)number : 0;
    *cased = !json_is_true(json_object_get(config, "do_lower_case"));
    json_decref(config);
    return good ? hl_ok() : hl_pretrained_error(folder, length_file, "max_seq_length is no number of pieces");
}

hl_status hl_pretrained_read_sentence(hl_pretrained *folder)
{
    json_t *modules;
    bool known;
    HL_TRY(read_length(folder, &known));
    HL_TRY(hl_pretrained_read_json(folder, "modules.json", &modules));
    hl_status status = hl_ok();
    for (size_t i = 0; i < json_array_size(modules) && status.code == HL_OK; i++) {
        const json_t *module = json_array_get(modules, i);
        if (is_module(module, "Pooling")) {
            status = read_pooling(folder, module);
        } else if (is_module(module, "Normalize")) {
            folder->sentence.normalised = true;
        } else {
            known = known && is_module(module, "Transformer");
        }
    }
    if (!known || folder->sentence.pooling == HL_SENTENCE_UNKNOWN) {
        folder->sentence = (hl_pretrained_sentence){ .pooling = HL_SENTENCE_UNKNOWN };
    }
    json_decref(modules);
    return status;
}

static hl_status copy(const char *from, const char *to, const char *name)
{
    char *source = hl_path_join(from, "%s", name), *target = hl_path_join(to, "%s", name), *content = NULL;
    bool exists = false;
    size_t size = 0;
    hl_status status = source != NULL && target != NULL ? hl_file_exists(source, &exists) : hl_error_memory(name);
    if (status.code == HL_OK && exists) {
        status = hl_file_read(source, HL_PRETRAINED_JSON_BYTES, &content, &size);
        HL_THEN(status, hl_file_replace(target, content, size, HL_DURABLE));
    }
    hl_free(content);
    hl_free(source);
    hl_free(target);
    return status;
}

hl_status hl_pretrained_copy_sentence(const hl_pretrained *folder, const char *to, bool *copied)
{
    *copied = folder->sentence.pooling != HL_SENTENCE_UNKNOWN;
    if (!*copied) {
        return hl_ok();
    }
    char *from_pooling = hl_path_join(folder->path, "%s", folder->pooling);
    char *to_pooling = hl_path_join(to, "%s", folder->pooling);
    hl_status status =
        from_pooling != NULL && to_pooling != NULL ? hl_folder_make(to_pooling) : hl_error_memory("modules.json");
    HL_THEN(status, copy(from_pooling, to_pooling, "config.json"));
    HL_THEN(status, copy(folder->path, to, length_file));
    HL_THEN(status, copy(folder->path, to, "modules.json"));
    hl_free(from_pooling);
    hl_free(to_pooling);
    return status;
}
