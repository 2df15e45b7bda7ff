#include "train/json_text.h"

#include "core/memory.h"

/* Into memory of the right size: where json_dumps finds none for a longer text, it may leave a key out without a
 * word. */
static char *dump(const json_t *root, size_t flags, size_t *size)
{
    *size = root != NULL ? json_dumpb(root, NULL, 0, flags) : 0;
    char *text = *size > 0 ? hl_malloc(*size) : NULL;
    if (text != NULL && json_dumpb(root, text, *size, flags) != *size) {
        hl_free(text);
        return NULL;
    }
    return text;
}

void hl_json_print(hl_text *text, json_t *root, size_t flags)
{
    enum { DIGITS = 9 };
    size_t size;
    char *dumped = dump(root, flags | JSON_REAL_PRECISION(DIGITS), &size);
    if (dumped != NULL) {
        hl_text_add(text, dumped, size);
        hl_text_add(text, "\n", 1);
    } else {
        text->error = hl_error_memory("figures as JSON");
    }
    hl_free(dumped);
    json_decref(root);
}
