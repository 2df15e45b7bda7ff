#include "show/bar_picture.h"

#include "show/picture_pen.h"

#include <cairo.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Points. */
static const double WIDTH = 430, LEFT = 96, RIGHT = 14, NUMBER = 34, TITLE = 20, ROW = 14, BAR = 9, LINE = 14;
static const double TITLE_SIZE = 9, TEXT_SIZE = 7.5;

static void write(cairo_t *cairo, const char *words, double x, double y, double width, double align)
{
    hl_pen_line line = hl_pen_fit(cairo, words, width);
    cairo_set_source_rgb(cairo, 0.15, 0.15, 0.15);
    hl_pen_draw(cairo, &line, x, y, align, false);
    cairo_new_path(cairo); /* else the next line would begin at the end of the text */
}

/* The axis goes from the least to the largest end of bars, and includes 0. */
typedef struct axis {
    double from, to;
} axis;

static axis axis_of(const hl_bar_picture *p)
{
    axis a = { 0, 0 };
    for (int64_t i = 0; i < p->n_bars; i++) {
        double error = isfinite(p->bars[i].error) ? p->bars[i].error : 0;
        a.from = fmin(a.from, p->bars[i].value - error);
        a.to = fmax(a.to, p->bars[i].value + error);
    }
    a.to += a.to > a.from ? 0 : 1;
    return a;
}

/* On both sides there is room for a number. */
static double x_of(axis a, double value)
{
    return LEFT + NUMBER + (WIDTH - LEFT - RIGHT - 2 * NUMBER) * (value - a.from) / (a.to - a.from);
}

static void draw_bar(cairo_t *cairo, axis a, const hl_bar *bar, double top)
{
    double zero = x_of(a, 0), end = x_of(a, bar->value), middle = top + ROW / 2, base = middle + TEXT_SIZE / 3;
    if (bar->value < 0) {
        cairo_set_source_rgb(cairo, 0.80, 0.40, 0.10);
    } else {
        cairo_set_source_rgb(cairo, 0.07, 0.27, 0.45);
    }
    cairo_rectangle(cairo, fmin(zero, end), middle - BAR / 2, fabs(end - zero), BAR);
    cairo_fill(cairo);
    double error = isfinite(bar->error) ? bar->error : 0, outer = end;
    if (error > 0) {
        outer = x_of(a, bar->value + (bar->value < 0 ? -error : error));
        cairo_set_source_rgb(cairo, 0.55, 0.55, 0.55);
        cairo_set_line_width(cairo, 1.2);
        cairo_move_to(cairo, x_of(a, bar->value - error), middle);
        cairo_line_to(cairo, x_of(a, bar->value + error), middle);
        cairo_stroke(cairo);
    }
    char number[32];
    snprintf(number, sizeof number, "%.2f", fabs(bar->value) < 0.005 ? 0 : bar->value);
    write(cairo, number, outer + (bar->value < 0 ? -3 : 3), base, NUMBER, bar->value < 0 ? 1 : 0);
    write(cairo, bar->name, LEFT, base, LEFT - 4, 1);
}

static double bottom_of(const hl_bar_picture *p)
{
    return TITLE + ROW * (double)p->n_bars;
}

static hl_status paint(const void *context, cairo_t *cairo)
{
    const hl_bar_picture *p = context;
    axis a = axis_of(p);
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    hl_pen_font(cairo, TITLE_SIZE);
    write(cairo, p->title, LEFT, TITLE - 7, WIDTH - LEFT - RIGHT, 0);
    hl_pen_font(cairo, TEXT_SIZE);
    for (int64_t i = 0; i < p->n_bars; i++) {
        draw_bar(cairo, a, &p->bars[i], TITLE + ROW * (double)i);
    }
    cairo_set_source_rgb(cairo, 0.3, 0.3, 0.3);
    cairo_set_line_width(cairo, 0.8);
    cairo_move_to(cairo, x_of(a, 0), TITLE);
    cairo_line_to(cairo, x_of(a, 0), bottom_of(p));
    cairo_stroke(cairo);
    if (p->caption != NULL) {
        write(cairo, p->caption, 4, bottom_of(p) + LINE - 4, WIDTH - 8, 0);
    }
    return hl_ok();
}

hl_status hl_bar_picture_print(const hl_bar_picture *p, hl_picture_format format, double dpi, hl_text *bytes)
{
    if (p->n_bars < 1 || p->n_bars > HL_BAR_MOST) {
        return hl_error(HL_INVALID, "a chart of bars needs 1 .. %d bars", HL_BAR_MOST);
    }
    for (int64_t i = 0; i < p->n_bars; i++) {
        if (!isfinite(p->bars[i].value)) {
            return hl_error(HL_INVALID, "a chart of bars cannot show %g in row %" PRId64, p->bars[i].value, i);
        }
    }
    double height = bottom_of(p) + (p->caption != NULL ? LINE : 4);
    hl_drawing drawing = { .width = WIDTH, .height = height, .paint = paint, .context = p };
    return hl_drawing_print(&drawing, format, dpi, bytes);
}
