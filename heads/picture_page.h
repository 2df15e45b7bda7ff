/* One page drawn by cairo, as the bytes of a file: what figures of every kind are written with. */
#ifndef HL_HEADS_PICTURE_PAGE_H
#define HL_HEADS_PICTURE_PAGE_H

#include "heads/picture.h"
#include "heads/text.h"

#include <cairo.h>

/* The same page gives the same bytes: they hold no date. */
typedef struct hl_picture_page {
    double width, height;                                    /* points */
    hl_status (*paint)(const void *drawing, cairo_t *cairo); /* what cairo cannot do it may leave on it */
    const void *drawing;
} hl_picture_page;

/* Adds the page as a PNG of `dpi` pixels an inch, above 0 and at most HL_PICTURE_MOST_DPI; as SVG; as PDF.
 * HL_INVALID: more than HL_PICTURE_MOST_PIXELS; HL_NO_MEMORY; HL_FAILED with cairo's words; whatever `paint`
 * returns. On failure bytes may have been added. */
hl_status hl_picture_page_png(const hl_picture_page *page, double dpi, hl_text *bytes);
hl_status hl_picture_page_svg(const hl_picture_page *page, hl_text *bytes);
hl_status hl_picture_page_pdf(const hl_picture_page *page, hl_text *bytes);

/* What became of a drawing; `bytes` is where its content went. */
hl_status hl_picture_page_status(cairo_status_t status, const hl_text *bytes);

#endif
