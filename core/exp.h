/* The exponential function in a form that compilers turn into vector code; <math.h>'s is called number by number. */
#ifndef HL_CORE_EXP_H
#define HL_CORE_EXP_H

#include "core/real.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef HL_DOUBLE
static inline double hl_exp(double x)
{
    return exp(x);
}
#else
/* e^x for x <= 88, within 2 units in the last place; 0 below -87; NaN for NaN.
 *
 * e^x = 2^n * e^r with n = round(x / ln 2), |r| <= ln(2) / 2, e^r by the Taylor polynomial of degree 7 (its error there is
 * below 1e-8). ln 2 is subtracted in two parts (Cody and Waite 1980), so that r is exact enough; adding 1.5 * 2^23 rounds
 * to the nearest integer and leaves it in the low bits. */
static inline float hl_exp(float x)
{
    const float shift = 0x1.8p23f, ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;
    float clamped = x < -87.0f ? -87.0f : x;
    float shifted = clamped * 1.44269504f + shift;
    float n = shifted - shift;
    float r = clamped - n * ln2_high;
    r = r - n * ln2_low;
    float p = 1.0f / 5040;
    p = p * r + 1.0f / 720;
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = p * r + 1;
    p = p * r + 1;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits << 23) + 0x3f800000u; /* 2^n */
    float power;
    memcpy(&power, &bits, sizeof power);
    return x < -87.0f ? 0 : p * power;
}
#endif

#endif
