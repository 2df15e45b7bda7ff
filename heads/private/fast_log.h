/* Natural logarithms that are faster and less exact than hl_log, for the entropies of many rows. */
#pragma once

#include <stdint.h>
#include <string.h>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

/* ln x in three quarters of the time that hl_log needs (core/kernels/private/log.h). For normal x > 0 its error is at
 * most 3e-14 + 4e-16 |ln x|, also if x = 1. ln 0 is some finite number, so that x ln x is 0 there. For other x the
 * result is undefined.
 *
 * x = sqrt(2)^n m with m in [0.854, 1.207). Dividing x by 2^k with k = floor(n / 2), in its bits, leaves y in [0.854,
 * 1.707). If n is odd, y is in the second half of this range and is multiplied by sqrt(1/2). ln m is the polynomial in
 * m - 1 of degree 11 with the smallest maximal error there, 2.92e-14 (Remez's algorithm in 50 digits). It is summed in
 * pairs of terms, because in one chain of eleven steps each step would wait for the one before. */
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

#ifdef __AVX512F__
/* Eight logarithms at once, by AVX-512 instructions: ln x for normal x > 0, within 4e-15 + 4e-16 |ln x|. ln 0 is some
 * finite number, so that x ln x is 0 there. For other x the result is undefined.
 *
 * x = 2^n m with m in [1, 2). This interval is divided into sixteenths; m lies in the i-th, whose middle is M_i. ln x =
 * n ln 2 + ln M_i + ln(1 + r) with r = m / M_i - 1, |r| <= 1/33 (Tang 1990). 1 / M_i and ln M_i are each in a table of
 * two registers; the first four bits of m select the entry. ln(1 + r) is the polynomial of degree 7 with the smallest
 * maximal error there, 7e-16 (Remez's algorithm in 50 digits). Its first two terms are fixed as 0 and r. */
__attribute__((always_inline)) static inline __m512d hl_log_vector(__m512d x)
{
    static const double inverse[16] = {
        0x1.f07c1f07c1f08p-1, 0x1.d41d41d41d41dp-1, 0x1.bacf914c1bad0p-1, 0x1.a41a41a41a41ap-1,
        0x1.8f9c18f9c18fap-1, 0x1.7d05f417d05f4p-1, 0x1.6c16c16c16c17p-1, 0x1.5c9882b931057p-1,
        0x1.4e5e0a72f0539p-1, 0x1.4141414141414p-1, 0x1.3521cfb2b78c1p-1, 0x1.29e4129e4129ep-1,
        0x1.1f7047dc11f70p-1, 0x1.15b1e5f75270dp-1, 0x1.0c9714fbcda3bp-1, 0x1.0410410410410p-1,
    };
    static const double middle[16] = {
        0x1.f829b0e7832f8p-6, 0x1.6f0d28ae56b4ep-4, 0x1.29552f81ff521p-3, 0x1.9525a9cf456b6p-3,
        0x1.fb9186d5e3e29p-3, 0x1.2e8e2bae11d31p-2, 0x1.5d1bdbf5809cap-2, 0x1.89a3386c1425bp-2,
        0x1.b44f77bcc8f64p-2, 0x1.dd46a04c1c4a1p-2, 0x1.02552a5a5d0ffp-1, 0x1.154c3d2f4d5eap-1,
        0x1.2795e1289b11bp-1, 0x1.393e0d3562a1ap-1, 0x1.4a4f85db03ebbp-1, 0x1.5ad404c359f2dp-1,
    };
    const __m512d ln2 = _mm512_set1_pd(0x1.62e42fefa39efp-1), one = _mm512_set1_pd(1);
    __m512i i = _mm512_srli_epi64(_mm512_castpd_si512(x), 48); /* only its low four bits are used */
    __m512d m = _mm512_getmant_pd(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero);
    __m512d n = _mm512_getexp_pd(_mm512_max_pd(x, _mm512_set1_pd(0x1p-1022)));
    __m512d M = _mm512_permutex2var_pd(_mm512_loadu_pd(middle), i, _mm512_loadu_pd(middle + 8));
    __m512d c = _mm512_permutex2var_pd(_mm512_loadu_pd(inverse), i, _mm512_loadu_pd(inverse + 8));
    __m512d r = _mm512_fmsub_pd(m, c, one), z = _mm512_mul_pd(r, r);
    __m512d p6 = _mm512_fmadd_pd(_mm512_set1_pd(0x1.25183054818a6p-3), r, _mm512_set1_pd(-0x1.55cdd151ba1b3p-3));
    __m512d p4 = _mm512_fmadd_pd(_mm512_set1_pd(0x1.99997ed51a52cp-3), r, _mm512_set1_pd(-0x1.ffffee4abac4ep-3));
    __m512d p2 = _mm512_fmadd_pd(_mm512_set1_pd(0x1.5555555659f8ep-2), r, _mm512_set1_pd(-0x1.00000000354afp-1));
    __m512d p = _mm512_fmadd_pd(_mm512_fmadd_pd(p6, z, p4), z, p2);
    return _mm512_fmadd_pd(p, z, _mm512_add_pd(_mm512_fmadd_pd(n, ln2, M), r));
}
#endif
