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

hl_status hl_pretrained_read_json(const char *path, const char *name, json_t **root)
{
    *root = NULL;
    bool exists = false;
    char *joined = hl_path_join(path, "%s", name);
    HL_NEED(joined != NULL, name);
    hl_status status = hl_file_exists(joined, &exists);
    if (exists) {
        status = hl_json_read(joined, HL_PRETRAINED_JSON_BYTES, JSON_DECODE_INT_AS_REAL, root);
    }
    hl_free(joined);
    return status;
}

hl_status hl_pretrained_write_text(const char *path, const char *name, hl_text *text)
{
    char *joined = hl_path_join(path, "%s", name);
    hl_text_fail(text, joined != NULL ? hl_ok() : hl_error_memory(name));
    hl_status status = hl_file_replace_text(joined, text, HL_DURABLE);
    hl_free(joined);
    return status;
}

bool hl_pretrained_is_file_name(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && strchr(name, '/') == NULL;
}
