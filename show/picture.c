#include "show/picture.h"

#include "show/drawing.h"
#include "show/private/picture_paint.h"

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

/* A picture and its layout. */
typedef struct laid_out {
    const hl_picture *picture;
    hl_picture_layout layout;
} laid_out;

static hl_status paint(const void *context, cairo_t *cairo)
{
    const laid_out *p = context;
    return hl_picture_paint(p->picture, &p->layout, cairo);
}

static hl_drawing drawing_of(const laid_out *p)
{
    return (hl_drawing){ .width = p->layout.width, .height = p->layout.height, .paint = paint, .context = p };
}

hl_status hl_picture_png(const hl_picture *picture, double dpi, hl_text *bytes)
{
    laid_out p = { .picture = picture };
    HL_TRY(hl_drawing_check_dpi(dpi));
    HL_TRY(lay_out(picture, &p.layout));
    hl_drawing drawing = drawing_of(&p);
    return hl_drawing_png(&drawing, dpi, bytes);
}

hl_status hl_picture_svg(const hl_picture *picture, hl_text *bytes)
{
    laid_out p = { .picture = picture };
    HL_TRY(lay_out(picture, &p.layout));
    hl_drawing drawing = drawing_of(&p);
    return hl_drawing_svg(&drawing, bytes);
}

hl_status hl_picture_pdf(const hl_picture *picture, hl_text *bytes)
{
    laid_out p = { .picture = picture };
    HL_TRY(lay_out(picture, &p.layout));
    hl_drawing drawing = drawing_of(&p);
    return hl_drawing_pdf(&drawing, bytes);
}
