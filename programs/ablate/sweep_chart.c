#include "programs/ablate/sweep_chart.h"

#include "show/picture_pen.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>

enum { MOST_CAPTION_LINES = 4, MOST_ROWS = 2000, MOST_PIXELS = 32000 /* cairo takes some more */, TICKS = 5 };

/* In points. */
static const double TEXT = 8, LINE = 11, ROW = 18, PLOT = 170, GAP = 36, MARGIN = 8, WIDEST_NAME = 200, DOT = 1.6,
                    MEAN = 3;

/* Colours that colour-blind readers tell apart (Okabe and Ito); shapes differ too: the base's mean is a square. */
static const hl_pen_colour INK = { 0.1, 0.1, 0.1 }, FRAME = { 0.75, 0.75, 0.75 }, POINT = { 0.55, 0.55, 0.55 },
                           OTHER = { 0, 0.447, 0.698 }, BASE = { 0.835, 0.369, 0 };

/* From left to right, or from top to bottom. */
enum { PANELS = 2 };
static const struct {
    hl_ablate_measure of;
    const char *title;
    double unit, most;
} panels[PANELS] = {
    { .of = HL_ABLATE_LOSS, .title = "validation loss", .unit = 1, .most = INFINITY },
    { .of = HL_ABLATE_ACCURACY, .title = "accuracy (%)", .unit = 100, .most = 100 },
};

typedef struct axis {
    double low, high, step;
} axis;

typedef struct layout {
    const hl_sweep_chart *chart;
    double names, width, height; /* names: the room for them */
    double panels_height;        /* of all rows, axes and titles */
    int caption_lines;
    axis axes[PANELS];
} layout;

/* ---- axes ---- */

/* 1, 2 or 5 times a power of ten, such that some TICKS of them make up the range. */
static double tick_step(double range)
{
    double least = range / TICKS, power = pow(10, floor(log10(least)));
    double factor = least / power;
    return power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}

/* Where all values are equal, the axis begins this share of the value below it. */
static const double LEAST_SHARE = 0.02;

/* Holds all dots, and bars up to as much again beyond them; losses are not below 0, nor accuracies outside 0 .. 100. */
static axis axis_of(const hl_sweep_chart *chart, int panel)
{
    double unit = panels[panel].unit, most = panels[panel].most;
    double low = INFINITY, high = -INFINITY, bars_low = INFINITY, bars_high = -INFINITY;
    for (int64_t v = 0; v < chart->n; v++) {
        hl_interval interval = chart->rows[v].intervals[panels[panel].of];
        for (int64_t i = 0; i < interval.n; i++) {
            low = fmin(low, unit * chart->rows[v].values[panels[panel].of][i]);
            high = fmax(high, unit * chart->rows[v].values[panels[panel].of][i]);
        }
        bars_low = fmin(bars_low, unit * (interval.mean - interval.half_width)); /* NaN does not count */
        bars_high = fmax(bars_high, unit * (interval.mean + interval.half_width));
    }
    if (!(low <= high)) {
        return (axis){ 0, 1, 0.5 };
    }
    double range = high - low;
    low = fmax(fmin(low, fmax(bars_low, low - range)), 0);
    high = fmin(fmax(high, fmin(bars_high, high + range)), most);
    low = fmin(low, high - LEAST_SHARE * high);
    high = high > low ? high : low + 1; /* all are 0 */
    double step = tick_step(high - low);
    return (axis){ step * floor(low / step + 1e-9), fmin(step * ceil(high / step - 1e-9), most), step };
}

static double place_of(const axis *a, double value)
{
    return PLOT * (value - a->low) / (a->high - a->low);
}

/* ---- painting ---- */

static void draw_axis(cairo_t *cairo, const layout *l, int panel, double bottom)
{
    const axis *a = &l->axes[panel];
    hl_pen_use(cairo, INK);
    hl_pen_write(cairo, panels[panel].title, PLOT, PLOT / 2, -LINE / 2, 0.5, false);
    double decimals = fmax(0, -floor(log10(a->step) + 1e-9));
    for (int i = 0; a->low + i * a->step <= a->high + 1e-9 * a->step; i++) {
        double value = a->low + i * a->step, x = place_of(a, value);
        char text[32];
        snprintf(text, sizeof text, "%.*f", (int)fmin(decimals, 9), value);
        hl_pen_use(cairo, FRAME);
        hl_pen_stroke(cairo, x, 0, x, bottom);
        hl_pen_use(cairo, INK);
        hl_pen_write(cairo, text, PLOT, x, bottom + LINE, 0.5, false);
    }
}

static void draw_bar(cairo_t *cairo, const layout *l, int panel, const hl_interval *interval, double y)
{
    double middle = place_of(&l->axes[panel], panels[panel].unit * interval->mean);
    double end = place_of(&l->axes[panel], panels[panel].unit * (interval->mean + interval->half_width));
    double half = end - middle;
    hl_pen_stroke(cairo, middle - half, y, middle + half, y);
    hl_pen_stroke(cairo, middle - half, y - MEAN, middle - half, y + MEAN);
    hl_pen_stroke(cairo, middle + half, y - MEAN, middle + half, y + MEAN);
}

static void draw_row(cairo_t *cairo, const layout *l, int panel, const hl_ablate_row *row, double y)
{
    const hl_interval *interval = &row->intervals[panels[panel].of];
    if (interval->n == 0) {
        return;
    }
    hl_pen_use(cairo, POINT);
    for (int64_t i = 0; i < interval->n; i++) {
        double x = place_of(&l->axes[panel], panels[panel].unit * row->values[panels[panel].of][i]);
        hl_pen_dot(cairo, x, y + MEAN + DOT + 1, DOT);
    }
    hl_pen_use(cairo, row->base ? BASE : OTHER);
    if (interval->n >= 2) {
        draw_bar(cairo, l, panel, interval, y);
    }
    double x = place_of(&l->axes[panel], panels[panel].unit * interval->mean);
    if (row->base) {
        cairo_rectangle(cairo, x - MEAN, y - MEAN, 2 * MEAN, 2 * MEAN);
        cairo_fill(cairo);
    } else {
        hl_pen_dot(cairo, x, y, MEAN);
    }
}

static void draw_base_line(cairo_t *cairo, const layout *l, int panel, double bottom)
{
    for (int64_t v = 0; v < l->chart->n; v++) {
        const hl_interval *interval = &l->chart->rows[v].intervals[panels[panel].of];
        if (l->chart->rows[v].base && interval->n > 0) {
            double x = place_of(&l->axes[panel], panels[panel].unit * interval->mean);
            hl_pen_use(cairo, BASE);
            cairo_set_dash(cairo, (const double[]){ 3, 3 }, 2, 0);
            hl_pen_stroke(cairo, x, 0, x, bottom);
            cairo_set_dash(cairo, NULL, 0, 0);
        }
    }
}

/* From the top left corner of the rows. */
static void draw_panel(cairo_t *cairo, const layout *l, int panel)
{
    double bottom = ROW * (double)l->chart->n;
    cairo_set_line_width(cairo, 0.8);
    draw_axis(cairo, l, panel, bottom);
    cairo_rectangle(cairo, -2 * MEAN, 0, PLOT + 4 * MEAN, bottom);
    cairo_clip(cairo);
    draw_base_line(cairo, l, panel, bottom);
    for (int64_t v = 0; v < l->chart->n; v++) {
        draw_row(cairo, l, panel, &l->chart->rows[v], ROW * ((double)v + 0.4));
    }
}

/* To the left of `right`, from `top` on. */
static void draw_names(cairo_t *cairo, const layout *l, double right, double top)
{
    for (int64_t v = 0; v < l->chart->n; v++) {
        const hl_ablate_row *row = &l->chart->rows[v];
        hl_pen_use(cairo, row->base ? BASE : INK);
        hl_pen_write(cairo, row->name, WIDEST_NAME, right, top + ROW * ((double)v + 0.4) + TEXT / 3, 1, false);
    }
}

static void draw_caption(cairo_t *cairo, const layout *l)
{
    const char *rest = l->chart->caption;
    double y = MARGIN + l->panels_height + LINE / 2;
    hl_pen_use(cairo, INK);
    for (int i = 1; i <= l->caption_lines && rest != NULL; i++) {
        hl_pen_line line;
        rest = hl_pen_split(cairo, rest, l->width - 2 * MARGIN, i == l->caption_lines, &line);
        hl_pen_draw(cairo, &line, MARGIN, y, 0, false);
        y += LINE;
    }
}

static hl_status paint(const void *context, cairo_t *cairo)
{
    const layout *l = context;
    hl_pen_font(cairo, TEXT);
    bool narrow = l->chart->narrow;
    for (int panel = 0; panel < PANELS; panel++) {
        double left = MARGIN + l->names + GAP + (narrow ? 0 : panel * (PLOT + GAP));
        double top = MARGIN + 1.5 * LINE + (narrow ? panel * l->panels_height / PANELS : 0);
        if (narrow || panel == 0) {
            draw_names(cairo, l, MARGIN + l->names, top);
        }
        cairo_save(cairo);
        cairo_translate(cairo, left, top);
        draw_panel(cairo, l, panel);
        cairo_restore(cairo);
    }
    draw_caption(cairo, l);
    return hl_ok();
}

/* ---- files ---- */

static hl_status lay_out(const hl_sweep_chart *chart, layout *l)
{
    *l = (layout){ .chart = chart };
    if (chart->n < 1 || chart->n > MOST_ROWS) {
        return hl_error(HL_INVALID, "a chart shows 1 to %d rows, not %lld", MOST_ROWS, (long long)chart->n);
    }
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cairo_t *cairo = cairo_create(surface);
    hl_pen_font(cairo, TEXT);
    for (int64_t v = 0; v < l->chart->n; v++) {
        l->names = fmax(l->names, hl_pen_fit(cairo, l->chart->rows[v].name, WIDEST_NAME).width);
    }
    int beside = l->chart->narrow ? 1 : PANELS, below = PANELS / beside;
    l->width = 2 * MARGIN + l->names + beside * (GAP + PLOT) + GAP / 2;
    l->panels_height = below * (3 * LINE + ROW * (double)l->chart->n);
    const char *caption = l->chart->caption;
    l->caption_lines =
        caption != NULL ? hl_pen_count_lines(cairo, caption, l->width - 2 * MARGIN, MOST_CAPTION_LINES) : 0;
    l->height = 2 * MARGIN + l->panels_height + l->caption_lines * LINE;
    hl_status status = hl_drawing_status(cairo_status(cairo));
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    for (int panel = 0; panel < PANELS; panel++) {
        l->axes[panel] = axis_of(chart, panel);
    }
    return status;
}

hl_status hl_sweep_chart_print(const hl_sweep_chart *chart, hl_picture_format format, double dpi, hl_text *bytes)
{
    layout l;
    HL_TRY(lay_out(chart, &l));
    hl_drawing drawing = { .width = l.width, .height = l.height, .paint = paint, .context = &l };
    return hl_drawing_print(&drawing, format, fmin(dpi, 72 * MOST_PIXELS / l.height), bytes);
}
