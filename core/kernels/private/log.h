/* The natural logarithm in a form that compilers turn into vector code, which a call of log() prevents. */
#ifndef HL_CORE_KERNELS_PRIVATE_LOG_H
#define HL_CORE_KERNELS_PRIVATE_LOG_H

#include <stdint.h>
#include <string.h>

/* ln x for normal x > 0, within 4 units in the last place (near 1, of x - 1's own); exact where x = 1. ln 0 is some
 * finite number, so that x ln x is 0 there. Nothing is promised of other x.
 *
 * x = 2^n m with m in [sqrt(1/2), sqrt(2)), and ln x = n ln 2 + 2 artanh(s) with s = (m - 1) / (m + 1), |s| < 0.172, by
 * the series artanh(s) = s + s^3 / 3 + s^5 / 5 + ... up to s^19, whose error there is below 1e-16 of it. ln 2 is in two
 * parts (Cody and Waite 1980), so that n times the first is exact. n comes out of x's bits with an offset, and becomes
 * a number as the low bits of 2^52: no vector instruction is needed that some CPUs lack. */
__attribute__((always_inline)) static inline double hl_log(double x)
{
    const uint64_t one = 0x3ff0000000000000, root = 0x3fe6a09e667f3bcd, two_52 = 0x4330000000000000,
                   fraction = 0xfffffffffffff;
    const double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t above_root = bits + (one - root); /* its exponent is n + 1023, its fraction m's less that of `root` */
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

/* ln x in three quarters of the time: for normal x > 0 its error is at most 3e-14 + 4e-16 |ln x|, also where x = 1.
 * ln 0 as above.
 *
 * x = sqrt(2)^n m with m in [0.854, 1.207): the bits of 2^k with k = floor(n / 2) leave y in [0.854, 1.707), whose
 * second half, where n is odd, is multiplied by sqrt(1/2). ln m is the polynomial in m - 1 of degree 11 whose greatest
 * error there is the least, 2.92e-14 (Remez's algorithm in 50 digits). It is added up in pairs of terms: one chain of
 * eleven steps would wait for itself. */
__attribute__((always_inline)) static inline double hl_log_near(double x)
{
    const uint64_t one = 0x3ff0000000000000, root = 0x3fe6a09e667f3bcd, two_52 = 0x4330000000000000,
                   fraction = 0xfffffffffffff, offset = 0x4afb0ccc06219; /* (1 - sqrt(1/2)) 2^52 */
    const double half_ln2 = 0x1.62e42fefa39efp-2;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t above = bits + offset, halves = above >> 51; /* n + 2046 */
    uint64_t y_bits = (above & fraction) + (one - offset), n_bits = halves + two_52;
    uint64_t factor_bits = one ^ ((0 - (halves & 1)) & (one ^ root));
    double y, n, factor;
    memcpy(&y, &y_bits, sizeof y);
    memcpy(&n, &n_bits, sizeof n);
    memcpy(&factor, &factor_bits, sizeof factor);
    n -= 0x1p52 + 2046;
    double t = y * factor - 1, z = t * t;
    double p = 0x1.24c641c04c4c8p-4 * t - 0x1.a8f4be5e17e0ep-4;
    p = p * z + (0x1.cccf1ef7ed1b4p-4 * t - 0x1.ffd9180c8a285p-4);
    p = p * z + (0x1.2480d646b3060p-3 * t - 0x1.555526eac9f64p-3);
    p = p * z + (0x1.9999c85ca9929p-3 * t - 0x1.0000006efd13fp-2);
    p = p * z + (0x1.5555553b457f3p-2 * t - 0x1.ffffffff9f032p-2);
    return p * z + (0x1.0000000002159p+0 * t + (n * half_ln2 - 0x1.5d524276fdfdfp-47));
}

#endif
