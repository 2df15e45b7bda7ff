/* The natural logarithm, in a form that compilers turn into vector code. A call of log() would prevent this. */
#pragma once

#include <stdint.h>
#include <string.h>

/* ln x for normal x > 0, within 4 units in the last place (near 1: of x - 1); exact at x = 1. ln 0 is some finite
 * number, so that x ln x is 0 there. For any other x, the result is undefined.
 *
 * x = 2^n m with m in [sqrt(1/2), sqrt(2)), and ln x = n ln 2 + 2 artanh(s) with s = (m - 1) / (m + 1), |s| < 0.172.
 * The series artanh(s) = s + s^3 / 3 + s^5 / 5 + ... goes up to s^19; its relative error there is below 1e-16. ln 2 is
 * in two parts (Cody and Waite 1980), so that n times the first part is exact. n comes from the bits of x with an
 * offset, and becomes a number as the low bits of 2^52. So no vector instruction is needed that some CPUs lack. */
__attribute__((always_inline)) static inline double hl_log(double x)
{
    const uint64_t one = 0x3ff0000000000000, root = 0x3fe6a09e667f3bcd, two_52 = 0x4330000000000000,
                   fraction = 0xfffffffffffff;
    const double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t above_root = bits + (one - root); /* its exponent is n + 1023; its fraction is that of m minus that of
                                                  `root` */
    uint64_t m_bits = (above_root & fraction) + root, n_bits = (above_root >> 52) + two_52;
    double m, n;
    memcpy(&m, &m_bits, sizeof m);
    memcpy(&n, &n_bits, sizeof n);
    n -= 0x1p52 + 1023;
    double s = (m - 1) / (m + 1), z = s * s, p = 2.0 / 19;
    p = p * z + 2.0 / 17;
    p = p * z + 2.0 / 15;
    p = p * z + 2.0 / 13;
    p = p * z + 2.0 / 11;
    p = p * z + 2.0 / 9;
    p = p * z + 2.0 / 7;
    p = p * z + 2.0 / 5;
    p = p * z + 2.0 / 3;
    return n * ln2_high + (n * ln2_low + (2 * s + s * z * p));
}
