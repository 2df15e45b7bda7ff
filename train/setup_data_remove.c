#include "core/files.h"
#include "core/folders.h"
#include "core/memory.h"
#include "train/setup_data.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the name is as that of what is made of a text: task.content. */
static bool is_content(const char *text)
{
    return strspn(text, "0123456789abcdef") == 16 && text[16] == '-' && text[17] != '\0' &&
           strspn(text + 17, "0123456789") == strlen(text + 17);
}

typedef struct others {
    const char *folder, *content;
} others;

static hl_status remove_other(void *context, const char *name)
{
    static const char *const names[] = { "tokens.json", "labels.json", "train.cache", "validation.cache" };
    static const char *const ends[] = { "", ".tmp", ".lock" };
    enum { NAMES = sizeof names / sizeof *names, ENDS = sizeof ends / sizeof *ends };
    const others *o = context;
    struct stat info;
    if (!is_content(name) || strcmp(name, o->content) == 0) {
        return hl_ok();
    }
    char *folder = hl_path_join(o->folder, "%s", name);
    if (folder == NULL) {
        return hl_error_memory(o->folder);
    }
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
        rmdir(folder); /* fails where it holds more, which stays */
    }
    hl_free(folder);
    return status;
}

hl_status hl_data_remove_others(const hl_config *config, const char *folder)
{
    struct stat info;
    char *data = hl_path_join(folder, "data");
    if (data == NULL) {
        return hl_error_memory(folder);
    }
    bool own = lstat(data, &info) == 0 && S_ISDIR(info.st_mode);
    const char *cache = hl_config_string(config, config->task.cache);
    struct stat shared;
    if (own && *cache != '\0' && stat(cache, &shared) == 0 && shared.st_dev == info.st_dev &&
        shared.st_ino == info.st_ino) {
        own = false; /* several runs may share a cache */
    }
    others o = { data, *cache == '\0' ? hl_config_string(config, config->task.content) : "" };
    hl_status status = own ? hl_folder_list(data, remove_other, &o) : hl_ok();
    if (own && status.code == HL_OK) {
        rmdir(data);
    }
    hl_free(data);
    return status;
}
