/* Renders a cairo drawing to the bytes of a file, for the pictures of this folder. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

HL_BEGIN_DECLS

typedef struct _cairo cairo_t; /* cairo.h, which only those who draw need */

typedef struct hl_drawing {
    double width, height; /* in points */
    /* Paints all that is on the paper, in points, y growing downwards. HL_NO_MEMORY; cairo's own errors stay on
     * `cairo`. */
    hl_status (*paint)(const void *context, cairo_t *cairo);
    const void *context;
    bool dark; /* whether the paper is dark, for a dark screen, and not white */
} hl_drawing;

/* What a picture is written as. */
typedef enum hl_picture_format { HL_PNG, HL_SVG, HL_PDF, HL_PICTURE_FORMATS } hl_picture_format;

/* Adds a file's content to the bytes. The same drawing gives the same bytes. `dpi`: pixels per inch of a PNG; not read
 * for other formats. A PNG states its resolution. The letters of an SVG are outlines, so it looks the same without the
 * font. A PDF is one page of the picture's size. HL_INVALID: a PNG of more than HL_PICTURE_MOST_PIXELS in width or
 * height, dpi (hl_drawing_check_dpi); HL_NO_MEMORY; HL_FAILED with cairo's words. On failure bytes may have been
 * added. */
hl_status hl_drawing_print(const hl_drawing *drawing, hl_picture_format format, double dpi, hl_text *bytes);

/* The bytes of the pixels of a PNG of this width and height, in points; 0 if it has more than HL_PICTURE_MOST_PIXELS in
 * width or height. */
size_t hl_drawing_pixel_bytes(double width, double height, double dpi);

/* HL_INVALID unless dpi is above 0 and at most HL_PICTURE_MOST_DPI. */
hl_status hl_drawing_check_dpi(double dpi);

/* The status that stands for `status`, a cairo_status_t. */
hl_status hl_drawing_status(int status);

HL_END_DECLS
