#include "core/files/json.h"

#include "core/base/memory.h"
#include "core/files/files.h"

#include <stdbool.h>

/* jansson's scanner ignores that its buffer cannot grow: it loses a character and reads on, past the end of the text if
 * that character was a closing quote. So once one allocation in a parse has failed, all later ones in this parse fail
 * too. The parse then ends before the damaged text is used, and its result is discarded. */
static _Thread_local struct {
    bool parsing;
    bool failed;
} memory;

static void *allocate(size_t bytes)
{
    void *block = memory.parsing && memory.failed ? NULL : hl_malloc(bytes);
    if (block == NULL) {
        memory.failed = true;
    }
    return block;
}

void hl_json_use_allocator(void)
{
    json_set_alloc_funcs(allocate, hl_free);
}

static hl_status parse(const char *path, const char *text, size_t size, size_t flags, json_t **root)
{
    json_error_t error;
    memory.parsing = true;
    memory.failed = false;
    *root = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | flags, &error);
    memory.parsing = false;
    /* jansson leaves the error's text empty if an allocation failed. */
    bool out_of_memory =
        memory.failed ||
        (*root == NULL && (error.text[0] == '\0' || json_error_code(&error) == json_error_out_of_memory));
    if (out_of_memory) {
        json_decref(*root);
        *root = NULL;
        return hl_error(HL_NO_MEMORY, "out of memory: reading %s", path);
    }
    if (*root == NULL) {
        return hl_error(HL_BAD_FILE, "%s: not valid JSON: %s (line %d, column %d)", path, error.text, error.line,
                        error.column);
    }
    return hl_ok();
}

hl_status hl_json_parse(const char *path, const char *text, size_t size, json_t **root)
{
    return parse(path, text, size, 0, root);
}

hl_status hl_json_read(const char *path, size_t limit, size_t flags, json_t **root)
{
    char *content;
    size_t size;
    *root = NULL;
    HL_TRY(hl_file_read(path, limit, &content, &size));
    hl_status status = parse(path, content, size, flags, root);
    hl_free(content);
    return status;
}
