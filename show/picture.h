/* Figures of attention maps, ready to print: one head, or a grid of heads, with tokens at the axes and one colour bar
 * from 0 to 1, whatever the weights.
 *
 *     hl_panel head = { .title = "L1H0", .weights = weights, .n_queries = 21, .n_keys = 21, .stride = 21 };
 *     hl_picture picture = { .panels = &head, .row_lengths = (int64_t[]){ 1 }, .n_rows = 1, .caption = "copy_task" };
 *     hl_text bytes = { 0 };
 *     HL_TRY(hl_picture_print(&picture, HL_PDF, 0, &bytes)); // the content of a file
 *
 * Drawn by cairo in DejaVu Sans. The same picture gives the same bytes: they hold no date. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "show/drawing.h"
#include "show/panel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Rows of panels; their lengths may differ. Nothing in it is owned. */
typedef struct hl_picture {
    const hl_panel *panels;     /* row after row, each from left to right */
    const int64_t *row_lengths; /* (n_rows): the number of panels in the row, at least 1 */
    int64_t n_rows;
    const char *caption; /* below all panels, such as run, step and example; NULL: none */
    struct {
        const char *rows, *columns, *colours;
    } names;   /* of the axes and the bar; NULL: those of attention */
    bool dark; /* for a dark screen: light ink, and colours from dark (0) to light (1) */
} hl_picture;

enum {
    HL_PICTURE_MOST_PANELS = 4096,
    HL_PICTURE_MOST_CELLS = 512, /* a map of more queries or keys is averaged down to this; the figure says so */
    HL_PICTURE_MOST_DPI = 2400,
    HL_PICTURE_MOST_PIXELS = 32767, /* each way */
};

/* Adds the figure as a file of that format (hl_drawing_print). A PNG has `dpi` pixels per inch. Up to eight heads in a
 * row, with the same tokens, a figure is about seven inches wide, like the text of a page. A single map shows every
 * token if there are up to about 90; otherwise it shows every second, third, ... token. A grid shows all tokens or
 * none. It does not repeat tokens that the map to the left or below already shows. Text that is too long is cut and
 * ends in an ellipsis. Invisible characters are spelled out (core/base/shown_text.h). HL_INVALID: no panels or too
 * many, a row without a panel, a panel that hl_panel_check refuses, dpi, more than HL_PICTURE_MOST_PIXELS.
 * HL_NO_MEMORY. HL_FAILED with cairo's words, whatever else cairo cannot do. On failure bytes may have been added. */
hl_status hl_picture_print(const hl_picture *picture, hl_picture_format format, double dpi, hl_text *bytes);

/* The bytes of memory that are needed to make each format, including the file's content. For a PNG, these are its
 * pixels. For the others, this is an upper estimate from the numbers of panels and cells, because the number of colours
 * in a map is not known in advance. Weights are not read. */
typedef struct hl_picture_memory {
    size_t png; /* 0 if it would have more than HL_PICTURE_MOST_PIXELS */
    size_t svg, pdf;
} hl_picture_memory;

/* Fails as hl_picture_print fails for a PNG. */
hl_status hl_picture_memory_of(const hl_picture *picture, double dpi, hl_picture_memory *memory);

HL_END_DECLS
