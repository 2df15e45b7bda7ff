/* Writes JSON and CSV fields to a growing text (core/base/text.h). */
#pragma once

#include "core/base/declarations.h"
#include "core/base/real.h"
#include "core/base/text.h"
#include "core/files/json.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* A JSON string from the bytes of a file. UTF-8 stays unchanged; other bytes are made safe to show
 * (core/base/shown_text.h). NULL when out of memory. */
json_t *hl_json_name(const char *bytes);

/* A JSON number, or null if the value is not finite. NULL when out of memory. */
json_t *hl_json_number(double value);

/* Returns `json`. If `failed` is not 0, releases it and returns NULL instead. NULL is allowed. */
json_t *hl_json_checked(json_t *json, int failed);

/* The text as a JSON string; frees the text. NULL when out of memory or if the text has failed. */
json_t *hl_json_take(hl_text *text);

/* Sets a member of the object *object. If either argument is NULL or memory runs out, both are released and *object
 * becomes NULL. */
void hl_json_set(json_t **object, const char *key, json_t *value);

/* Adds the item to the array *list. If either is NULL or memory runs out, both are released and *list becomes NULL. */
void hl_json_append(json_t **list, json_t *item);

/* Adds a CSV field. A field with a comma, a quote or an end of line is put in quotes, and its quotes are doubled.
 * HL_NO_MEMORY is left on the text. */
void hl_csv_field(hl_text *text, const char *bytes);

/* Adds the value and releases it. NULL means that memory ran out. `flags`: jansson's. Without JSON_REAL_PRECISION, real
 * numbers have nine significant digits. HL_NO_MEMORY is left on the text. */
void hl_json_add(hl_text *text, json_t *root, size_t flags);

/* The same, followed by a newline. */
void hl_json_print(hl_text *text, json_t *root, size_t flags);

/* The `format` member of every object that a program prints for other programs. It increases when a member changes its
 * name or its meaning. 2: importance has one name everywhere. */
enum { HL_JSON_FORMAT = 2 };

/* Adds such an object and releases it, as hl_json_print does. It is indented, and `format` is its first member. */
void hl_json_print_document(hl_text *text, json_t *root);

/* Adds a list of rows (at least one) that lie `stride` numbers apart. Numbers have nine significant digits; null if a
 * number is not finite. As a json_t, a map would need about a hundred times its bytes. HL_NO_MEMORY is left on the
 * text. */
void hl_json_rows(hl_text *text, const hl_real *values, int64_t rows, int64_t columns, int64_t stride);

HL_END_DECLS
