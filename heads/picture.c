#include "heads/picture.h"

#include "heads/picture_paint.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <zlib.h>

static const double POINTS_PER_INCH = 72, METRES_PER_INCH = 0.0254;

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

/* `bytes` is where the surface's content went. */
static hl_status status_of(cairo_status_t status, const hl_text *bytes)
{
    HL_TRY(hl_text_status(bytes));
    switch (status) {
    case CAIRO_STATUS_SUCCESS:
        return hl_ok();
    case CAIRO_STATUS_NO_MEMORY:
        return hl_error_memory("a picture");
    case CAIRO_STATUS_INVALID_SIZE:
        return hl_error(HL_INVALID, "the picture is too large");
    default:
        return hl_error(HL_FAILED, "the picture cannot be drawn: %s", cairo_status_to_string(status));
    }
}

static cairo_status_t add_bytes(void *text, const unsigned char *bytes, unsigned length)
{
    hl_text_add(text, bytes, length);
    return hl_text_status(text).code == HL_OK ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* Measures on a surface that is not drawn on. */
static hl_status lay_out(const hl_picture *picture, hl_picture_layout *layout)
{
    HL_TRY(check(picture));
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cairo_t *cairo = cairo_create(surface);
    *layout = hl_picture_lay_out(picture, cairo);
    hl_status status = status_of(cairo_status(cairo), &(hl_text){ 0 });
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    return status;
}

static hl_status paint(const hl_picture *picture, const hl_picture_layout *layout, double scale,
                       cairo_surface_t *surface, const hl_text *bytes)
{
    cairo_t *cairo = cairo_create(surface);
    cairo_scale(cairo, scale, scale);
    hl_status status = hl_picture_paint(picture, layout, cairo);
    if (status.code == HL_OK) {
        status = status_of(cairo_status(cairo), bytes);
    }
    cairo_destroy(cairo);
    return status;
}

/* Draws on a surface that writes what it is given, and ends it. */
static hl_status write_page(const hl_picture *picture, const hl_picture_layout *layout, cairo_surface_t *surface,
                            const hl_text *bytes)
{
    hl_status status = paint(picture, layout, 1, surface, bytes);
    cairo_surface_finish(surface);
    if (status.code == HL_OK) {
        status = status_of(cairo_surface_status(surface), bytes);
    }
    cairo_surface_destroy(surface);
    return status;
}

static void put_big_endian(unsigned char bytes[4], uint32_t number)
{
    for (int i = 0; i < 4; i++) {
        bytes[i] = (unsigned char)(number >> (24 - 8 * i));
    }
}

/* Puts into the PNG that begins at `begin` what cairo leaves out: how large its pixels are (the chunk pHYs of the PNG
 * specification, 11.3.5.3), right behind the signature and the header. */
static hl_status note_resolution(hl_text *bytes, size_t begin, double dpi)
{
    enum { BEFORE = 8 + 25, CHUNK = 4 + 4 + 9 + 4 };
    unsigned char chunk[CHUNK] = { 0, 0, 0, 9, 'p', 'H', 'Y', 's', [16] = 1 };
    put_big_endian(chunk + 8, (uint32_t)lround(dpi / METRES_PER_INCH));
    put_big_endian(chunk + 12, (uint32_t)lround(dpi / METRES_PER_INCH));
    put_big_endian(chunk + 17, (uint32_t)crc32(0, chunk + 4, 13));
    hl_text_add(bytes, chunk, CHUNK); /* makes room */
    HL_TRY(hl_text_status(bytes));
    char *at = bytes->bytes + begin + BEFORE;
    memmove(at + CHUNK, at, bytes->size - CHUNK - begin - BEFORE);
    memcpy(at, chunk, CHUNK);
    return hl_ok();
}

static hl_status write_png(cairo_surface_t *surface, double dpi, hl_text *bytes)
{
    size_t begin = bytes->size;
    HL_TRY(status_of(cairo_surface_write_to_png_stream(surface, add_bytes, bytes), bytes));
    return note_resolution(bytes, begin, dpi);
}

hl_status hl_picture_png(const hl_picture *picture, double dpi, hl_text *bytes)
{
    if (!(dpi > 0 && dpi <= HL_PICTURE_MOST_DPI)) {
        return hl_error(HL_INVALID, "a picture of %g pixels an inch: above 0 and at most %d are possible", dpi,
                        HL_PICTURE_MOST_DPI);
    }
    hl_picture_layout layout;
    HL_TRY(lay_out(picture, &layout));
    double scale = dpi / POINTS_PER_INCH, width = ceil(layout.width * scale), height = ceil(layout.height * scale);
    if (fmax(width, height) > HL_PICTURE_MOST_PIXELS) {
        return hl_error(HL_INVALID, "a picture of %.0f x %.0f pixels: at most %d each way are possible", width, height,
                        HL_PICTURE_MOST_PIXELS);
    }
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
    hl_status status = paint(picture, &layout, scale, surface, bytes);
    if (status.code == HL_OK) {
        status = write_png(surface, dpi, bytes);
    }
    cairo_surface_destroy(surface);
    return status;
}

/* cairo 1.16 gives the drawing a number that counts all surfaces of the process, and nothing refers to it: takes the
 * number out, so that equal pictures are equal bytes. */
static void drop_surface_number(hl_text *bytes, size_t begin)
{
    static const char mark[] = "<g id=\"surface";
    char *found = strstr(bytes->bytes + begin, mark);
    if (found != NULL) {
        char *number = found + strlen(mark), *rest = number + strspn(number, "0123456789");
        memmove(number, rest, bytes->size - (size_t)(rest - bytes->bytes) + 1);
        bytes->size -= (size_t)(rest - number);
    }
}

hl_status hl_picture_svg(const hl_picture *picture, hl_text *bytes)
{
    hl_picture_layout layout;
    HL_TRY(lay_out(picture, &layout));
    size_t begin = bytes->size;
    cairo_surface_t *surface = cairo_svg_surface_create_for_stream(add_bytes, bytes, layout.width, layout.height);
    HL_TRY(write_page(picture, &layout, surface, bytes));
    drop_surface_number(bytes, begin);
    return hl_ok();
}

hl_status hl_picture_pdf(const hl_picture *picture, hl_text *bytes)
{
    hl_picture_layout layout;
    HL_TRY(lay_out(picture, &layout));
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(add_bytes, bytes, layout.width, layout.height);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, NULL);
    return write_page(picture, &layout, surface, bytes);
}
