/* The elements of maps in a terminal: cells in colours or characters, and text cut to a width. */
#pragma once

#include "core/base/declarations.h"
#include "show/colour.h"
#include "show/terminal_map.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* How a map is cut and drawn. */
typedef struct hl_cell_form {
    hl_panel_blocks n; /* cells across and down */
    int columns;       /* the columns of the terminal that one cell takes: 2 or 1 */
    int rows;          /* the rows of cells in one line: 1, or 2 in the upper and lower halves of its characters */
} hl_cell_form;

/* HL_INVALID if the terminal is narrower than HL_TERMINAL_LEAST_WIDTH or lower than `least_height`. */
hl_status hl_terminal_check(const hl_terminal *terminal, int least_height);

/* The form of a map that fits into `columns` and `lines`, both at least 1. */
hl_cell_form hl_cell_form_fit(const hl_terminal *terminal, int64_t n_queries, int64_t n_keys, int64_t columns,
                              int64_t lines);

/* The lines of a map. */
int64_t hl_cell_form_lines(const hl_cell_form *form);

/* Writes cells. Set `terminal` and `text`, and the rest to zero. */
typedef struct hl_cell_pen {
    const hl_terminal *terminal;
    hl_text *text;
    int front, back;                   /* 1 + the level whose colour is set; 0: none */
    uint8_t palette[HL_COLOUR_LEVELS]; /* each level's colour as a number among 256; 0: not looked up yet */
} hl_cell_pen;

/* Writes line `line` of a map without a newline, and resets the colours. */
void hl_cell_pen_line(hl_cell_pen *pen, const hl_panel *panel, const hl_cell_form *form, int64_t line);

/* Writes a cell for each of n levels from 0 to 1. */
void hl_cell_pen_scale(hl_cell_pen *pen, int n);

/* Adds spaces. */
void hl_terminal_space(hl_text *text, int64_t columns);

/* Adds the text, cut if it is wider than `columns` (it then ends in an ellipsis, in ASCII in '~'). Returns the number
 * of columns that it takes. If `text` is NULL, it is only measured. */
int hl_terminal_put(const hl_terminal *terminal, const char *bytes, int columns, hl_text *text);

HL_END_DECLS
