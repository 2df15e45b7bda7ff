#include "show/picture.h"

#include "show/colour.h"
#include "show/private/picture_layout.h"

#include <math.h>

static hl_status check(const hl_picture *picture)
{
    int64_t n = 0;
    if (picture->n_rows < 1) {
        return hl_error(HL_INVALID, "a picture needs at least one head");
    }
    for (int64_t r = 0; r < picture->n_rows; r++) {
        int64_t length = picture->row_lengths[r];
        if (length < 1) {
            return hl_error(HL_INVALID, "a picture needs at least one head in every row: row %lld has %lld",
                            (long long)r, (long long)length);
        }
        if (length > HL_PICTURE_MOST_PANELS - n) {
            return hl_error(HL_INVALID, "a picture shows at most %d heads", HL_PICTURE_MOST_PANELS);
        }
        for (int64_t i = n; i < n + length; i++) {
            HL_TRY(hl_panel_check(&picture->panels[i]));
        }
        n += length;
    }
    return hl_ok();
}

/* Computes the layout, with a surface that serves to measure texts alone. */
static hl_status lay_out(const hl_picture *picture, hl_picture_layout *layout)
{
    HL_TRY(check(picture));
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cairo_t *cairo = cairo_create(surface);
    *layout = hl_picture_lay_out(picture, cairo);
    hl_status status = hl_drawing_status(cairo_status(cairo));
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    return status;
}

hl_status hl_picture_print(const hl_picture *picture, hl_picture_format format, double dpi, hl_text *bytes)
{
    hl_picture_layout layout;
    HL_TRY(lay_out(picture, &layout));
    hl_drawing drawing = { .width = layout.width,
                           .height = layout.height,
                           .paint = hl_picture_paint,
                           .context = &layout,
                           .dark = picture->dark };
    return hl_drawing_print(&drawing, format, dpi, bytes);
}

/* As measured with cairo 1.16: its code, the fonts that fontconfig lists, the letters drawn. */
static const double LIBRARIES = 3 << 20;

/* What cairo keeps of a map until a page ends: its words, an outline for each colour, a rectangle for each cell. Each
 * query's weights sum to 1, and k colours need cells that sum to at least k (k + 1) / 2 of HL_COLOUR_LEVELS. */
static double kept_of(const hl_panel *panel, double *svg)
{
    const double words = 10240, colour = 300, cell = 16, svg_words = 2048, svg_colour = 100, svg_cell = 34;
    double rows = (double)hl_at_most(panel->n_queries, HL_PICTURE_MOST_CELLS),
           cells = rows * (double)hl_at_most(panel->n_keys, HL_PICTURE_MOST_CELLS),
           colours = fmin(sqrt(2 * HL_COLOUR_LEVELS * rows), HL_COLOUR_LEVELS);
    *svg = svg_words + colours * svg_colour + cells * svg_cell;
    return words + colours * colour + cells * cell;
}

hl_status hl_picture_memory_of(const hl_picture *picture, double dpi, hl_picture_memory *memory)
{
    hl_picture_layout layout;
    HL_TRY(hl_drawing_check_dpi(dpi));
    HL_TRY(lay_out(picture, &layout));
    double kept = 0, text = 0;
    for (hl_picture_slot slot = { 0 }; hl_picture_next(&layout, &slot);) {
        double svg;
        kept += kept_of(slot.panel, &svg);
        text += svg;
    }
    size_t pixels = hl_drawing_pixel_bytes(layout.width, layout.height, dpi);
    *memory =
        (hl_picture_memory){ .png = pixels > 0 ? (size_t)LIBRARIES + pixels : 0,
                             .svg = (size_t)(LIBRARIES + kept + 2 * text), /* cairo holds it, too, until it ends */
                             .pdf = (size_t)(LIBRARIES + kept) };
    return hl_ok();
}
