/* What pictures are drawn of: colours, lines, dots, and text, which is measured, cut and placed. Lengths are in
 * points. */
#pragma once

#include "core/base/declarations.h"

#include <stdbool.h>

HL_BEGIN_DECLS

typedef struct _cairo cairo_t; /* cairo.h */

typedef struct hl_pen_colour {
    double red, green, blue; /* sRGB, 0 to 1 */
} hl_pen_colour;

/* Chooses the colour of what is drawn next. */
void hl_pen_use(cairo_t *cairo, hl_pen_colour colour);

/* Draws a line from (x0, y0) to (x1, y1). */
void hl_pen_stroke(cairo_t *cairo, double x0, double y0, double x1, double y1);

/* Draws a filled circle around (x, y). */
void hl_pen_dot(cairo_t *cairo, double x, double y, double radius);

/* A line of text made safe to show. */
typedef struct hl_pen_line {
    char bytes[1024];
    double width;
} hl_pen_line;

/* Chooses the font. Text is measured and drawn in the same way at any resolution. */
void hl_pen_font(cairo_t *cairo, double size);

/* Makes pictures use the font in this file (TrueType or OpenType) instead of the system's. Call it before the first
 * picture and before threads start. The path must live on. If the file holds no font, pictures keep the system's. */
void hl_pen_font_file(const char *path);

/* Writes the words that fit into a line of `width` to *line. Returns the rest of the text, or NULL if all of it fits.
 * If this is the `last` line, or if its first word alone is too wide, the line is cut and ends in an ellipsis; the
 * result is then NULL, too. */
const char *hl_pen_split(cairo_t *cairo, const char *text, double width, bool last, hl_pen_line *line);

/* The text as one line. */
hl_pen_line hl_pen_fit(cairo_t *cairo, const char *text, double width);

/* The number of lines that the text takes: at most `most`. The last line may be cut. */
int hl_pen_count_lines(cairo_t *cairo, const char *text, double width, int most);

/* Draws a line whose baseline begins (`align` 0), has its middle (0.5) or ends (1) at (x, y). `upwards`: the line is
 * turned and runs from bottom to top. */
void hl_pen_draw(cairo_t *cairo, const hl_pen_line *line, double x, double y, double align, bool upwards);

/* The same for the text as one line, cut to `width`. */
void hl_pen_write(cairo_t *cairo, const char *text, double width, double x, double y, double align, bool upwards);

HL_END_DECLS
