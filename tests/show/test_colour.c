#include "show/colour.h"
#include "tests/check_suite.h"

#include <math.h>
#include <stdbool.h>

static double linear(uint8_t channel)
{
    double coded = channel / 255.0;
    return coded <= 0.04045 ? coded / 12.92 : pow((coded + 0.055) / 1.055, 2.4);
}

/* L* of CIELAB, 0 .. 100: what is left in greyscale. */
static double lightness(hl_rgb c)
{
    double y = 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
    return y > 216.0 / 24389 ? 116 * cbrt(y) - 16 : y * 24389 / 27;
}

static uint8_t coded(double lin)
{
    double x = fmin(fmax(lin, 0), 1);
    return (uint8_t)(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055) + 0.5);
}

/* How the colour looks to an eye without the cones for green, or for red (Machado, Oliveira and Fernandes 2009). */
static hl_rgb seen_without(bool green, hl_rgb c)
{
    static const double matrices[2][3][3] = {
        { { 0.152286, 1.052583, -0.204868 }, { 0.114503, 0.786281, 0.099216 }, { -0.003882, -0.048116, 1.051998 } },
        { { 0.367322, 0.860646, -0.227968 }, { 0.280085, 0.672501, 0.047413 }, { -0.011820, 0.042940, 0.968881 } },
    };
    double in[3] = { linear(c.red), linear(c.green), linear(c.blue) }, out[3];
    for (int i = 0; i < 3; i++) {
        const double *m = matrices[green][i];
        out[i] = m[0] * in[0] + m[1] * in[1] + m[2] * in[2];
    }
    return (hl_rgb){ coded(out[0]), coded(out[1]), coded(out[2]) };
}

TEST(weights_are_rounded_to_levels)
{
    ck_assert_int_eq(hl_colour_level(0), 0);
    ck_assert_int_eq(hl_colour_level(1), 255);
    ck_assert_int_eq(hl_colour_level(0.5), 128);
    ck_assert_int_eq(hl_colour_level(0.4 / 255), 0);
    ck_assert_int_eq(hl_colour_level(0.6 / 255), 1);
    ck_assert_int_eq(hl_colour_level(254.6 / 255), 255);
    ck_assert_int_eq(hl_colour_level(-3), 0);
    ck_assert_int_eq(hl_colour_level(1e300), 255);
    ck_assert_int_eq(hl_colour_level(INFINITY), 255);
    ck_assert_int_eq(hl_colour_level(NAN), 0);
}

TEST(lightness_falls_evenly_from_almost_white_to_almost_black)
{
    ck_assert_double_gt(lightness(hl_colour_of(0)), 97);
    ck_assert_double_lt(lightness(hl_colour_of(255)), 12);
    for (int level = 1; level < HL_COLOUR_LEVELS; level++) {
        double darker = lightness(hl_colour_of((uint8_t)(level - 1))) - lightness(hl_colour_of((uint8_t)level));
        ck_assert_msg(darker > 0, "level %d", level);
        ck_assert_msg(darker < 1, "level %d", level);
    }
    for (int level = 16; level < HL_COLOUR_LEVELS; level++) {
        double darker = lightness(hl_colour_of((uint8_t)(level - 16))) - lightness(hl_colour_of((uint8_t)level));
        ck_assert_msg(darker > 4.2 && darker < 7.5, "level %d: %g", level, darker);
    }
}

LOOP_TEST(levels_differ_for_eyes_that_lack_a_colour, 0, 2)
{
    for (int level = 16; level < HL_COLOUR_LEVELS; level++) {
        hl_rgb lighter = seen_without(_i, hl_colour_of((uint8_t)(level - 16)));
        hl_rgb darker = seen_without(_i, hl_colour_of((uint8_t)level));
        ck_assert_msg(lightness(lighter) > lightness(darker) + 4, "level %d", level);
        double distance = hl_colour_distance(lighter, darker);
        ck_assert_msg(distance > 0.036 && distance < 0.08, "level %d: %g", level, distance);
    }
}

TEST(distances_are_those_of_oklab)
{
    hl_rgb black = { 0, 0, 0 }, white = { 255, 255, 255 }, red = { 255, 0, 0 };
    ck_assert_double_eq(hl_colour_distance(red, red), 0);
    ck_assert_double_eq_tol(hl_colour_distance(black, white), 1, 1e-4);
    /* red is (0.62796, 0.22486, 0.12585) */
    ck_assert_double_eq_tol(hl_colour_distance(black, red),
                            sqrt(0.62796 * 0.62796 + 0.22486 * 0.22486 + 0.12585 * 0.12585), 1e-4);
}

SUITE("colour")
