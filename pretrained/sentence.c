/* What sentence-transformers' files say: modules.json, and the config.json of the folder of its pooling. */
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
static hl_pretrained_sentence pooling_of(json_t *config)
{
    const char *key;
    json_t *value;
    hl_pretrained_sentence sentence = HL_SENTENCE_UNKNOWN;
    int n = 0;
    json_object_foreach(config, key, value)
    {
        if (strncmp(key, "pooling_mode_", strlen("pooling_mode_")) == 0 && json_is_true(value)) {
            sentence = strcmp(key, "pooling_mode_mean_tokens") == 0 ? HL_SENTENCE_MEAN
                       : strcmp(key, "pooling_mode_cls_token") == 0 ? HL_SENTENCE_FIRST
                                                                    : HL_SENTENCE_UNKNOWN;
            n++;
        }
    }
    return n == 1 ? sentence : HL_SENTENCE_UNKNOWN;
}

static hl_status read_pooling(hl_pretrained *folder, const json_t *module)
{
    const char *path = json_string_value(json_object_get(module, "path"));
    if (path == NULL || !hl_pretrained_is_file_name(path)) {
        return hl_pretrained_error(folder, "modules.json", "the path of its pooling is none in the folder");
    }
    char *name = hl_path_join(path, "config.json");
    HL_NEED(name != NULL, "config.json");
    json_t *config;
    hl_status status = hl_pretrained_read_json(folder, name, &config);
    folder->sentence = pooling_of(config);
    json_decref(config);
    hl_free(name);
    return status;
}

hl_status hl_pretrained_read_sentence(hl_pretrained *folder)
{
    json_t *modules;
    HL_TRY(hl_pretrained_read_json(folder, "modules.json", &modules));
    hl_status status = hl_ok();
    bool known = true;
    for (size_t i = 0; i < json_array_size(modules) && status.code == HL_OK; i++) {
        const json_t *module = json_array_get(modules, i);
        if (is_module(module, "Pooling")) {
            status = read_pooling(folder, module);
        } else if (is_module(module, "Normalize")) {
            folder->normalised = true;
        } else {
            known = known && is_module(module, "Transformer");
        }
    }
    folder->sentence = known ? folder->sentence : HL_SENTENCE_UNKNOWN;
    json_decref(modules);
    return status;
}
