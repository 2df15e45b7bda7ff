#include "show/curve_picture.h"

#include "show/picture_pen.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Points. */
static const double WIDTH = 430, LEFT = 48, RIGHT = 14, TITLE = 20, CHART = 96, GAP = 10, TURNED_SPACE = 48, LINE = 11;
static const double TITLE_SIZE = 9, TEXT_SIZE = 7.5, DOT = 2.1, TICK = 4;

static const hl_pen_colour INK = { 0.07, 0.27, 0.45 }, PALE = { 0.55, 0.72, 0.86 }, GRID = { 0.86, 0.86, 0.86 },
                           LETTERS = { 0.15, 0.15, 0.15 };

/* ---- places ---- */

static double chart_width(void)
{
    return WIDTH - LEFT - RIGHT;
}

/* The place of a row on the axis; a single row is in the middle. */
static double x_of(const hl_curve_picture *p, int64_t row)
{
    double inset = 8, fraction = p->n_rows > 1 ? (double)row / (double)(p->n_rows - 1) : 0.5;
    return LEFT + inset + fraction * (chart_width() - 2 * inset);
}

static size_t longest_name(const hl_curve_picture *p)
{
    size_t most = 0;
    for (int64_t i = 0; i < p->n_rows; i++) {
        size_t length = strlen(p->rows[i].name);
        most = length > most ? length : most;
    }
    return most;
}

/* Short names, such as numbers, stand upright. */
static bool is_turned(const hl_curve_picture *p)
{
    enum { UPRIGHT = 3 };
    return longest_name(p) > UPRIGHT;
}

static double row_space(const hl_curve_picture *p)
{
    return is_turned(p) ? TURNED_SPACE : TICK + LINE;
}

static double top_of(int curve)
{
    return TITLE + curve * (CHART + TITLE + GAP);
}

/* ---- the axis of values: from 0 to a round number, in round steps ---- */

typedef struct scale {
    double step; /* 1, 2 or 5 times a power of ten */
    int n_steps;
} scale;

static scale scale_of(const hl_curve_picture *p, const hl_curve *curve)
{
    enum { MOST_STEPS = 5 };
    double largest = 0;
    for (int64_t i = 0; i < p->n_rows; i++) {
        largest = fmax(largest, curve->values[i]);
    }
    for (int64_t i = 0; i < curve->n_dots; i++) {
        largest = fmax(largest, curve->dots[i].value);
    }
    if (!(largest > 0)) {
        return (scale){ 1, 1 };
    }
    static const double round[] = { 1, 2, 5, 10 };
    double power = pow(10, floor(log10(largest / MOST_STEPS)));
    int i = 0;
    while (i < 3 && ceil(largest / (power * round[i]) - 1e-9) > MOST_STEPS) {
        i++;
    }
    double step = power * round[i];
    return (scale){ step, (int)fmax(1, ceil(largest / step - 1e-9)) };
}

static double y_of(scale s, int curve, double value)
{
    return top_of(curve) + CHART * (1 - value / (s.step * s.n_steps));
}

/* ---- drawing ---- */

static void write(cairo_t *cairo, const char *words, double x, double y, double align, bool upwards)
{
    hl_pen_write(cairo, words, upwards ? TURNED_SPACE - 2 : WIDTH - LEFT, x, y, align, upwards);
}

static void draw_grid(cairo_t *cairo, int curve, scale s)
{
    hl_pen_font(cairo, TEXT_SIZE);
    cairo_set_line_width(cairo, 0.6);
    for (int i = 0; i <= s.n_steps; i++) {
        char number[32];
        snprintf(number, sizeof number, "%.4g", i * s.step);
        double y = y_of(s, curve, i * s.step);
        hl_pen_use(cairo, GRID);
        hl_pen_stroke(cairo, LEFT, y, WIDTH - RIGHT, y);
        hl_pen_use(cairo, LETTERS);
        write(cairo, number, LEFT - TICK, y + TEXT_SIZE / 3, 1, false);
    }
}

static void draw_curve(cairo_t *cairo, const hl_curve_picture *p, int index)
{
    const hl_curve *curve = &p->curves[index];
    scale s = scale_of(p, curve);
    draw_grid(cairo, index, s);
    hl_pen_font(cairo, TITLE_SIZE);
    write(cairo, curve->name, LEFT, top_of(index) - 6, 0, false);
    hl_pen_use(cairo, PALE);
    for (int64_t i = 0; i < curve->n_dots; i++) {
        hl_pen_dot(cairo, x_of(p, curve->dots[i].row), y_of(s, index, curve->dots[i].value), DOT);
    }
    hl_pen_use(cairo, INK);
    cairo_set_line_width(cairo, 1.3);
    for (int64_t i = 0; i < p->n_rows; i++) {
        cairo_line_to(cairo, x_of(p, i), y_of(s, index, curve->values[i]));
    }
    cairo_stroke(cairo);
    for (int64_t i = 0; i < p->n_rows; i++) {
        hl_pen_dot(cairo, x_of(p, i), y_of(s, index, curve->values[i]), DOT);
    }
}

/* The rows' names below the last chart; where they would overlap, every second, third, ... of them. */
static void draw_rows(cairo_t *cairo, const hl_curve_picture *p)
{
    double bottom = top_of(p->n_curves - 1) + CHART, space = chart_width() / (double)p->n_rows;
    bool turned = is_turned(p);
    double room = turned ? TEXT_SIZE + 1 : 1 + TEXT_SIZE * (double)longest_name(p);
    int64_t step = (int64_t)ceil(room / space);
    hl_pen_font(cairo, TEXT_SIZE);
    hl_pen_use(cairo, LETTERS);
    for (int64_t i = 0; i < p->n_rows; i += step) {
        if (turned) {
            write(cairo, p->rows[i].name, x_of(p, i) + TEXT_SIZE / 3, bottom + TICK, 1, true);
        } else {
            write(cairo, p->rows[i].name, x_of(p, i), bottom + TICK + TEXT_SIZE, 0.5, false);
        }
    }
    write(cairo, p->axis, LEFT + chart_width() / 2, bottom + row_space(p) + LINE - 3, 0.5, false);
    if (p->caption != NULL) {
        write(cairo, p->caption, LEFT, bottom + row_space(p) + 2 * LINE, 0, false);
    }
}

static hl_status paint(const void *context, cairo_t *cairo)
{
    const hl_curve_picture *p = context;
    for (int c = 0; c < p->n_curves; c++) {
        draw_curve(cairo, p, c);
    }
    draw_rows(cairo, p);
    return hl_ok();
}

/* ---- files ---- */

static hl_status check(const hl_curve_picture *p)
{
    if (p->n_curves < 1 || p->n_rows < 1 || p->n_rows > HL_CURVE_MOST_ROWS) {
        return hl_error(HL_INVALID, "a chart needs a curve, and 1 .. %d rows", HL_CURVE_MOST_ROWS);
    }
    for (int c = 0; c < p->n_curves; c++) {
        for (int64_t i = 0; i < p->n_rows; i++) {
            double value = p->curves[c].values[i];
            if (!(value >= 0 && isfinite(value))) {
                return hl_error(HL_INVALID, "a chart of %s cannot show %g in row %lld", p->curves[c].name, value,
                                (long long)i);
            }
        }
        for (int64_t i = 0; i < p->curves[c].n_dots; i++) {
            hl_curve_dot dot = p->curves[c].dots[i];
            if (!(dot.value >= 0 && isfinite(dot.value) && dot.row >= 0 && dot.row < p->n_rows)) {
                return hl_error(HL_INVALID, "a chart of %s cannot show a dot at %g in row %lld", p->curves[c].name,
                                dot.value, (long long)dot.row);
            }
        }
    }
    return hl_ok();
}

hl_status hl_curve_picture_print(const hl_curve_picture *p, hl_picture_format format, double dpi, hl_text *bytes)
{
    HL_TRY(check(p));
    double height = top_of(p->n_curves - 1) + CHART + row_space(p) + LINE + (p->caption != NULL ? LINE + 4 : 0);
    hl_drawing drawing = { .width = WIDTH, .height = height, .paint = paint, .context = p };
    return hl_drawing_print(&drawing, format, dpi, bytes);
}
