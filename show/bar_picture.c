#include "show/bar_picture.h"

#include "show/picture_pen.h"

#include <cairo.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Points. */
static const double WIDTH = 430, LEFT = 96, RIGHT = 14, NUMBER = 34, TITLE = 20, ROW = 14, BAR = 9, LINE = 14;
static const double TITLE_SIZE = 9, TEXT_SIZE = 7.5;
static const hl_pen_colour LETTERS = { 0.15, 0.15, 0.15 }, BELOW = { 0.80, 0.40, 0.10 }, ABOVE = { 0.07, 0.27, 0.45 },
                           ERROR = { 0.55, 0.55, 0.55 }, ZERO = { 0.3, 0.3, 0.3 };

static void write(cairo_t *cairo, const char *words, double x, double y, double width, double align)
{
    hl_pen_use(cairo, LETTERS);
    hl_pen_write(cairo, words, width, x, y, align, false);
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
    hl_pen_use(cairo, bar->value < 0 ? BELOW : ABOVE);
    cairo_rectangle(cairo, fmin(zero, end), middle - BAR / 2, fabs(end - zero), BAR);
    cairo_fill(cairo);
    double error = isfinite(bar->error) ? bar->error : 0, outer = end;
    if (error > 0) {
        outer = x_of(a, bar->value + (bar->value < 0 ? -error : error));
        hl_pen_use(cairo, ERROR);
        cairo_set_line_width(cairo, 1.2);
        hl_pen_stroke(cairo, x_of(a, bar->value - error), middle, x_of(a, bar->value + error), middle);
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
    hl_pen_font(cairo, TITLE_SIZE);
    write(cairo, p->title, LEFT, TITLE - 7, WIDTH - LEFT - RIGHT, 0);
    hl_pen_font(cairo, TEXT_SIZE);
    for (int64_t i = 0; i < p->n_bars; i++) {
        draw_bar(cairo, a, &p->bars[i], TITLE + ROW * (double)i);
    }
    hl_pen_use(cairo, ZERO);
    cairo_set_line_width(cairo, 0.8);
    hl_pen_stroke(cairo, x_of(a, 0), TITLE, x_of(a, 0), bottom_of(p));
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
