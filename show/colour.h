/* The colours that attention weights are drawn in. */
#pragma once

#include "core/base/declarations.h"

#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_rgb {
    uint8_t red, green, blue; /* sRGB */
} hl_rgb;

/* The levels that a weight is rounded to before it is drawn: 0 .. 255. */
enum { HL_COLOUR_LEVELS = 256 };

/* round(255 * weight); weights below 0 and NaN count as 0, those above 1 as 1. */
uint8_t hl_colour_level(double weight);

/* The colour of a level, from almost white (0) over teal and blue to almost black (255). Lightness falls evenly, so
 * that levels can be distinguished in greyscale and by readers who do not see all colours. */
hl_rgb hl_colour_of(uint8_t level);

/* How different two colours look: the distance in OKLab (Ottosson 2020), about 1 from black to white. */
double hl_colour_distance(hl_rgb a, hl_rgb b);

HL_END_DECLS
