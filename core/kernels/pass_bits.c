#include "core/kernels/private/pass_bits.h"

#include <string.h>

enum { GROUP = HL_PASS_GROUP, LANES = HL_PASS_BYTES };

int64_t hl_pass_bytes(int64_t count)
{
    return (count / GROUP + (count % GROUP != 0)) * HL_PASS_BYTES;
}

static void put_bits(const hl_real *x, hl_real floor, const hl_real *m, uint8_t bits[HL_PASS_BYTES])
{
    uint32_t wide[LANES] = { 0 };
    for (int r = 0; r < GROUP / LANES; r++) {
        const hl_real *xs = x + r * LANES, *ms = m + r * LANES;
#pragma omp simd
        for (int l = 0; l < LANES; l++) {
            wide[l] |= (uint32_t)((xs[l] > floor) & (ms[l] != 0)) << r;
        }
    }
    for (int l = 0; l < LANES; l++) {
        bits[l] = (uint8_t)wide[l];
    }
}

void hl_pass_forward(int n, const hl_real *x, hl_real floor, const hl_real *m, const hl_real *r, hl_real *y,
                     uint8_t bits[HL_PASS_BYTES])
{
    if (n < GROUP && bits != NULL) {
        hl_real padded_x[GROUP] = { 0 }, padded_m[GROUP] = { 0 };
        memcpy(padded_x, x, (size_t)n * sizeof *x);
        memcpy(padded_m, m, (size_t)n * sizeof *m);
        put_bits(padded_x, floor, padded_m, bits);
    } else if (bits != NULL) {
        put_bits(x, floor, m, bits);
    }
    if (r != NULL) {
#pragma omp simd
        for (int i = 0; i < n; i++) {
            y[i] = r[i] + (x[i] < floor ? floor : x[i]) * m[i];
        }
    } else {
#pragma omp simd
        for (int i = 0; i < n; i++) {
            y[i] = (x[i] < floor ? floor : x[i]) * m[i];
        }
    }
}

static void group_backward(int n, const uint8_t bits[HL_PASS_BYTES], hl_real scale, const hl_real *dy, hl_real *dx,
                           bool add)
{
    uint32_t wide[LANES];
    for (int l = 0; l < LANES; l++) {
        wide[l] = bits[l];
    }
    for (int r = 0; r * LANES < n; r++) {
        int left = n - r * LANES < LANES ? n - r * LANES : LANES;
        const hl_real *dys = dy + r * LANES;
        hl_real *dxs = dx + r * LANES;
#pragma omp simd
        for (int l = 0; l < left; l++) {
            hl_real passed = dys[l] * ((wide[l] & 1u << r) != 0 ? scale : 0);
            dxs[l] = add ? dxs[l] + passed : passed;
        }
    }
}

void hl_pass_backward(int64_t count, const uint8_t *bits, hl_real scale, const hl_real *dy, hl_real *dx, bool add)
{
    int64_t i = 0;
    for (; i + GROUP <= count; i += GROUP) { /* with a constant count, whole vectors are used */
        group_backward(GROUP, bits + i / GROUP * HL_PASS_BYTES, scale, dy + i, dx + i, add);
    }
    if (i < count) {
        group_backward((int)(count - i), bits + i / GROUP * HL_PASS_BYTES, scale, dy + i, dx + i, add);
    }
}
