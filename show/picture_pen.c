#include "show/picture_pen.h"

#include "core/base/shown_text.h"

#include <cairo.h>
#include <fontconfig/fontconfig.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static const char ELLIPSIS[] = "\xe2\x80\xa6";

static const char *font_file; /* set before any thread begins */

void hl_pen_font_file(const char *path)
{
    font_file = path;
}

void hl_pen_font(cairo_t *cairo, double size)
{
    /* The font of the wheel replaces those of the system, once. Where that fails, these are used. */
    FcConfig *config = font_file != NULL ? FcConfigCreate() : NULL;
    if (config != NULL && FcConfigAppFontAddFile(config, (const FcChar8 *)font_file)) {
        FcConfigSetCurrent(config); /* which refers to it until the end */
    } else if (config != NULL) {
        FcConfigDestroy(config);
    }
    font_file = NULL;
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(cairo, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, size);
}

void hl_pen_use(cairo_t *cairo, hl_pen_colour colour)
{
    cairo_set_source_rgb(cairo, colour.red, colour.green, colour.blue);
}

void hl_pen_stroke(cairo_t *cairo, double x0, double y0, double x1, double y1)
{
    cairo_move_to(cairo, x0, y0);
    cairo_line_to(cairo, x1, y1);
    cairo_stroke(cairo);
}

void hl_pen_dot(cairo_t *cairo, double x, double y, double radius)
{
    cairo_arc(cairo, x, y, radius, 0, 4 * acos(0));
    cairo_fill(cairo);
}

static double advance(cairo_t *cairo, const char *bytes)
{
    cairo_text_extents_t extents;
    cairo_text_extents(cairo, bytes, &extents);
    return extents.x_advance;
}

/* A place in a line where it may end. */
typedef struct place {
    size_t length;
    double width;
    const char *rest;
} place;

static void end_at(hl_pen_line *line, place end)
{
    line->bytes[end.length] = '\0';
    line->width = end.width;
}

const char *hl_pen_split(cairo_t *cairo, const char *text, double width, bool last, hl_pen_line *line)
{
    double ellipsis = advance(cairo, ELLIPSIS);
    place now = { .rest = text }, cut = now, space = now;
    hl_shown shown;
    for (const char *rest; (rest = hl_shown_next(now.rest, false, &shown)) != NULL; now.rest = rest) {
        size_t length = strlen(shown.bytes);
        if (shown.bytes[0] == ' ') {
            space = now;
        }
        double wider = now.width + advance(cairo, shown.bytes);
        if (wider > width || now.length + length + sizeof ELLIPSIS > sizeof line->bytes) {
            bool whole_words = !last && space.length > 0;
            end_at(line, whole_words ? space : cut);
            if (whole_words) {
                return space.rest + 1;
            }
            memcpy(line->bytes + cut.length, ELLIPSIS, sizeof ELLIPSIS);
            line->width += ellipsis;
            return NULL;
        }
        memcpy(line->bytes + now.length, shown.bytes, length);
        now.length += length;
        now.width = wider;
        if (wider + ellipsis <= width) {
            cut = (place){ now.length, now.width, NULL };
        }
    }
    end_at(line, now);
    return NULL;
}

hl_pen_line hl_pen_fit(cairo_t *cairo, const char *text, double width)
{
    hl_pen_line line;
    hl_pen_split(cairo, text, width, true, &line);
    return line;
}

int hl_pen_count_lines(cairo_t *cairo, const char *text, double width, int most)
{
    int n = 0;
    hl_pen_line line;
    while (text != NULL && n < most) {
        text = hl_pen_split(cairo, text, width, ++n == most, &line);
    }
    return n;
}

void hl_pen_draw(cairo_t *cairo, const hl_pen_line *line, double x, double y, double align, bool upwards)
{
    cairo_save(cairo);
    cairo_translate(cairo, x, y);
    if (upwards) {
        cairo_rotate(cairo, -acos(0));
    }
    cairo_move_to(cairo, -align * line->width, 0);
    cairo_show_text(cairo, line->bytes);
    cairo_restore(cairo);
}

void hl_pen_write(cairo_t *cairo, const char *text, double width, double x, double y, double align, bool upwards)
{
    hl_pen_line line = hl_pen_fit(cairo, text, width);
    hl_pen_draw(cairo, &line, x, y, align, upwards);
    cairo_new_path(cairo); /* else the next line would begin at the end of the text */
}
