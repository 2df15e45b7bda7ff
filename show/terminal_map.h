/* Attention maps as text for a terminal: lines that end in newlines, with escape sequences for colours alone, which
 * every line resets at its end. The cursor is never moved. */
#ifndef HL_SHOW_TERMINAL_MAP_H
#define HL_SHOW_TERMINAL_MAP_H

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
    bool ascii; /* no Unicode: weights are digits where there are no colours, other characters are spelled out */
} hl_terminal;

enum { HL_TERMINAL_LEAST_WIDTH = 20, HL_TERMINAL_LEAST_HEIGHT = 16, HL_TERMINAL_USUAL_HEIGHT = 24 };

/* Adds one head's map: the title, keys across (their tokens written downwards), queries down, the scale from 0 to 1.
 * Colours are those of show/colour.h. Without colours shades of five steps, or digits: 7 for a weight of about 0.7, 9
 * for all from 0.85, '.' for what is below 0.05. A weight is two columns wide where there is room, else one; with
 * colours and Unicode two queries then share a line, and the upper one's token stands beside it. What still has no room
 * is averaged down, which a last line tells; each token then is the first of those that share a row or column.
 * HL_INVALID: unknown colours, a terminal smaller than the least (HL_TERMINAL_LEAST_WIDTH, HL_TERMINAL_LEAST_HEIGHT), a
 * panel that hl_panel_check refuses. HL_NO_MEMORY. On failure text may have been added. */
hl_status hl_terminal_map(const hl_terminal *terminal, const hl_panel *panel, hl_text *text);

/* Adds the maps of n >= 1 heads, small, side by side, each under its title, without tokens. Without a limit of lines no
 * map is averaged down to fewer than 18 columns and no title is cut shorter, unless the terminal is narrower: the maps
 * take as many rows as that needs. In a limited height the maps take as many rows as show most of them, averaged down
 * where there is no room: for the same terminal and sizes always the same number of lines, whatever the weights and
 * titles are. Fails as above, but that the terminal may be of any height that has room for all heads; nothing has been
 * added where it has not (HL_INVALID). */
hl_status hl_terminal_heads(const hl_terminal *terminal, const hl_panel *panels, int64_t n, hl_text *text);

/* Adds a line: the caption, cut where it is wider than the terminal, and where there is room the scale from 0 to 1.
 * HL_NO_MEMORY is left on the text. */
void hl_terminal_caption(const hl_terminal *terminal, const char *caption, hl_text *text);

HL_END_DECLS

#endif
