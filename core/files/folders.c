#include "core/files/folders.h"

#include "core/files/files.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

hl_status hl_folder_make(const char *path)
{
    char parent[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof parent) {
        return hl_error(HL_BAD_FILE, "the path is too long: %s", path);
    }
    for (size_t i = 0; i <= length; i++) {
        parent[i] = '\0';
        if (i > 0 && (path[i] == '/' || path[i] == '\0')) {
            if (hl_file_calls_get()->mkdir(parent, 0777) == 0) {
                HL_TRY(hl_file_sync_folder(parent));
            } else if (errno != EEXIST) {
                return hl_file_system_error(parent, "cannot make the folder");
            }
        }
        parent[i] = path[i];
    }
    DIR *folder = hl_file_calls_get()->opendir(path); /* an existing path may be a file */
    if (folder == NULL) {
        return hl_file_system_error(path, "cannot open the folder");
    }
    hl_file_calls_get()->closedir(folder);
    return hl_ok();
}

static hl_status visit_all(DIR *folder, const char *path, hl_folder_visit *visit, void *context)
{
    for (;;) {
        errno = 0; /* distinguishes the end from a failure */
        const struct dirent *entry = hl_file_calls_get()->readdir(folder);
        if (entry == NULL) {
            return errno == 0 ? hl_ok() : hl_file_system_error(path, "cannot be listed");
        }
        HL_TRY(visit(context, entry->d_name));
    }
}

hl_status hl_folder_list(const char *path, hl_folder_visit *visit, void *context)
{
    DIR *folder = hl_file_calls_get()->opendir(path);
    if (folder == NULL) {
        return errno == ENOENT ? hl_ok() : hl_file_system_error(path, "cannot be listed");
    }
    hl_status status = visit_all(folder, path, visit, context);
    hl_file_calls_get()->closedir(folder);
    return status;
}

hl_status hl_file_remove(const char *path)
{
    bool removed = hl_file_calls_get()->unlink(path) == 0 || errno == ENOENT;
    return removed ? hl_ok() : hl_file_system_error(path, "cannot be removed");
}

char *hl_path_join(const char *folder, const char *format, ...)
{
    hl_text path = { 0 };
    va_list arguments;
    hl_text_print(&path, "%s/", folder);
    va_start(arguments, format);
    hl_text_vprint(&path, format, arguments);
    va_end(arguments);
    return path.bytes;
}
