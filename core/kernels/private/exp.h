/* The exponential function, the sigmoid and the normal distribution, in forms that compilers turn into vector code.
 * Calls of the functions in <math.h> would prevent this. */
#pragma once

#include "core/base/real.h"

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
 * e^x = 2^n * e^r with n = round(x / ln 2), |r| <= ln(2) / 2. e^r is the Taylor polynomial of degree 7, whose error in
 * this range is below 1e-8. ln 2 is subtracted in two parts (Cody and Waite 1980), so that r is exact enough. Adding
 * 1.5 * 2^23 rounds to the nearest integer and leaves it in the low bits. */
__attribute__((always_inline)) static inline float hl_exp(float x)
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

/* 1 / (1 + e^-x), with powers that cannot overflow. NaN for NaN. */
__attribute__((always_inline)) static inline hl_real hl_sigmoid(hl_real x)
{
    hl_real power = hl_exp(x < 0 ? x : -x);
    return (x < 0 ? power : 1) / (1 + power);
}

#ifdef HL_DOUBLE
static inline double hl_normal_cdf(double x, double bell)
{
    (void)bell;
    return 0.5 * erfc(-0.70710678118654752440 * x);
}
#else
/* The probability that a standard normal number is below x, (1 + erf(x / sqrt(2))) / 2, within 3e-7. `bell` is e^(-x^2
 * / 2), which the density also needs. Abramowitz and Stegun 1964, 7.1.26: the smaller of the two tails is a polynomial
 * in 1 / (1 + 0.3275911 |x| / sqrt(2)), times the bell. */
__attribute__((always_inline)) static inline float hl_normal_cdf(float x, float bell)
{
    float z = fabsf(x) * 0.707106781f;
    float t = 1 / (1 + 0.3275911f * z);
    float p = 1.061405429f;
    p = p * t - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    float tail = 0.5f * p * t * bell;
    return x < 0 ? tail : 1 - tail;
}
#endif
