#include "show/drawing.h"

#include "core/base/memory.h"
#include "show/picture.h"
#include "show/picture_pen.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <string.h>
#include <zlib.h>

/* The dark paper has the colour of the panels of the pages (show/report/dark.css). */
static const hl_pen_colour PAPER = { 1, 1, 1 }, DARK_PAPER = { 0x1d / 255.0, 0x23 / 255.0, 0x27 / 255.0 };
static const double POINTS_PER_INCH = 72, METRES_PER_INCH = 0.0254;

hl_status hl_drawing_status(int status)
{
    switch (status) {
    case CAIRO_STATUS_SUCCESS:
        return hl_ok();
    case CAIRO_STATUS_NO_MEMORY:
    case CAIRO_STATUS_PNG_ERROR: /* libpng is out of memory; the size, which it would also refuse, was checked before */
        return hl_error_memory("a picture");
    case CAIRO_STATUS_INVALID_SIZE:
        return hl_error(HL_INVALID, "the picture is too large");
    default:
        return hl_error(HL_FAILED, "the picture cannot be drawn: %s", cairo_status_to_string((cairo_status_t)status));
    }
}

/* The failure of `bytes`, to which the surface's content was written, or else that of cairo. */
static hl_status status_of(cairo_status_t status, const hl_text *bytes)
{
    HL_TRY(hl_text_status(bytes));
    return hl_drawing_status(status);
}

static cairo_status_t add_bytes(void *text, const unsigned char *bytes, unsigned length)
{
    hl_text_add(text, bytes, length);
    return hl_text_status(text).code == HL_OK ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static hl_status paint(const hl_drawing *drawing, double scale, cairo_surface_t *surface, const hl_text *bytes)
{
    /* At the first text fontconfig reads all its fonts and settings; out of memory it crashes, does not end, or draws
     * without fonts. */
    HL_NEED(hl_memory_has(HL_MEMORY_RESERVE), "a picture");
    cairo_t *cairo = cairo_create(surface);
    cairo_scale(cairo, scale, scale);
    hl_pen_use(cairo, drawing->dark ? DARK_PAPER : PAPER);
    cairo_paint(cairo);
    hl_status status = drawing->paint(drawing->context, cairo);
    HL_THEN(status, status_of(cairo_status(cairo), bytes));
    cairo_destroy(cairo);
    return status;
}

/* Draws on a surface that writes to `bytes`, and destroys it. `end`: the last bytes of every file of its format. */
static hl_status write_page(const hl_drawing *drawing, cairo_surface_t *surface, const char *end, const hl_text *bytes)
{
    hl_status status = paint(drawing, 1, surface, bytes);
    cairo_surface_finish(surface);
    HL_THEN(status, status_of(cairo_surface_status(surface), bytes));
    cairo_surface_destroy(surface);
    HL_TRY(status);
    /* Out of memory, cairo may drop the end of the file and report no error. */
    size_t length = strlen(end);
    return bytes->size >= length && memcmp(bytes->bytes + bytes->size - length, end, length) == 0
               ? hl_ok()
               : hl_error_memory("a picture");
}

static void put_big_endian(unsigned char bytes[4], uint32_t number)
{
    for (int i = 0; i < 4; i++) {
        bytes[i] = (unsigned char)(number >> (24 - 8 * i));
    }
}

/* Inserts the size of the pixels, which cairo leaves out, into the PNG that begins at `begin`: the chunk pHYs of the
 * PNG specification, 11.3.5.3, behind signature and header. */
static hl_status note_resolution(hl_text *bytes, size_t begin, double dpi)
{
    enum { BEFORE = 8 + 25, CHUNK = 4 + 4 + 9 + 4 };
    unsigned char chunk[CHUNK] = { 0, 0, 0, 9, 'p', 'H', 'Y', 's', [16] = 1 };
    put_big_endian(chunk + 8, (uint32_t)lround(dpi / METRES_PER_INCH));
    put_big_endian(chunk + 12, (uint32_t)lround(dpi / METRES_PER_INCH));
    put_big_endian(chunk + 17, (uint32_t)crc32(0, chunk + 4, 13));
    hl_text_add(bytes, chunk, CHUNK); /* makes the text longer; the content is moved below */
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

hl_status hl_drawing_check_dpi(double dpi)
{
    return dpi > 0 && dpi <= HL_PICTURE_MOST_DPI
               ? hl_ok()
               : hl_error(HL_INVALID, "a picture of %g pixels an inch: above 0 and at most %d are possible", dpi,
                          HL_PICTURE_MOST_DPI);
}

static double pixels_of(double points, double dpi)
{
    return ceil(points * (dpi / POINTS_PER_INCH));
}

size_t hl_drawing_pixel_bytes(double width, double height, double dpi)
{
    double across = pixels_of(width, dpi), down = pixels_of(height, dpi);
    return fmax(across, down) <= HL_PICTURE_MOST_PIXELS ? (size_t)(across * down) * sizeof(uint32_t) : 0;
}

static hl_status print_png(const hl_drawing *drawing, double dpi, hl_text *bytes)
{
    HL_TRY(hl_drawing_check_dpi(dpi));
    double width = pixels_of(drawing->width, dpi), height = pixels_of(drawing->height, dpi);
    if (fmax(width, height) > HL_PICTURE_MOST_PIXELS) {
        return hl_error(HL_INVALID, "a picture of %.0f x %.0f pixels: at most %d each way are possible", width, height,
                        HL_PICTURE_MOST_PIXELS);
    }
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
    hl_status status = paint(drawing, dpi / POINTS_PER_INCH, surface, bytes);
    HL_THEN(status, write_png(surface, dpi, bytes));
    cairo_surface_destroy(surface);
    return status;
}

hl_status hl_drawing_print(const hl_drawing *drawing, hl_picture_format format, double dpi, hl_text *bytes)
{
    if (format == HL_PNG) {
        return print_png(drawing, dpi, bytes);
    }
    if (format == HL_PDF) {
        cairo_surface_t *page = cairo_pdf_surface_create_for_stream(add_bytes, bytes, drawing->width, drawing->height);
        cairo_pdf_surface_set_metadata(page, CAIRO_PDF_METADATA_CREATE_DATE, NULL);
        return write_page(drawing, page, "%%EOF\n", bytes);
    }
    size_t begin = bytes->size;
    cairo_surface_t *surface = cairo_svg_surface_create_for_stream(add_bytes, bytes, drawing->width, drawing->height);
    HL_TRY(write_page(drawing, surface, "</svg>\n", bytes));
    /* The number that cairo 1.16 gives the drawing is removed, so that equal pictures have equal bytes: it counts all
     * surfaces of the process, and nothing refers to it. */
    static const char mark[] = "<g id=\"surface";
    char *found = strstr(bytes->bytes + begin, mark);
    if (found != NULL) {
        char *number = found + strlen(mark), *rest = number + strspn(number, "0123456789");
        memmove(number, rest, bytes->size - (size_t)(rest - bytes->bytes) + 1);
        bytes->size -= (size_t)(rest - number);
    }
    return hl_ok();
}
