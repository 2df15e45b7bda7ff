/* Charts as files of each format. */
#include "show/curve_picture.h"

#include "show/picture.h"
#include "tests/check_suite.h"
#include "tests/faults.h"
#include "tests/show/written.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5, MOST = 600 };

static const double losses[ROWS] = { 0.0014, 0.03, 0.4, 1.2, 2.6 }, zeros[ROWS] = { 0 },
                    sizes[ROWS] = { 1e-9, 5, 1e9, 3, 2 };
static const hl_curve_row names[ROWS] = {
    { "all  5" }, { "- L0H1  4" }, { "- L1H0  3" }, { "</text><&\"" }, { "\xff\n" }
};

static const hl_curve curves[] = { { .name = "loss", .values = losses },
                                   { .name = "zero", .values = zeros },
                                   { .name = "size", .values = sizes } };
static const hl_curve_picture chart = { curves, 3, names, ROWS, "heads left", "runs/copy_task" };

static hl_status print(hl_picture_format format, hl_text *bytes)
{
    return hl_curve_picture_print(&chart, format, 144, bytes);
}

TEST(every_format_begins_as_it_must_and_twice_is_the_same)
{
    expect_formats(print);
}

/* A picture of one curve as SVG. */
static const char *drawn(hl_curve curve, const hl_curve_row *rows, int64_t n_rows)
{
    hl_curve_picture picture = { &curve, 1, rows, n_rows, "a", NULL };
    hl_text *bytes = scratch_text();
    expect_ok(hl_curve_picture_print(&picture, HL_SVG, 0, bytes));
    return bytes->bytes;
}

static const hl_curve loss = { .name = "loss", .values = losses };

/* The path of the line through all: it begins at the first number, not at some text. */
static void expect_line(const char *svg, int n)
{
    const char *path = strstr(svg, "stroke:rgb(7%");
    ck_assert_ptr_nonnull(path);
    char steps[512];
    snprintf(steps, sizeof steps, "%.*s", (int)strcspn(strstr(path, " d=\"") + 4, "\""), strstr(path, " d=\"") + 4);
    ck_assert_int_eq(count_of(steps, "M "), 1);
    ck_assert_int_eq(count_of(steps, "L "), n - 1);
}

/* A dot is four arcs of a circle, which SVG writes as curves (C); the line through all is one path. */
TEST(every_number_has_a_dot)
{
    for (int n = 2; n <= 4; n += 2) {
        const char *svg = drawn(loss, names, n);
        ck_assert_int_eq(count_of(svg, "fill:rgb(7%"), n);
        ck_assert_int_eq(count_of(svg, "stroke:rgb(7%"), 1);
        expect_line(svg, n);
    }
}

/* Dots beside the curve are pale, and the axis holds them. */
TEST(dots_beside_a_curve_are_drawn_and_the_axis_holds_them)
{
    static const hl_curve_dot dots[] = { { 0, 1 }, { 0, 2 }, { 1, 700 } };
    hl_curve one = { .name = "loss", .values = losses, .dots = dots, .n_dots = 3 };
    const char *svg = drawn(one, names, 2);
    ck_assert_int_eq(count_of(svg, "fill:rgb(55"), 3);
    ck_assert_int_eq(count_of(svg, "fill:rgb(7%"), 2);
    for (const char *at = strstr(svg, "fill:rgb(55"); at != NULL; at = strstr(at + 1, "fill:rgb(55")) {
        ck_assert_double_ge(atof(strchr(strstr(at, " d=\"M ") + 6, ' ')), 0); /* none above the chart */
    }
    static const hl_curve_dot bad[] = { { 2, 1 }, { -1, 1 }, { 0, NAN }, { 0, -1 } };
    for (int i = 0; i < 4; i++) {
        one.dots = &bad[i];
        one.n_dots = 1;
        hl_curve_picture picture = { &one, 1, names, 2, "a", NULL };
        ck_assert_int_eq(hl_curve_picture_print(&picture, HL_SVG, 0, scratch_text()).code, HL_INVALID);
    }
}

TEST(any_number_of_rows_can_be_drawn)
{
    static double values[MOST];
    static hl_curve_row many[MOST];
    for (int i = 0; i < MOST; i++) {
        values[i] = i;
        many[i] = names[i % ROWS];
    }
    for (int n = 1; n <= MOST; n *= 5) {
        drawn((hl_curve){ .name = "loss", .values = values }, many, n);
    }
}

static double height_of(const hl_curve_row *rows)
{
    const char *height = strstr(drawn(loss, rows, 2), " height=\"");
    ck_assert_ptr_nonnull(height);
    return atof(height + strlen(" height=\""));
}

/* Turned names need room below the chart, upright ones a line. */
TEST(short_names_stand_upright)
{
    static const hl_curve_row short_names[] = { { "0" }, { "111" } }, long_names[] = { { "0" }, { "1111" } },
                              none[] = { { "" }, { "" } };
    ck_assert_double_gt(height_of(short_names), 100);
    ck_assert_double_lt(height_of(short_names), height_of(long_names) - 20);
    ck_assert_double_eq(height_of(none), height_of(short_names));
}

TEST(what_cannot_be_drawn_is_refused)
{
    static const double bad[][2] = { { 1, NAN }, { -1, 1 }, { INFINITY, 0 } };
    for (int i = 0; i < 3; i++) {
        hl_curve curve = { .name = "loss", .values = bad[i] };
        hl_curve_picture picture = { &curve, 1, names, 2, "heads", NULL };
        for (int f = 0; f < HL_PICTURE_FORMATS; f++) {
            CHECK_FAILS(hl_curve_picture_print(&picture, (hl_picture_format)f, 144, scratch_text()), HL_INVALID,
                        "loss");
        }
    }
    hl_text *bytes = scratch_text();
    hl_curve_picture none = chart;
    none.n_rows = 0;
    ck_assert_int_eq(hl_curve_picture_print(&none, HL_SVG, 0, bytes).code, HL_INVALID);
    none.n_rows = HL_CURVE_MOST_ROWS + 1;
    ck_assert_int_eq(hl_curve_picture_print(&none, HL_SVG, 0, bytes).code, HL_INVALID);
    none = chart;
    none.n_curves = 0;
    ck_assert_int_eq(hl_curve_picture_print(&none, HL_PDF, 0, bytes).code, HL_INVALID);
    ck_assert_int_eq(hl_curve_picture_print(&chart, HL_PNG, 0, bytes).code, HL_INVALID);
    ck_assert_int_eq(hl_curve_picture_print(&chart, HL_PNG, NAN, bytes).code, HL_INVALID);
    ck_assert_int_eq(hl_curve_picture_print(&chart, HL_PNG, HL_PICTURE_MOST_DPI + 1, bytes).code, HL_INVALID);
    ck_assert_uint_eq(bytes->size, 0);
}

TEST(every_allocation_may_fail)
{
    faults_begin();
    for (int f = 0; f < HL_PICTURE_FORMATS; f++) {
        hl_text bytes = { 0 };
        faults_in_memory(1, FAULTS_FOR_EVER);
        ck_assert_int_eq(print((hl_picture_format)f, &bytes).code, HL_NO_MEMORY);
        hl_text_free(&bytes);
    }
    faults_in_memory(0, FAULTS_ONCE);
    faults_end();
}

SUITE("charts of curves")
