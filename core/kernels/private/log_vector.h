/* The natural logarithm of eight numbers at once, by instructions of AVX-512. */
#ifndef HL_CORE_KERNELS_PRIVATE_LOG_VECTOR_H
#define HL_CORE_KERNELS_PRIVATE_LOG_VECTOR_H

#ifdef __AVX512F__
#include <immintrin.h>

/* ln x for normal x > 0, within 4e-15 + 4e-16 |ln x|. ln 0 is some finite number, so that x ln x is 0 there. Nothing is
 * promised of other x.
 *
 * x = 2^n m with m in [1, 2), of whose sixteenths the i-th has the middle M_i: ln x = n ln 2 + ln M_i + ln(1 + r) with
 * r = m / M_i - 1, |r| <= 1/33 (Tang 1990). 1 / M_i and ln M_i stand in a table of two registers each, which the first
 * four bits of m choose from. ln(1 + r) is the polynomial of degree 7 whose greatest error there is the least, 7e-16
 * (Remez's algorithm in 50 digits), but for its first two terms, which are 0 and r. */
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
    __m512i i = _mm512_srli_epi64(_mm512_castpd_si512(x), 48); /* its low four bits are looked at */
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

#endif
