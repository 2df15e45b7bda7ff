#include "heads/picture.h"

#include "heads/picture_page.h"
#include "heads/picture_paint.h"

#include <stddef.h>

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

/* Measures on a surface that is not drawn on. */
static hl_status lay_out(const hl_picture *picture, hl_picture_layout *layout)
{
    HL_TRY(check(picture));
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cairo_t *cairo = cairo_create(surface);
    *layout = hl_picture_lay_out(picture, cairo);
    hl_status status = hl_picture_page_status(cairo_status(cairo), &(hl_text){ 0 });
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    return status;
}

/* A picture and where everything in it stands. */
typedef struct drawing {
    const hl_picture *picture;
    hl_picture_layout layout;
} drawing;

static hl_status paint(const void *context, cairo_t *cairo)
{
    const drawing *d = context;
    return hl_picture_paint(d->picture, &d->layout, cairo);
}

static hl_picture_page page_of(const drawing *d)
{
    return (hl_picture_page){ .width = d->layout.width, .height = d->layout.height, .paint = paint, .drawing = d };
}

hl_status hl_picture_png(const hl_picture *picture, double dpi, hl_text *bytes)
{
    if (!(dpi > 0 && dpi <= HL_PICTURE_MOST_DPI)) {
        return hl_error(HL_INVALID, "a picture of %g pixels an inch: above 0 and at most %d are possible", dpi,
                        HL_PICTURE_MOST_DPI);
    }
    drawing d = { .picture = picture };
    HL_TRY(lay_out(picture, &d.layout));
    hl_picture_page page = page_of(&d);
    return hl_picture_page_png(&page, dpi, bytes);
}

hl_status hl_picture_svg(const hl_picture *picture, hl_text *bytes)
{
    drawing d = { .picture = picture };
    HL_TRY(lay_out(picture, &d.layout));
    hl_picture_page page = page_of(&d);
    return hl_picture_page_svg(&page, bytes);
}

hl_status hl_picture_pdf(const hl_picture *picture, hl_text *bytes)
{
    drawing d = { .picture = picture };
    HL_TRY(lay_out(picture, &d.layout));
    hl_picture_page page = page_of(&d);
    return hl_picture_page_pdf(&page, bytes);
}
