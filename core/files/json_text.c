#include "core/files/json_text.h"

#include "core/base/memory.h"

#include <math.h>
#include <string.h>

/* Measures first and then writes. If json_dumps cannot grow its text, it may leave out a key without an error. */
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

json_t *hl_json_name(const char *bytes)
{
    json_error_t error = { 0 }; /* jansson does not set the code when out of memory */
    json_t *name = json_pack_ex(&error, 0, "s", bytes);
    if (name != NULL || json_error_code(&error) != json_error_invalid_utf8) {
        return name;
    }
    hl_text shown = { 0 };
    hl_text_shown(&shown, bytes);
    return hl_json_take(&shown);
}

json_t *hl_json_take(hl_text *text)
{
    const char *bytes = text->bytes != NULL ? text->bytes : "";
    json_t *string = text->error.code == HL_OK ? json_string(bytes) : NULL;
    hl_text_free(text);
    return string;
}

json_t *hl_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *hl_json_checked(json_t *json, int failed)
{
    if (json != NULL && failed) {
        json_decref(json);
        return NULL;
    }
    return json;
}

void hl_json_set(json_t **object, const char *key, json_t *value)
{
    *object = hl_json_checked(*object, json_object_set_new(*object, key, value));
}

void hl_json_append(json_t **list, json_t *item)
{
    *list = hl_json_checked(*list, json_array_append_new(*list, item));
}

void hl_csv_field(hl_text *text, const char *bytes)
{
    bool quotes = strpbrk(bytes, ",\"\r\n") != NULL;
    hl_text_print(text, "%s", quotes ? "\"" : "");
    for (; *bytes != '\0'; bytes++) {
        hl_text_add(text, "\"", *bytes == '"'); /* a quote is doubled */
        hl_text_add(text, bytes, 1);
    }
    hl_text_print(text, "%s", quotes ? "\"" : "");
}

void hl_json_add(hl_text *text, json_t *root, size_t flags)
{
    enum { DIGITS = 9 };
    size_t size, digits = (flags & JSON_REAL_PRECISION(0x1F)) == 0 ? JSON_REAL_PRECISION(DIGITS) : 0;
    char *dumped = dump(root, flags | JSON_ENCODE_ANY | digits, &size);
    if (dumped != NULL) {
        hl_text_add(text, dumped, size);
    } else {
        hl_text_fail(text, hl_error_memory("figures as JSON"));
    }
    hl_free(dumped);
    json_decref(root);
}

void hl_json_print(hl_text *text, json_t *root, size_t flags)
{
    hl_json_add(text, root, flags);
    hl_text_add(text, "\n", 1);
}

void hl_json_print_document(hl_text *text, json_t *root)
{
    json_t *document = json_pack("{s:i}", "format", (int)HL_JSON_FORMAT);
    bool failed = root == NULL || json_object_update(document, root) != 0;
    json_decref(root);
    hl_json_print(text, hl_json_checked(document, failed), JSON_INDENT(2));
}

void hl_json_rows(hl_text *text, const hl_real *values, int64_t rows, int64_t columns, int64_t stride)
{
    for (int64_t i = 0; i < rows; i++) {
        hl_text_print(text, i > 0 ? ",[" : "[[");
        for (int64_t j = 0; j < columns; j++) {
            double value = (double)values[i * stride + j];
            hl_text_print(text, isfinite(value) ? "%s%.9g" : "%snull", j > 0 ? "," : "", value);
        }
        hl_text_print(text, "]");
    }
    hl_text_print(text, "]");
}
