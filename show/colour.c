#include "show/colour.h"

#include <math.h>

/* A colour in OKLab: lightness 0 .. 1, green to red, blue to yellow. Equal distances look about equally different. */
typedef struct lab {
    double lightness, a, b;
} lab;

/* a and b at levels 0, 1/4, 1/2, 3/4 and 1; lightness falls linearly. The hues go from warm white to teal, blue and
 * indigo, all within the range of a screen. */
static const double LIGHTEST = 0.985, DARKEST = 0.215;
enum { ANCHORS = 5 };
static const double anchors[ANCHORS][2] = {
    { -0.001, 0.008 }, { -0.084, -0.015 }, { -0.071, -0.091 }, { -0.012, -0.134 }, { 0.029, -0.080 },
};

uint8_t hl_colour_level(double weight)
{
    if (!(weight > 0)) {
        return 0;
    }
    return weight < 1 ? (uint8_t)lround(weight * (HL_COLOUR_LEVELS - 1)) : HL_COLOUR_LEVELS - 1;
}

static uint8_t channel_of(double linear)
{
    double clamped = fmin(fmax(linear, 0), 1);
    double coded = clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * pow(clamped, 1 / 2.4) - 0.055;
    return (uint8_t)lround(255 * coded);
}

static double linear_of(uint8_t channel)
{
    double coded = channel / 255.0;
    return coded <= 0.04045 ? coded / 12.92 : pow((coded + 0.055) / 1.055, 2.4);
}

static lab lab_of(hl_rgb c)
{
    double red = linear_of(c.red), green = linear_of(c.green), blue = linear_of(c.blue);
    double l = cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
    double m = cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
    double s = cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
    return (lab){ 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
                  1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                  0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s };
}

hl_rgb hl_colour_of(uint8_t level)
{
    double share = level / (double)(HL_COLOUR_LEVELS - 1), place = share * (ANCHORS - 1);
    int from = place < ANCHORS - 1 ? (int)place : ANCHORS - 2;
    double along = place - from;
    const double *before = anchors[from], *after = anchors[from + 1];
    /* The matrices are those of Ottosson, "A perceptual color space for image processing" (2020). */
    lab c = { LIGHTEST + (DARKEST - LIGHTEST) * share, before[0] + (after[0] - before[0]) * along,
              before[1] + (after[1] - before[1]) * along };
    double l = pow(c.lightness + 0.3963377774 * c.a + 0.2158037573 * c.b, 3);
    double m = pow(c.lightness - 0.1055613458 * c.a - 0.0638541728 * c.b, 3);
    double s = pow(c.lightness - 0.0894841775 * c.a - 1.2914855480 * c.b, 3);
    return (hl_rgb){ channel_of(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                     channel_of(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                     channel_of(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s) };
}

double hl_colour_distance(hl_rgb a, hl_rgb b)
{
    lab x = lab_of(a), y = lab_of(b);
    return sqrt(pow(x.lightness - y.lightness, 2) + pow(x.a - y.a, 2) + pow(x.b - y.b, 2));
}
