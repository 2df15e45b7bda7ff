#include "pretrained/private/folder.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "core/files/folders.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

hl_status hl_pretrained_error(const hl_pretrained *folder, const char *name, const char *format, ...)
{
    char what[HL_STATUS_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return hl_error(HL_BAD_FILE, "%s/%s: %s", folder->path, name, what);
}

hl_status hl_pretrained_has(const char *path, const char *name, bool *has)
{
    char *joined = hl_path_join(path, "%s", name);
    HL_NEED(joined != NULL, name);
    hl_status status = hl_file_exists(joined, has);
    hl_free(joined);
    return status;
}

static hl_status parse(const char *path, json_t **root)
{
    char *content;
    size_t size;
    HL_TRY(hl_file_read(path, HL_PRETRAINED_JSON_BYTES, &content, &size));
    hl_status status = hl_json_parse_reals(path, content, size, root);
    hl_free(content);
    return status;
}

hl_status hl_pretrained_read_json(const hl_pretrained *folder, const char *name, json_t **root)
{
    *root = NULL;
    bool exists;
    char *path = hl_path_join(folder->path, "%s", name);
    HL_NEED(path != NULL, name);
    hl_status status = hl_file_exists(path, &exists);
    if (status.code == HL_OK && exists) {
        status = parse(path, root);
    }
    hl_free(path);
    return status;
}

bool hl_pretrained_is_file_name(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && strchr(name, '/') == NULL;
}
