#include "core/kernels/private/panel_pack.h"

#include <stddef.h>

#if defined(__AVX512BF16__) && defined(__AVX512BW__) && !defined(HL_DOUBLE)
#include <immintrin.h>

enum { LANES = 16 };

static __mmask16 first_lanes(int64_t n)
{
    return n >= LANES ? 0xffff : (__mmask16)((1U << (n > 0 ? n : 0)) - 1);
}

/* 16 numbers of a row; 0 replaces numbers past the remaining n. */
static __m512 load(const float *x, int64_t n)
{
    return _mm512_maskz_loadu_ps(first_lanes(n), x);
}

/* The 32 numbers of lo and hi one after the other: 16 pairs along a row. */
static __m512i round_row(__m512 lo, __m512 hi)
{
    return (__m512i)_mm512_cvtne2ps_pbh(hi, lo);
}

/* 16 pairs (lo[i], hi[i]). */
static __m512i round_pairs(__m512 lo, __m512 hi)
{
    const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6,
                                           21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    return _mm512_permutexvar_epi16(order, round_row(lo, hi));
}

/* 16 x 16 pairs: swaps pair j of row i with pair i of row j. */
static void transpose(__m512i r[LANES])
{
    __m512i t[LANES];
    for (int i = 0; i < LANES; i += 2) {
        t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    }
    for (int i = 0; i < LANES; i += 4) {
        r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
        r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
        r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
        r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        t[i] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0x88);
        t[i + 4] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0xdd);
        t[i + 8] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0x88);
        t[i + 12] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0xdd);
    }
    for (int i = 0; i < 8; i++) {
        r[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
        r[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
    }
}

static void pack_plain(int64_t n, int64_t width, const float *x, int64_t stride, void *packed, int64_t y_stride)
{
    uint16_t *y = packed;
    int64_t pairs = (width + 1) / 2;
    for (int64_t r = 0; r < n; r++) {
        for (int64_t i = 0; i < width; i += 2 * LANES) {
            const float *at = x + r * stride + i;
            __m512 lo = load(at, width - i),
                   hi = width - i > LANES ? load(at + LANES, width - i - LANES) : _mm512_setzero_ps();
            _mm512_mask_storeu_epi32(y + r * y_stride + i, first_lanes(pairs - i / 2), round_row(lo, hi));
        }
    }
}

static void pack_rows(int64_t n, int64_t width, const float *x, int64_t stride, void *packed, int64_t panel)
{
    uint16_t *y = packed;
    for (int64_t r = 0; r < n; r += 2) {
        const float *lo = x + r * stride, *hi = r + 1 < n ? lo + stride : NULL;
        for (int64_t i = 0; i < width; i += HL_PANEL) {
            uint16_t *to = y + i / HL_PANEL * panel + r * HL_PANEL;
            for (int64_t j = i; j < i + HL_PANEL; j += LANES) {
                __m512 a = _mm512_setzero_ps(), b = a;
                if (j < width) {
                    a = load(lo + j, width - j);
                    b = hi != NULL ? load(hi + j, width - j) : b;
                }
                _mm512_storeu_si512(to + 2 * (j - i), round_pairs(a, b));
            }
        }
    }
}

static void pack_panel(int64_t n, int64_t width, const float *x, int64_t stride, void *packed)
{
    uint16_t *y = packed;
    for (int64_t i = 0; i < width; i += 2 * LANES) {
        for (int64_t o = 0; o < HL_PANEL; o += LANES) {
            __m512i pairs[LANES];
            for (int r = 0; r < LANES; r++) {
                const float *at = x + (o + r) * stride + i;
                __m512 lo = _mm512_setzero_ps(), hi = lo;
                if (o + r < n) {
                    lo = load(at, width - i);
                    hi = width - i > LANES ? load(at + LANES, width - i - LANES) : hi;
                }
                pairs[r] = round_row(lo, hi);
            }
            transpose(pairs);
            for (int64_t k = 0; k < LANES && i + 2 * k < width; k++) {
                _mm512_storeu_si512(y + (i / 2 + k) * 2 * HL_PANEL + 2 * o, pairs[k]);
            }
        }
    }
}

static void pack_transposed(int64_t n, int64_t width, const float *x, int64_t stride, void *packed, int64_t y_stride)
{
    uint16_t *y = packed;
    int64_t n_pairs = (n + 1) / 2;
    for (int64_t r = 0; r < n; r += 2 * LANES) {
        for (int64_t o = 0; o < width; o += LANES) {
            __m512i pairs[LANES];
            for (int64_t p = 0; p < LANES; p++) {
                int64_t row = r + 2 * p;
                const float *at = x + row * stride + o;
                __m512 lo = row < n ? load(at, width - o) : _mm512_setzero_ps();
                __m512 hi = row + 1 < n ? load(at + stride, width - o) : _mm512_setzero_ps();
                pairs[p] = round_pairs(lo, hi);
            }
            transpose(pairs);
            for (int64_t c = 0; c < LANES && o + c < width; c++) {
                _mm512_mask_storeu_epi32(y + (o + c) * y_stride + r, first_lanes(n_pairs - r / 2), pairs[c]);
            }
        }
    }
}

const hl_packers *hl_bf16_packers(void)
{
    static const hl_packers packers = {
        .plain = pack_plain, .rows = pack_rows, .panel = pack_panel, .transposed = pack_transposed
    };
    return &packers;
}
#else
const hl_packers *hl_bf16_packers(void)
{
    return NULL;
}
#endif
