#include "heads/picture_page.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

static const double POINTS_PER_INCH = 72, METRES_PER_INCH = 0.0254;

hl_status hl_picture_page_status(cairo_status_t status, const hl_text *bytes)
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

static hl_status paint(const hl_picture_page *page, double scale, cairo_surface_t *surface, const hl_text *bytes)
{
    cairo_t *cairo = cairo_create(surface);
    cairo_scale(cairo, scale, scale);
    hl_status status = page->paint(page->drawing, cairo);
    if (status.code == HL_OK) {
        status = hl_picture_page_status(cairo_status(cairo), bytes);
    }
    cairo_destroy(cairo);
    return status;
}

/* Draws on a surface that writes what it is given, and ends it. */
static hl_status write_page(const hl_picture_page *page, cairo_surface_t *surface, const hl_text *bytes)
{
    hl_status status = paint(page, 1, surface, bytes);
    cairo_surface_finish(surface);
    if (status.code == HL_OK) {
        status = hl_picture_page_status(cairo_surface_status(surface), bytes);
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
    HL_TRY(hl_picture_page_status(cairo_surface_write_to_png_stream(surface, add_bytes, bytes), bytes));
    return note_resolution(bytes, begin, dpi);
}

hl_status hl_picture_page_png(const hl_picture_page *page, double dpi, hl_text *bytes)
{
    double scale = dpi / POINTS_PER_INCH, width = ceil(page->width * scale), height = ceil(page->height * scale);
    if (fmax(width, height) > HL_PICTURE_MOST_PIXELS) {
        return hl_error(HL_INVALID, "a picture of %.0f x %.0f pixels: at most %d each way are possible", width, height,
                        HL_PICTURE_MOST_PIXELS);
    }
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
    hl_status status = paint(page, scale, surface, bytes);
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

hl_status hl_picture_page_svg(const hl_picture_page *page, hl_text *bytes)
{
    size_t begin = bytes->size;
    HL_TRY(write_page(page, cairo_svg_surface_create_for_stream(add_bytes, bytes, page->width, page->height), bytes));
    drop_surface_number(bytes, begin);
    return hl_ok();
}

hl_status hl_picture_page_pdf(const hl_picture_page *page, hl_text *bytes)
{
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(add_bytes, bytes, page->width, page->height);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, NULL);
    return write_page(page, surface, bytes);
}
