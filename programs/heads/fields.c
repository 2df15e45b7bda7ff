#include "programs/heads/fields.h"

#include "core/files/json_text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

static void add(hl_fields *fields, hl_field_kind kind, const char *name, const char *text, double number)
{
    assert(fields->n < HL_FIELDS);
    hl_field *field = &fields->at[fields->n++];
    field->kind = kind;
    field->number = number;
    snprintf(field->name, sizeof field->name, "%s", name);
    snprintf(field->text, sizeof field->text, "%s", text);
}

void hl_field_text(hl_fields *fields, const char *name, const char *text)
{
    add(fields, HL_FIELD_TEXT, name, text, NAN);
}

void hl_field_number(hl_fields *fields, hl_field_kind kind, const char *name, double number)
{
    add(fields, kind, name, "", number);
}

static json_t *value_of(const hl_field *field)
{
    switch (field->kind) {
    case HL_FIELD_TEXT:
        return field->text[0] != '\0' ? hl_json_name(field->text) : json_null();
    case HL_FIELD_VERDICT:
        return json_boolean(field->number != 0);
    case HL_FIELD_INTEGER:
        return isfinite(field->number) ? json_integer((json_int_t)field->number) : json_null();
    default:
        return hl_json_number(field->number);
    }
}

json_t *hl_fields_json(hl_fields_of *of, const void *rows, int64_t n)
{
    json_t *list = json_array();
    for (int64_t row = 0; row < n; row++) {
        hl_fields fields = { .n = 0 };
        json_t *object = json_object();
        int failed = 0;
        of(rows, row, &fields);
        for (int i = 0; i < fields.n; i++) {
            failed = json_object_set_new(object, fields.at[i].name, value_of(&fields.at[i])) || failed;
        }
        hl_json_append(&list, hl_json_checked(object, failed));
    }
    return list;
}

void hl_fields_csv(hl_text *text, hl_fields_of *of, const void *rows, int64_t n)
{
    for (int64_t row = -1; row < n; row++) {
        hl_fields fields = { .n = 0 };
        of(rows, row < 0 ? 0 : row, &fields);
        for (int i = 0; i < fields.n; i++) {
            const hl_field *field = &fields.at[i];
            hl_text_print(text, "%s", i > 0 ? "," : "");
            if (row < 0 || field->kind == HL_FIELD_TEXT) {
                hl_csv_field(text, row < 0 ? field->name : field->text);
            } else if (isfinite(field->number)) {
                hl_text_print(text, "%.9g", field->number);
            }
        }
        hl_text_print(text, "\n");
    }
}
