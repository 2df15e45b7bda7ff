#include "train/json_text.h"

void hl_json_print(hl_text *text, json_t *root, size_t flags)
{
    enum { DIGITS = 9 };
    char *dumped = root != NULL ? json_dumps(root, flags | JSON_REAL_PRECISION(DIGITS)) : NULL;
    if (dumped != NULL) {
        hl_text_print(text, "%s\n", dumped);
        json_free_t release;
        json_get_alloc_funcs(NULL, &release);
        release(dumped);
    } else {
        text->error = hl_error_memory("figures as JSON");
    }
    json_decref(root);
}
