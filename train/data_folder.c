#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "train/private/data_folder.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/files/files.h"
#include "core/files/folders.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
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
