/* A table of short texts, printed in columns or as Markdown. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Owned by the caller: hl_text_grid_free. */
typedef struct hl_text_grid {
    int64_t n_rows, n_columns;
    char **cells;    /* (n_rows, n_columns); row 0 holds the titles; NULL stands for "" */
    hl_status error; /* sticky */
} hl_text_grid;

/* Makes a grid whose cells are all "". HL_NO_MEMORY is also left on the grid. */
hl_status hl_text_grid_init(hl_text_grid *grid, int64_t n_rows, int64_t n_columns);

/* A zeroed or already freed grid is allowed. */
void hl_text_grid_free(hl_text_grid *grid);

/* Sets a cell to a UTF-8 text, formatted as by printf. HL_NO_MEMORY is left on the grid. */
void hl_text_grid_set(hl_text_grid *grid, int64_t row, int64_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The text of a cell, owned by the grid. */
const char *hl_text_grid_at(const hl_text_grid *grid, int64_t row, int64_t column);

/* Adds the table to `text`, with two blanks between columns. The first column is aligned to the left, the others to the
 * right. `width` counts columns of a terminal; a wide character needs two. Columns that do not fit follow below, after
 * the first `repeated` columns again. With `ascii`, the plus-minus sign is written "+-". HL_NO_MEMORY, also the grid's
 * own, is left on the text. */
void hl_text_grid_print(const hl_text_grid *grid, int width, int64_t repeated, bool ascii, hl_text *text);

/* Adds it as a Markdown table that shows the cells' texts unchanged. HL_NO_MEMORY, also the grid's own, is left on the
 * text. */
void hl_text_grid_markdown(const hl_text_grid *grid, hl_text *text);

HL_END_DECLS
