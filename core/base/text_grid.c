#include "core/base/text_grid.h"

#include "core/base/memory.h"
#include "core/base/shown_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CELL_TEXT = 1024, GAP = 2 };

hl_status hl_text_grid_init(hl_text_grid *grid, int64_t n_rows, int64_t n_columns)
{
    *grid = (hl_text_grid){ .n_rows = n_rows, .n_columns = n_columns };
    size_t n;
    grid->cells = hl_multiply_sizes((size_t)n_rows, (size_t)n_columns, &n) ? hl_calloc(n, sizeof *grid->cells) : NULL;
    grid->error = grid->cells != NULL ? hl_ok() : hl_error_memory("a table");
    return grid->error;
}

void hl_text_grid_free(hl_text_grid *grid)
{
    for (int64_t i = 0; grid->cells != NULL && i < grid->n_rows * grid->n_columns; i++) {
        hl_free(grid->cells[i]);
    }
    hl_free(grid->cells);
    *grid = (hl_text_grid){ 0 };
}

void hl_text_grid_set(hl_text_grid *grid, int64_t row, int64_t column, const char *format, ...)
{
    if (grid->error.code != HL_OK) {
        return;
    }
    char text[CELL_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char **cell = &grid->cells[row * grid->n_columns + column];
    hl_free(*cell);
    *cell = hl_strdup(text);
    if (*cell == NULL) {
        grid->error = hl_error_memory("a table");
    }
}

const char *hl_text_grid_at(const hl_text_grid *grid, int64_t row, int64_t column)
{
    const char *text = grid->cells[row * grid->n_columns + column];
    return text != NULL ? text : "";
}

/* ---- columns ---- */

static const char PLUS_MINUS[] = "\xc2\xb1";

/* The width in columns of a terminal. */
static int width_of(const char *text, bool ascii)
{
    int width = 0;
    hl_shown shown;
    while ((text = hl_shown_next(text, false, &shown)) != NULL) {
        width += shown.columns;
        width += ascii && strcmp(shown.bytes, PLUS_MINUS) == 0; /* "+-" has two characters */
    }
    return width;
}

static int column_width(const hl_text_grid *grid, int64_t column, bool ascii)
{
    int widest = 0;
    for (int64_t row = 0; row < grid->n_rows; row++) {
        int width = width_of(hl_text_grid_at(grid, row, column), ascii);
        widest = width > widest ? width : widest;
    }
    return widest;
}

static void print_cell(const char *cell, bool ascii, hl_text *text)
{
    const char *sign;
    while (ascii && (sign = strstr(cell, PLUS_MINUS)) != NULL) {
        hl_text_print(text, "%.*s+-", (int)(sign - cell), cell);
        cell = sign + strlen(PLUS_MINUS);
    }
    hl_text_print(text, "%s", cell);
}

/* Prints the first `repeated` columns and the columns [begin, end). */
static void print_columns(const hl_text_grid *grid, int64_t repeated, int64_t begin, int64_t end, bool ascii,
                          hl_text *text)
{
    for (int64_t row = 0; row < grid->n_rows; row++) {
        for (int64_t column = 0; column < end; column++) {
            if (column >= repeated && column < begin) {
                continue;
            }
            const char *cell = hl_text_grid_at(grid, row, column);
            int blanks = column_width(grid, column, ascii) - width_of(cell, ascii);
            hl_text_print(text, "%*s", (column > 0 ? GAP + blanks : 0), "");
            print_cell(cell, ascii, text);
            hl_text_print(text, "%*s", (column > 0 ? 0 : blanks), "");
        }
        hl_text_print(text, "\n");
    }
}

void hl_text_grid_print(const hl_text_grid *grid, int width, int64_t repeated, bool ascii, hl_text *text)
{
    int first = 0;
    if (grid->error.code != HL_OK) { /* it may have no cells */
        hl_text_fail(text, grid->error);
        return;
    }
    for (int64_t column = 0; column < repeated; column++) {
        first += column_width(grid, column, ascii) + (column > 0 ? GAP : 0);
    }
    for (int64_t begin = repeated, end; begin < grid->n_columns; begin = end) {
        int used = first;
        for (end = begin; end < grid->n_columns; end++) {
            used += GAP + column_width(grid, end, ascii);
            if (used > width && end > begin) {
                break;
            }
        }
        hl_text_print(text, "%s", begin > repeated ? "\n" : "");
        print_columns(grid, repeated, begin, end, ascii, text);
    }
}

/* ---- Markdown ---- */

/* Escapes characters that would end the cell or count as markup; a line end would end the table. */
static void print_escaped(const char *cell, hl_text *text)
{
    for (const char *at = cell; *at != '\0'; at++) {
        hl_text_print(text, "%s%c", strchr("|\\`*_~[]<&$", *at) != NULL ? "\\" : "", *at == '\n' ? ' ' : *at);
    }
}

void hl_text_grid_markdown(const hl_text_grid *grid, hl_text *text)
{
    if (grid->error.code != HL_OK) {
        hl_text_fail(text, grid->error);
        return;
    }
    for (int64_t row = 0; row < grid->n_rows; row++) {
        for (int64_t column = 0; column < grid->n_columns; column++) {
            hl_text_print(text, "%s", column > 0 ? " | " : "| ");
            print_escaped(hl_text_grid_at(grid, row, column), text);
        }
        hl_text_print(text, " |\n");
        for (int64_t column = 0; column < grid->n_columns && row == 0; column++) {
            hl_text_print(text, "%s", column > 0 ? "---:|" : "|---|");
        }
        hl_text_print(text, "%s", row == 0 ? "\n" : "");
    }
}
