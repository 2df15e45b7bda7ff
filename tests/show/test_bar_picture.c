/* Bars as files of each format. */
#include "show/bar_picture.h"

#include "show/picture.h"
#include "tests/check_suite.h"
#include "tests/show/written.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const hl_bar bars[] = {
    { "L1H0", 4, 0.5 }, { "L0 feed-forward", 2, INFINITY }, { "</text><&\"", -1, 0 }, { "nothing", 0, NAN }
};
static const hl_bar_picture picture = { "runs/copy_task", bars, 4, "a caption" };

static hl_status print(hl_picture_format format, hl_text *bytes)
{
    return hl_bar_picture_print(&picture, format, 144, bytes);
}

TEST(every_format_begins_as_it_must_and_twice_is_the_same)
{
    expect_formats(print);
}

/* The left and right end of the next filled rectangle of that colour; returns where it ends in the text. */
static const char *next_bar(const char *svg, const char *colour, double *left, double *right)
{
    svg = strstr(svg, colour);
    ck_assert_ptr_nonnull(svg);
    const char *path = strstr(svg, "d=\"M ");
    double y;
    ck_assert_ptr_nonnull(path);
    ck_assert_int_eq(sscanf(path, "d=\"M %lf %lf L %lf", left, &y, right), 3);
    return path;
}

TEST(bars_are_as_long_as_their_values)
{
    hl_text *svg = scratch_text();
    expect_ok(print(HL_SVG, svg));
    double zero, four, two, same, minus;
    const char *at = next_bar(svg->bytes, "rgb(7%", &zero, &four);
    next_bar(at, "rgb(7%", &same, &two);
    ck_assert_double_eq_tol(zero, same, 0.01);
    ck_assert_double_eq_tol(four - zero, 2 * (two - zero), 0.05);
    next_bar(svg->bytes, "rgb(80%", &minus, &same);
    ck_assert_double_eq_tol(same, zero, 0.01);
    ck_assert_double_eq_tol(zero - minus, (two - zero) / 2, 0.05);
}

TEST(what_cannot_be_drawn_is_refused)
{
    hl_text *bytes = scratch_text();
    hl_bar bad = { "x", NAN, 0 };
    hl_bar_picture none = { "t", bars, 0, NULL }, one = { "t", &bad, 1, NULL };
    ck_assert_int_eq(hl_bar_picture_print(&none, HL_PNG, 144, bytes).code, HL_INVALID);
    ck_assert_int_eq(hl_bar_picture_print(&one, HL_PNG, 144, bytes).code, HL_INVALID);
}

SUITE("bar pictures")
