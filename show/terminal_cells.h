/* The elements of maps in a terminal: cells in colours or characters, and text cut to a width. */
#ifndef HL_SHOW_TERMINAL_CELLS_H
#define HL_SHOW_TERMINAL_CELLS_H

#include "core/base/declarations.h"
#include "show/colour.h"
#include "show/terminal_map.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* How a map is cut and drawn. */
typedef struct hl_cell_form {
    hl_panel_blocks n; /* cells across and down */
    int columns;       /* of the terminal that a cell takes: 2 or 1 */
    int rows;          /* of cells that a line takes: 1 or 2, the upper half of a character and the lower */
} hl_cell_form;

/* HL_INVALID where the terminal is narrower than HL_TERMINAL_LEAST_WIDTH or lower than that. */
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
    int front, back;                   /* the levels whose colours are set, plus one; 0: none is */
    uint8_t palette[HL_COLOUR_LEVELS]; /* the numbers of the levels' colours among 256; 0: not yet looked up */
} hl_cell_pen;

/* Writes line `line` of a map without a newline, and resets the colours. */
void hl_cell_pen_line(hl_cell_pen *pen, const hl_panel *panel, const hl_cell_form *form, int64_t line);

/* Writes a cell for each of n levels from 0 to 1. */
void hl_cell_pen_scale(hl_cell_pen *pen, int n);

/* Adds spaces. */
void hl_terminal_space(hl_text *text, int64_t columns);

/* Adds the text, cut where it is wider than `columns` ("..." as one character, in ASCII '~'), and returns the columns
 * it takes. With text NULL only measures. */
int hl_terminal_put(const hl_terminal *terminal, const char *bytes, int columns, hl_text *text);

HL_END_DECLS

#endif
