/* The folders in which data of a user's files are made, and what a run's folder says about its data and keeps. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "train/private/data_folder.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/files/files.h"
#include "core/files/folders.h"
#include "data/text/tokens_file.h"
#include "train/config_keys.h"
#include "train/setup_data.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the last part of the path begins within `size` bytes, including the slash before it. */
static size_t parent(const char *path, size_t size)
{
    while (size > 0 && path[--size] != '/') {
    }
    return size;
}

hl_status hl_data_folder_make(char *path, size_t *there)
{
    bool exists = false;
    for (*there = strlen(path); *there > 0 && !exists; *there = exists ? *there : parent(path, *there)) {
        char next = path[*there];
        path[*there] = '\0';
        hl_status status = hl_file_exists(path, &exists);
        path[*there] = next;
        HL_TRY(status);
    }
    hl_status status = hl_folder_make(path);
    if (status.code != HL_OK && *there < strlen(path)) {
        hl_data_folder_remove(path, *there);
    }
    return status;
}

hl_status hl_data_folder_make_temporary(char **path, size_t *there)
{
    const char *base = getenv("TMPDIR");
    hl_free(*path);
    *path = hl_path_join(base != NULL && *base != '\0' ? base : "/tmp", "headlight-XXXXXX");
    HL_NEED(*path != NULL, "a temporary folder");
    if (mkdtemp(*path) == NULL) {
        return hl_file_system_error(*path, "cannot be made");
    }
    *there = parent(*path, strlen(*path));
    return hl_ok();
}

static hl_status remove_file(void *context, const char *name)
{
    char *path = hl_path_join(context, "%s", name);
    if (path != NULL) {
        hl_file_calls_get()->unlink(path);
    }
    hl_free(path);
    return hl_ok();
}

void hl_data_folder_remove(char *path, size_t there)
{
    hl_folder_list(path, remove_file, path);
    for (size_t end = strlen(path); end > there; end = parent(path, end)) {
        path[end] = '\0';
        rmdir(path);
    }
}

hl_status hl_data_find_file(const char *beside, const char **path, char **found)
{
    bool exists;
    const char *slash = beside != NULL ? strrchr(beside, '/') : NULL;
    if (*path == NULL || **path == '/' || slash == NULL) {
        return hl_ok();
    }
    HL_TRY(hl_file_exists(*path, &exists));
    if (exists) {
        return hl_ok();
    }
    hl_text whole = { 0 };
    hl_text_print(&whole, "%.*s/%s", (int)(slash - beside), beside, *path);
    HL_TRY(hl_text_status(&whole));
    *found = whole.bytes;
    HL_TRY(hl_file_exists(*found, &exists));
    *path = exists ? *found : *path;
    return hl_ok();
}

/* ---- what a run says about its data, and keeps of them ---- */

hl_status hl_data_take_key(hl_config *config, size_t key, const char *path)
{
    bool begun;
    HL_TRY(hl_file_exists(path, &begun));
    hl_config *stored = begun ? hl_malloc(sizeof *stored) : NULL;
    if (stored == NULL) {
        return begun ? hl_error_memory("a config") : hl_ok();
    }
    hl_problems problems = { 0 };
    hl_status status = hl_config_load((hl_config_options){ .path = path }, stored, &problems);
    hl_problems_free(&problems);
    if (status.code == HL_OK) {
        char wrong[HL_CONFIG_WRONG_TEXT];
        if (!hl_config_copy_value(hl_config_key_at(key), stored, config, wrong)) {
            status = hl_error(HL_BAD_FILE, "%s: %s: %s", path, hl_config_key_at(key)->full, wrong);
        }
    }
    hl_free(stored);
    return status.code == HL_INVALID ? hl_error(HL_BAD_FILE, "%s", status.text) : status;
}

hl_status hl_data_load_tokens(const char *folder, const char *name, hl_tokens **out)
{
    char *path = hl_path_join(folder, "%s", name);
    hl_status status = path != NULL ? hl_tokens_load(path, out) : hl_error_memory(folder);
    hl_free(path);
    return status;
}

hl_status hl_data_save_tokens(const hl_dataset *dataset, const char *folder)
{
    const hl_text_data *text = hl_dataset_text(dataset);
    const hl_tokens *all[] = { hl_text_data_tokens(text), hl_text_data_targets(text) };
    static const char *const names[] = { "tokens.json", "labels.json" };
    for (int i = 0; i < (all[1] != all[0] ? 2 : 1); i++) {
        char *path = hl_path_join(folder, "%s", names[i]);
        hl_status status = path != NULL ? hl_tokens_save(all[i], path) : hl_error_memory(folder);
        hl_free(path);
        HL_TRY(status);
    }
    return hl_ok();
}

/* ---- removing what was made from other data, or in vain ---- */

/* Whether the name has the form of a folder made for a text: task.content. */
static bool is_content(const char *text)
{
    return strspn(text, "0123456789abcdef") == 16 && text[16] == '-' && text[17] != '\0' &&
           strspn(text + 17, "0123456789") == strlen(text + 17);
}

typedef struct others {
    const char *folder, *made; /* made: only those are removed, one per line; NULL: all except those of the configs */
    const hl_config *const *configs;
    int64_t n;
} others;

/* Whether one of the configs has its data there under that name, or it is not among those that were made. */
static bool is_kept(const others *o, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = o->made; line != NULL && *line != '\0'; line += strcspn(line, "\n") + 1) {
        if (strcspn(line, "\n") == length && strncmp(line, name, length) == 0) {
            return false;
        }
    }
    if (o->made != NULL) {
        return true;
    }
    for (int64_t i = 0; i < o->n; i++) {
        const hl_config *config = o->configs[i];
        if (*hl_config_string(config, config->task.cache) == '\0' &&
            strcmp(name, hl_config_string(config, config->task.content)) == 0) {
            return true;
        }
    }
    return false;
}

static hl_status remove_other(void *context, const char *name)
{
    static const char *const names[] = { "tokens.json", "labels.json", "train.cache", "validation.cache" };
    static const char *const ends[] = { "", ".tmp", ".lock" };
    enum { NAMES = sizeof names / sizeof *names, ENDS = sizeof ends / sizeof *ends };
    const others *o = context;
    struct stat info;
    if (!is_content(name) || is_kept(o, name)) {
        return hl_ok();
    }
    char *folder = hl_path_join(o->folder, "%s", name);
    HL_NEED(folder != NULL, o->folder);
    bool own = lstat(folder, &info) == 0 && S_ISDIR(info.st_mode);
    hl_status status = hl_ok();
    for (int i = 0; i < NAMES * ENDS && own && status.code == HL_OK; i++) {
        char *path = hl_path_join(folder, "%s%s", names[i / ENDS], ends[i % ENDS]);
        if (path == NULL) {
            status = hl_error_memory(folder);
        } else if (hl_file_calls_get()->unlink(path) != 0 && errno != ENOENT) {
            status = hl_file_system_error(path, "cannot be removed");
        }
        hl_free(path);
    }
    if (own && status.code == HL_OK) {
        rmdir(folder); /* fails if the folder holds more, which then stays */
    }
    hl_free(folder);
    return status;
}

/* Several runs may share a cache. */
static bool is_cache(const hl_config *config, const struct stat *data)
{
    struct stat shared;
    const char *cache = hl_config_string(config, config->task.cache);
    return *cache != '\0' && stat(cache, &shared) == 0 && shared.st_dev == data->st_dev &&
           shared.st_ino == data->st_ino;
}

static hl_status remove_all(others o, const char *folder)
{
    struct stat info;
    char *data = hl_path_join(folder, "data");
    HL_NEED(data != NULL, folder);
    bool own = lstat(data, &info) == 0 && S_ISDIR(info.st_mode);
    for (int64_t i = 0; i < o.n && own; i++) {
        own = !is_cache(o.configs[i], &info);
    }
    o.folder = data;
    hl_status status = own ? hl_folder_list(data, remove_other, &o) : hl_ok();
    if (own && status.code == HL_OK) {
        rmdir(data);
    }
    hl_free(data);
    return status;
}

hl_status hl_data_remove_others(const hl_config *const *configs, int64_t n, const char *folder)
{
    return remove_all((others){ .configs = configs, .n = n }, folder);
}

hl_status hl_data_remove_made(const char *made, const char *folder)
{
    return remove_all((others){ .made = made }, folder);
}
