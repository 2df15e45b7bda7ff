/* Attention maps as text for a terminal. Each line ends in a newline. Escape sequences only set colours, and each line
 * resets them at its end. The cursor is never moved. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "show/panel.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef enum hl_terminal_colours {
    HL_TERMINAL_NO_COLOURS,
    HL_TERMINAL_256_COLOURS,
    HL_TERMINAL_24_BIT
} hl_terminal_colours;

typedef struct hl_terminal {
    int width;  /* columns, at least HL_TERMINAL_LEAST_WIDTH: no line is wider */
    int height; /* the most lines to use; 0: no limit */
    hl_terminal_colours colours;
    bool ascii; /* no Unicode: without colours, weights are digits; other characters are spelled out */
} hl_terminal;

enum { HL_TERMINAL_LEAST_WIDTH = 20, HL_TERMINAL_LEAST_HEIGHT = 16, HL_TERMINAL_USUAL_HEIGHT = 24 };

/* Adds one head's map: the title, a column for each key (with its token written downwards), a row for each query, and
 * the scale from 0 to 1. Colours are those of show/colour.h. Without colours, weights are shades of five steps, or
 * digits: 7 for a weight of about 0.7, 9 for weights from 0.85, '.' for weights below 0.05. A weight is two columns
 * wide if there is room, otherwise one. In the second case, with colours and Unicode, two queries share a line, which
 * shows the token of the upper one. A map that still does not fit is averaged down, and a last line says so. Each token
 * is then the first one of those that share a row or column. HL_INVALID: unknown colours, a terminal smaller than the
 * least (HL_TERMINAL_LEAST_WIDTH, HL_TERMINAL_LEAST_HEIGHT), a panel that hl_panel_check refuses. HL_NO_MEMORY. On
 * failure text may have been added. */
hl_status hl_terminal_map(const hl_terminal *terminal, const hl_panel *panel, hl_text *text);

/* Adds the maps of n >= 1 heads: small, side by side, without tokens, each below its title. Without a limit of lines,
 * no map and no title gets fewer than 18 columns unless the terminal is narrower, and the maps take as many rows as
 * that needs. With a limit, the maps take the number of rows that shows most of each map, and are averaged down if
 * there is no room. The number of lines depends only on the terminal and the sizes, not on weights and titles. Fails as
 * above, except that any height is allowed that has room for all heads; if it has not, nothing is added
 * (HL_INVALID). */
hl_status hl_terminal_heads(const hl_terminal *terminal, const hl_panel *panels, int64_t n, hl_text *text);

/* Adds a line with the caption, cut if it is wider than the terminal, and, if there is room, the scale from 0 to 1.
 * HL_NO_MEMORY is left on the text. */
void hl_terminal_caption(const hl_terminal *terminal, const char *caption, hl_text *text);

HL_END_DECLS
