/* What sentence-transformers' files say: modules.json, the config.json of the folder of its pooling,
 * sentence_bert_config.json, config_sentence_transformers.json; and the same as a file of a run. */
#include "core/base/memory.h"
#include "core/base/shown_text.h"
#include "core/files/folders.h"
#include "core/files/json_text.h"
#include "pretrained/private/folder.h"

#include <stdio.h>
#include <string.h>

/* ---- reading a folder ---- */

/* Keeps the first thing that is not supported, in whole characters, as JSON has them. */
static void refuse(hl_pretrained *folder, const char *file, const char *what)
{
    char *unsupported = folder->sentence.unsupported;
    if (*unsupported == '\0') {
        char whole[2 * HL_SENTENCE_TEXT];
        int n = snprintf(whole, sizeof whole, "%s: %s", file, what);
        hl_shown_cut(unsupported, HL_SENTENCE_TEXT, whole, n >= (int)sizeof whole);
    }
}

static void take_mode(hl_pretrained *folder, const char *file, const char *mode)
{
    hl_pretrained_pooling *pooling = &folder->sentence.pooling;
    if (*pooling != HL_SENTENCE_UNKNOWN || (strcmp(mode, "mean") != 0 && strcmp(mode, "cls") != 0)) {
        refuse(folder, file, mode);
    }
    *pooling = strcmp(mode, "cls") == 0 ? HL_SENTENCE_FIRST : HL_SENTENCE_MEAN;
}

/* Flags of modes, several of which may be on, or one mode by its name; the mean is on where nothing is said of it. */
static void take_pooling(hl_pretrained *folder, const char *file, json_t *config)
{
    static const char prefix[] = "pooling_mode_", ending[] = "_token";
    const char *key, *named = json_string_value(json_object_get(config, "pooling_mode"));
    json_t *value;
    if (named != NULL) {
        take_mode(folder, file, named);
        return;
    }
    if (json_object_get(config, "pooling_mode_mean_tokens") == NULL) {
        take_mode(folder, file, "mean");
    }
    json_object_foreach(config, key, value)
    {
        if (strncmp(key, prefix, strlen(prefix)) == 0 && json_is_true(value)) {
            const char *mode = key + strlen(prefix), *end = strstr(mode, ending);
            char name[64];
            snprintf(name, sizeof name, "%.*s", end != NULL ? (int)(end - mode) : (int)strlen(mode), mode);
            take_mode(folder, file, name);
        }
    }
    if (folder->sentence.pooling == HL_SENTENCE_UNKNOWN) {
        refuse(folder, file, "no pooling");
    }
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
    hl_status status = hl_pretrained_read_json(folder->path, name, &config);
    if (status.code == HL_OK && config == NULL) {
        refuse(folder, name, "is missing");
    } else if (status.code == HL_OK) {
        take_pooling(folder, name, config);
    }
    json_decref(config);
    hl_free(name);
    return status;
}

static hl_status read_length(hl_pretrained *folder)
{
    static const char name[] = "sentence_bert_config.json";
    json_t *config;
    HL_TRY(hl_pretrained_read_json(folder->path, name, &config));
    json_t *length = json_object_get(config, "max_seq_length");
    double number = json_number_value(length);
    bool good = length == NULL || json_is_null(length) || (number >= 1 && number <= INT32_MAX);
    folder->sentence.length = good ? (int64_t)number : 0;
    if (json_is_true(json_object_get(config, "do_lower_case"))) {
        refuse(folder, name, "do_lower_case");
    }
    json_decref(config);
    return good ? hl_ok() : hl_pretrained_error(folder, name, "max_seq_length is no number of pieces");
}

/* A text that is put before every sentence. */
static hl_status read_prompt(hl_pretrained *folder)
{
    static const char name[] = "config_sentence_transformers.json", key[] = "default_prompt_name";
    json_t *config;
    HL_TRY(hl_pretrained_read_json(folder->path, name, &config));
    const char *used = json_string_value(json_object_get(config, key));
    const char *prompt =
        used != NULL ? json_string_value(json_object_get(json_object_get(config, "prompts"), used)) : NULL;
    if (prompt != NULL && *prompt != '\0') {
        refuse(folder, name, key);
    }
    json_decref(config);
    return hl_ok();
}

/* The model, its pooling, and perhaps a norm. Of a type, as sentence_transformers.models.Pooling, the last part
 * counts. */
static hl_status read_modules(hl_pretrained *folder, const json_t *modules)
{
    enum { MODEL, POOLING, NORM, KNOWN };
    static const char *const names[KNOWN] = { "Transformer", "Pooling", "Normalize" };
    size_t n = json_array_size(modules);
    for (size_t i = 0; i < n; i++) {
        const json_t *module = json_array_get(modules, i);
        const char *type = json_string_value(json_object_get(module, "type")),
                   *point = strrchr(type != NULL ? type : "", '.');
        if (i >= KNOWN || point == NULL || strcmp(point + 1, names[i]) != 0) {
            refuse(folder, "modules.json", type != NULL ? type : "a module without a type");
            return hl_ok();
        }
        HL_TRY(i == POOLING ? read_pooling(folder, module) : hl_ok());
    }
    folder->sentence.normalised = n > NORM;
    if (n <= POOLING) {
        refuse(folder, "modules.json", "no pooling");
    }
    return hl_ok();
}

hl_status hl_pretrained_read_sentence(hl_pretrained *folder)
{
    json_t *modules;
    HL_TRY(hl_pretrained_read_json(folder->path, "modules.json", &modules));
    if (modules == NULL) {
        return hl_ok();
    }
    hl_status status = read_modules(folder, modules);
    json_decref(modules);
    HL_THEN(status, read_length(folder));
    HL_THEN(status, read_prompt(folder));
    hl_pretrained_sentence *s = &folder->sentence;
    if (*s->unsupported != '\0') {
        s->pooling = HL_SENTENCE_UNKNOWN;
        s->normalised = false;
        s->length = 0;
    }
    return status;
}

/* ---- files ---- */

static const char *const pooling_names[] = {
    [HL_SENTENCE_UNKNOWN] = "", [HL_SENTENCE_MEAN] = "mean", [HL_SENTENCE_FIRST] = "first"
};
enum { POOLINGS = sizeof pooling_names / sizeof *pooling_names };

static const char run_file[] = "sentence.json";

hl_status hl_pretrained_sentence_save(const hl_pretrained_sentence *sentence, const char *path)
{
    hl_text text = { 0 };
    hl_json_print(&text,
                  json_pack("{s:i, s:s, s:b, s:I, s:s}", "format", 1, "pooling", pooling_names[sentence->pooling],
                            "normalised", sentence->normalised, "length", (json_int_t)sentence->length, "unsupported",
                            sentence->unsupported),
                  JSON_INDENT(2));
    return hl_pretrained_write_text(path, run_file, &text);
}

/* False: it is not as it is written. */
static bool take_saved(const json_t *root, hl_pretrained_sentence *sentence)
{
    const char *pooling, *unsupported;
    int normalised, found = 0;
    double length;
    if (json_unpack((json_t *)root, "{s:s, s:b, s:F, s:s}", "pooling", &pooling, "normalised", &normalised, "length",
                    &length, "unsupported", &unsupported) != 0 ||
        !(length >= 0 && length <= INT32_MAX)) {
        return false;
    }
    while (found < POOLINGS && strcmp(pooling, pooling_names[found]) != 0) {
        found++;
    }
    sentence->pooling = found < POOLINGS ? (hl_pretrained_pooling)found : HL_SENTENCE_UNKNOWN;
    sentence->normalised = normalised != 0;
    sentence->length = (int64_t)length;
    snprintf(sentence->unsupported, HL_SENTENCE_TEXT, "%s", unsupported);
    return found < POOLINGS;
}

hl_status hl_pretrained_sentence_load(const char *path, hl_pretrained_sentence *sentence)
{
    *sentence = (hl_pretrained_sentence){ .pooling = HL_SENTENCE_UNKNOWN };
    json_t *root;
    HL_TRY(hl_pretrained_read_json(path, run_file, &root));
    bool good = root == NULL || take_saved(root, sentence);
    json_decref(root);
    return good ? hl_ok()
                : hl_error(HL_BAD_FILE, "%s/%s: is not as train writes it; restore it, or remove it", path, run_file);
}

static hl_status write_modules(const hl_pretrained_sentence *sentence, const char *folder)
{
    static const char *const types[] = { "Transformer", "Pooling", "Normalize" };
    static const char *const paths[] = { "", "1_Pooling", "2_Normalize" };
    hl_text text = { 0 };
    for (int i = 0; i < (sentence->normalised ? 3 : 2); i++) {
        hl_text_print(&text,
                      "%s\n  {\n    \"idx\": %d,\n    \"name\": \"%d\",\n    \"path\": \"%s\",\n"
                      "    \"type\": \"sentence_transformers.models.%s\"\n  }",
                      i > 0 ? "," : "[", i, i, paths[i], types[i]);
    }
    hl_text_print(&text, "\n]\n");
    return hl_pretrained_write_text(folder, "modules.json", &text);
}

static hl_status write_pooling(const hl_pretrained_sentence *sentence, int64_t width, const char *folder)
{
    bool first = sentence->pooling == HL_SENTENCE_FIRST;
    hl_text text = { 0 };
    hl_text_print(&text,
                  "{\n  \"word_embedding_dimension\": %lld,\n  \"pooling_mode_cls_token\": %s,\n"
                  "  \"pooling_mode_mean_tokens\": %s,\n  \"pooling_mode_max_tokens\": false,\n"
                  "  \"pooling_mode_mean_sqrt_len_tokens\": false\n}\n",
                  (long long)width, first ? "true" : "false", first ? "false" : "true");
    return hl_pretrained_write_text(folder, "1_Pooling/config.json", &text);
}

static hl_status write_length(int64_t length, const char *folder)
{
    hl_text text = { 0 };
    hl_text_print(&text, "{\n  \"max_seq_length\": %lld,\n  \"do_lower_case\": false\n}\n", (long long)length);
    return hl_pretrained_write_text(folder, "sentence_bert_config.json", &text);
}

hl_status hl_pretrained_write_sentence(const hl_pretrained_sentence *sentence, const hl_model_config *model,
                                       const char *folder)
{
    bool shorter = sentence->length > 0 && sentence->length < model->max_length;
    char *pooling = hl_path_join(folder, "1_Pooling");
    hl_status status = pooling != NULL ? hl_folder_make(pooling) : hl_error_memory(folder);
    hl_free(pooling);
    HL_TRY(status);
    HL_TRY(write_pooling(sentence, model->d_model, folder));
    HL_TRY(write_length(shorter ? sentence->length : model->max_length, folder));
    return write_modules(sentence, folder);
}
