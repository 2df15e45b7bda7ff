/* Rows for programs: each figure of a row is stated once, with its name, and serves both JSON and CSV. */
#ifndef HL_PROGRAMS_HEADS_FIELDS_H
#define HL_PROGRAMS_HEADS_FIELDS_H

#include "core/base/text.h"
#include "core/files/json.h"

#include <stdint.h>

typedef enum hl_field_kind { HL_FIELD_TEXT, HL_FIELD_INTEGER, HL_FIELD_NUMBER, HL_FIELD_VERDICT } hl_field_kind;

typedef struct hl_field {
    char name[32], text[64]; /* "": none */
    hl_field_kind kind;
    double number; /* NAN: none; of a verdict 0 or 1 */
} hl_field;

enum { HL_FIELDS = 40 };
typedef struct hl_fields {
    hl_field at[HL_FIELDS];
    int n;
} hl_fields;

/* Both copy the texts, which must fit. */
void hl_field_text(hl_fields *fields, const char *name, const char *text);
void hl_field_number(hl_fields *fields, hl_field_kind kind, const char *name, double number);

/* Adds the fields of a row, which have the same names in each. */
typedef void hl_fields_of(const void *rows, int64_t row, hl_fields *fields);

/* A list of n objects; null where there is none. NULL when out of memory. */
json_t *hl_fields_json(hl_fields_of *of, const void *rows, int64_t n);

/* The names, then n rows, at least one; empty where there is none, 0 or 1 of a verdict. HL_NO_MEMORY is left on the
 * text. */
void hl_fields_csv(hl_text *text, hl_fields_of *of, const void *rows, int64_t n);

#endif
