#include "programs/results.h"

#include "core/files/json_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { CELL_TEXT = 1024 };

typedef enum cell_kind { TEXT, NUMBER, INTEGER, TRUTH } cell_kind;

struct hl_row {
    enum { COUNTED, GRID, CSV, JSON } to;
    bool titles;    /* it holds the names of the columns */
    int64_t n;      /* cells so far */
    hl_text *text;  /* of CSV */
    json_t *object; /* of JSON */
    hl_text_grid *grid;
    int64_t index; /* of the grid's row */
};

/* ---- cells ---- */

static json_t *value_of(cell_kind kind, const char *text, double number)
{
    bool missing = kind == TEXT ? text[0] == '\0' : !isfinite(number);
    return missing           ? json_null()
           : kind == TEXT    ? hl_json_name(text)
           : kind == TRUTH   ? json_boolean(number != 0)
           : kind == INTEGER ? json_integer((json_int_t)number)
                             : json_real(number);
}

/* `text`: what people see of a number. */
static void add(hl_row *row, cell_kind kind, const char *title, const char *key, const char *text, double number)
{
    bool shown = row->to == COUNTED || row->to == GRID;
    if ((shown ? title : key) == NULL) {
        return;
    }
    if (row->to == GRID) {
        hl_text_grid_set(row->grid, row->index, row->n, "%s", row->titles ? title : text);
    } else if (row->to == JSON) {
        hl_json_set(&row->object, key, value_of(kind, text, number));
    } else if (row->to == CSV) {
        hl_text_print(row->text, "%s", row->n > 0 ? "," : "");
        if (row->titles || kind == TEXT) {
            hl_csv_field(row->text, row->titles ? key : text);
        } else if (isfinite(number)) {
            hl_text_print(row->text, "%.9g", number);
        }
    }
    row->n++;
}

void hl_row_text(hl_row *row, const char *title, const char *key, const char *format, ...)
{
    char text[CELL_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add(row, TEXT, title, key, text, NAN);
}

void hl_row_number(hl_row *row, const char *title, const char *key, int decimals, double number)
{
    char shown[CELL_TEXT] = "-";
    if (isfinite(number)) { /* "0.00", not "-0.00" */
        snprintf(shown, sizeof shown, "%.*f", decimals, fabs(number) < 0.5 * pow(10, -decimals) ? 0 : number);
    }
    add(row, NUMBER, title, key, shown, number);
}

void hl_row_share(hl_row *row, const char *title, const char *key, double share)
{
    hl_row_number(row, title, NULL, 1, 100 * share);
    hl_row_number(row, NULL, key, 0, share);
}

void hl_row_integer(hl_row *row, const char *title, const char *key, double integer)
{
    hl_row_number(row, title, NULL, 0, integer);
    add(row, INTEGER, NULL, key, "", integer);
}

void hl_row_truth(hl_row *row, const char *key, double truth)
{
    add(row, TRUTH, NULL, key, "", truth);
}

void hl_row_json(hl_row *row, const char *key, json_t *value)
{
    if (row->to == JSON) {
        hl_json_set(&row->object, key, value);
    } else {
        json_decref(value);
    }
}

/* ---- tables ---- */

hl_status hl_results_grid(hl_text_grid *grid, hl_results results)
{
    hl_row counted = { .to = COUNTED };
    results.row_of(results.context, 0, &counted);
    HL_TRY(hl_text_grid_init(grid, results.n + 1, counted.n));
    for (int64_t i = 0; i <= results.n; i++) {
        hl_row row = { .to = GRID, .grid = grid, .index = i, .titles = i == 0 };
        results.row_of(results.context, i > 0 ? i - 1 : 0, &row);
    }
    return grid->error;
}

void hl_results_print(hl_text *text, hl_results results, int width, int64_t repeated)
{
    hl_text_grid grid;
    hl_results_grid(&grid, results);
    hl_text_grid_print(&grid, width, repeated, true, text);
    hl_text_grid_free(&grid);
}

void hl_results_print_apart(hl_text *text, hl_results results, int width, int64_t repeated)
{
    hl_text_print(text, "\n");
    hl_results_print(text, results, width, repeated);
    hl_text_print(text, "\n");
}

void hl_results_markdown(hl_text *text, hl_results results)
{
    hl_text_grid grid;
    hl_results_grid(&grid, results);
    hl_text_grid_markdown(&grid, text);
    hl_text_grid_free(&grid);
}

void hl_results_csv(hl_text *text, hl_results results)
{
    for (int64_t i = -1; i < results.n; i++) {
        hl_row row = { .to = CSV, .text = text, .titles = i < 0 };
        results.row_of(results.context, i < 0 ? 0 : i, &row);
        hl_text_print(text, "\n");
    }
}

json_t *hl_results_json(hl_results results)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < results.n; i++) {
        hl_row row = { .to = JSON, .object = json_object() };
        results.row_of(results.context, i, &row);
        hl_json_append(&list, row.object);
    }
    return list;
}
