#include "programs/ablate/sweep_chart.h"

#include "show/picture.h"
#include "tests/check_suite.h"
#include "tests/heads/example.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DPI = 144, OTHER = 0x0072b2, BASE = 0xd55e00 };

/* In points, as sweep_chart.c has them: where rows begin and how high they are; the width of a panel, and where the
 * last one's axis begins, seen from the right. */
static const double TOP = 24.5, ROW = 18, PANEL = 206, LAST = 196;

static hl_ablate_row row_of(const char *name, bool base, const double *losses, const double *accuracies, int64_t n)
{
    return (hl_ablate_row){ .name = name,
                            .base = base,
                            .values = { [HL_ABLATE_LOSS] = losses, [HL_ABLATE_ACCURACY] = accuracies },
                            .intervals = { [HL_ABLATE_LOSS] = hl_interval_of(losses, n, 0.95),
                                           [HL_ABLATE_ACCURACY] = hl_interval_of(accuracies, n, 0.95) } };
}

/* Three rows; the losses rise from row to row, the accuracies fall. The first training alone has no bar. */
static const double low[] = { 1.0, 0.9, 1.1 }, middle[] = { 2.0, 1.9, 2.1 }, high[] = { 3.0, 2.9, 3.1 };
static const double good[] = { 0.96, 0.97, 0.95 }, fair[] = { 0.5, 0.52, 0.48 }, bad[] = { 0.12, 0.13, 0.1 };

/* Of so many trainings each. */
static hl_sweep_chart three_rows(int64_t n)
{
    static hl_ablate_row rows[3];
    rows[0] = row_of("heads=1", false, low, good, n);
    rows[1] = row_of("heads=4", true, middle, fair, n);
    rows[2] = row_of("heads=8", false, high, bad, n);
    return (hl_sweep_chart){ .rows = rows, .n = 3, .caption = "three rows" };
}

typedef struct reader {
    const char *at;
    size_t left;
} reader;

static cairo_status_t read_bytes(void *closure, unsigned char *bytes, unsigned count)
{
    reader *r = closure;
    if (r->left < count) {
        return CAIRO_STATUS_READ_ERROR;
    }
    memcpy(bytes, r->at, count);
    r->at += count;
    r->left -= count;
    return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *pixels_of(hl_sweep_chart chart)
{
    hl_text *bytes = scratch_text();
    expect_ok(hl_sweep_chart_print(&chart, HL_PNG, DPI, bytes));
    cairo_surface_t *surface =
        cairo_image_surface_create_from_png_stream(read_bytes, &(reader){ bytes->bytes, bytes->size });
    ck_assert_int_eq(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
    return surface;
}

/* Of all pixels of a colour in row v's left or right panel, in points. */
typedef struct extent {
    double sum, n, left, right;
} extent;

static extent find(cairo_surface_t *surface, uint32_t colour, int v, int panel)
{
    extent found = { .left = INFINITY, .right = -INFINITY };
    double scale = DPI / 72.0;
    int width = cairo_image_surface_get_width(surface);
    int edge = width - (int)((LAST + (1 - panel) * PANEL + 18) * scale);
    for (int y = (int)((TOP + ROW * v) * scale); y < (int)((TOP + ROW * (v + 1)) * scale); y++) {
        const unsigned char *row =
            cairo_image_surface_get_data(surface) + (ptrdiff_t)y * cairo_image_surface_get_stride(surface);
        for (int x = edge; x < edge + (int)(PANEL * scale) && x < width; x++) {
            uint32_t value;
            memcpy(&value, row + 4 * (ptrdiff_t)x, sizeof value);
            if ((value & 0xffffff) == colour) {
                found.sum += x / scale;
                found.n++;
                found.left = fmin(found.left, x / scale);
                found.right = fmax(found.right, (x + 1) / scale);
            }
        }
    }
    return found;
}

/* NaN where there are none. */
static double middle_of(cairo_surface_t *surface, uint32_t colour, int v, int panel)
{
    extent found = find(surface, colour, v, panel);
    return found.sum / found.n;
}

static double extent_of(cairo_surface_t *surface, uint32_t colour, int v, int panel)
{
    extent found = find(surface, colour, v, panel);
    return found.right - found.left;
}

TEST(means_stand_in_their_rows_where_their_values_are)
{
    cairo_surface_t *surface = pixels_of(three_rows(1));
    double first = middle_of(surface, OTHER, 0, 0), base = middle_of(surface, BASE, 1, 0),
           last = middle_of(surface, OTHER, 2, 0);
    ck_assert_msg(fabs((last - base) / (base - first) - 1) < 0.02, "%g %g %g", first, base, last);
    ck_assert_double_gt(base - first, 30);
    double good_at = middle_of(surface, OTHER, 0, 1), fair_at = middle_of(surface, BASE, 1, 1),
           bad_at = middle_of(surface, OTHER, 2, 1);
    ck_assert_msg(fabs((good_at - fair_at) / (fair_at - bad_at) - 46.0 / 38.0) < 0.05, "%g %g %g", bad_at, fair_at,
                  good_at);
    /* a row has its own colour alone */
    ck_assert(isnan(middle_of(surface, OTHER, 1, 0)) && isnan(middle_of(surface, OTHER, 1, 1)));
    cairo_surface_destroy(surface);
}

/* The bars of three trainings reach from the mean by t s / sqrt(n), 4.3027 * 0.1 / sqrt(3). */
TEST(bars_are_as_long_as_their_intervals)
{
    cairo_surface_t *surface = pixels_of(three_rows(3)), *bare = pixels_of(three_rows(1));
    double loss = extent_of(surface, OTHER, 0, 0);
    ck_assert_double_le(extent_of(bare, OTHER, 0, 0), 7);
    ck_assert_msg(fabs(loss - 2 * 0.2484 / 3 * 170) < 2, "%g", loss); /* the axis: 0.5 .. 3.5 on 170 points */
    cairo_surface_destroy(surface);
    cairo_surface_destroy(bare);
}

/* In points, as the SVG tells them. */
static void size_of(const hl_sweep_chart *chart, double *width, double *height)
{
    hl_text *svg = scratch_text();
    expect_ok(hl_sweep_chart_print(chart, HL_SVG, 0, svg));
    const char *size = strstr(svg->bytes, " viewBox=\"0 0 ");
    ck_assert_ptr_nonnull(size);
    ck_assert_int_eq(sscanf(size, " viewBox=\"0 0 %lf %lf\"", width, height), 2);
}

TEST(a_narrow_chart_fits_a_phone)
{
    hl_sweep_chart chart = three_rows(3);
    double width, height, narrow_width, narrow_height;
    size_of(&chart, &width, &height);
    chart.narrow = true;
    size_of(&chart, &narrow_width, &narrow_height);
    ck_assert_double_gt(width, 400);
    ck_assert_double_lt(narrow_width, 300); /* 400 pixels of a page */
    ck_assert_double_gt(narrow_height, height + 3 * 18);
}

TEST(the_same_chart_gives_the_same_bytes)
{
    hl_sweep_chart chart = three_rows(3);
    hl_text svg[2] = { { 0 } }, png[2] = { { 0 } };
    for (int i = 0; i < 2; i++) {
        expect_ok(hl_sweep_chart_print(&chart, HL_SVG, 0, &svg[i]));
        expect_ok(hl_sweep_chart_print(&chart, HL_PNG, 72, &png[i]));
    }
    ck_assert_str_eq(svg[0].bytes, svg[1].bytes);
    ck_assert_ptr_nonnull(strstr(svg[0].bytes, "stroke-dasharray")); /* the base's line */
    ck_assert(png[0].size == png[1].size && memcmp(png[0].bytes, png[1].bytes, png[0].size) == 0);
    for (int i = 0; i < 2; i++) {
        hl_text_free(&svg[i]);
        hl_text_free(&png[i]);
    }
}

/* Nothing ended; one run; all values equal, also 0; values far apart. */
TEST(any_values_can_be_drawn)
{
    static const double zeros[] = { 0, 0 }, ones[] = { 1, 1 }, apart[] = { 1e-9, 1e9 }, tiny[] = { 1e-300, 1e-300 };
    const struct {
        const double *losses, *accuracies;
        int64_t n;
    } cases[] = {
        { NULL, NULL, 0 }, { zeros, ones, 1 }, { zeros, zeros, 2 },
        { ones, ones, 2 }, { apart, ones, 2 }, { tiny, ones, 2 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hl_ablate_row one = row_of("x", true, cases[i].losses, cases[i].accuracies, cases[i].n);
        hl_text *svg = scratch_text();
        expect_ok(hl_sweep_chart_print(&(hl_sweep_chart){ .rows = &one, .n = 1 }, HL_SVG, 0, svg));
        ck_assert_ptr_null(strstr(svg->bytes, "nan"));
        ck_assert_ptr_null(strstr(svg->bytes, "inf"));
    }
}

TEST(very_many_rows_can_be_drawn)
{
    enum { ROWS = 2000 };
    static hl_ablate_row many[ROWS];
    for (int i = 0; i < ROWS; i++) {
        many[i] = row_of("x", i == 0, NULL, NULL, 0);
    }
    hl_text *bytes = scratch_text();
    CHECK_OK(hl_sweep_chart_print(&(hl_sweep_chart){ .rows = many, .n = ROWS }, HL_PNG, 200, bytes));
    CHECK_OK(hl_sweep_chart_print(&(hl_sweep_chart){ .rows = many, .n = ROWS }, HL_SVG, 0, bytes));
}

/* A config's path may be in the caption. Texts are drawn as shapes: none of their characters is in the file. */
TEST(texts_may_hold_anything)
{
    static const char *const texts[] = {
        "</svg><script>alert(1)</script>", "\"'&]]>", "\xe2\x80\xa8\xe2\x80\xae", "\x01\xef\xbf\xbe", "\xff",
    };
    static const double ones[] = { 1, 1 };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hl_ablate_row one = row_of(texts[i], true, ones, ones, 2);
        hl_text *svg = scratch_text();
        expect_ok(hl_sweep_chart_print(&(hl_sweep_chart){ .rows = &one, .n = 1, .caption = texts[i] }, HL_SVG, 0, svg));
        ck_assert_uint_eq(strlen(svg->bytes), svg->size);
        ck_assert_ptr_null(strstr(svg->bytes, texts[i]));
        ck_assert_ptr_null(strstr(svg->bytes, "<script"));
        ck_assert_ptr_null(strchr(svg->bytes, '&'));
    }
}

TEST(what_cannot_be_drawn_is_refused)
{
    hl_text *bytes = scratch_text();
    hl_ablate_row one = row_of("x", true, NULL, NULL, 0);
    ck_assert_int_eq(hl_sweep_chart_print(&(hl_sweep_chart){ .rows = &one, .n = 0 }, HL_SVG, 0, bytes).code,
                     HL_INVALID);
    ck_assert_int_eq(hl_sweep_chart_print(&(hl_sweep_chart){ .rows = &one, .n = 1 }, HL_PNG, 0, bytes).code,
                     HL_INVALID);
}

SUITE("sweep_chart")
