/* Writes JSON and fields of CSV to a growing text (core/base/text.h). */
#ifndef HL_CORE_FILES_JSON_TEXT_H
#define HL_CORE_FILES_JSON_TEXT_H

#include "core/base/declarations.h"
#include "core/base/real.h"
#include "core/base/text.h"
#include "core/files/json.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* A JSON string of bytes from a file: unchanged where they are UTF-8, else made safe to show (core/base/shown_text.h).
 * NULL when out of memory. */
json_t *hl_json_name(const char *bytes);

/* A JSON number; null where the value is not finite. NULL when out of memory. */
json_t *hl_json_number(double value);

/* Returns `json`, or where `failed` is not 0 releases it and returns NULL. NULL is allowed. */
json_t *hl_json_checked(json_t *json, int failed);

/* The text as a JSON string; frees the text. NULL when out of memory, also where the text has failed. */
json_t *hl_json_take(hl_text *text);

/* Sets a member of the object *object. Where either is NULL or memory runs out, both are released and *object is
 * NULL. */
void hl_json_set(json_t **object, const char *key, json_t *value);

/* Adds the item to the array *list; where either is NULL or memory runs out, both are released and *list is NULL. */
void hl_json_append(json_t **list, json_t *item);

/* Adds a field of CSV: in quotes, with quotes in it doubled, where it holds a comma, a quote or an end of line.
 * HL_NO_MEMORY is left on the text. */
void hl_csv_field(hl_text *text, const char *bytes);

/* Adds the value, numbers with nine significant digits, and releases it; NULL stands for missing memory. `flags`:
 * jansson's. HL_NO_MEMORY is left on the text. */
void hl_json_add(hl_text *text, json_t *root, size_t flags);

/* The same, and a newline. */
void hl_json_print(hl_text *text, json_t *root, size_t flags);

/* What every object that a program prints for others says as `format`. It counts on when a member changes its name or
 * its meaning. 2: importance has one name everywhere. */
enum { HL_JSON_FORMAT = 2 };

/* Adds such an object and releases it, as hl_json_print does: indented, with `format` as its first member. */
void hl_json_print_document(hl_text *text, json_t *root);

/* Adds a list of rows (at least one), which lie `stride` apart, with nine significant digits; null where a number is
 * not finite. A map as a json_t would take some hundred times its bytes. HL_NO_MEMORY is left on the text. */
void hl_json_rows(hl_text *text, const hl_real *values, int64_t rows, int64_t columns, int64_t stride);

HL_END_DECLS

#endif
