#include "core/kernels/mask.h"

#include "core/kernels/grad.h"
#include "core/kernels/private/exp.h"
#include "core/kernels/private/lanes.h"

#include <math.h>
#include <string.h>

hl_status hl_mask_check(const hl_mask *mask, int64_t B, int64_t H, int64_t Tq, int64_t Tk, bool check_numbers)
{
    if (mask->window < 0 || mask->window > (int64_t)1 << 30) {
        return hl_error(HL_INVALID, "a window of %lld keys is not in 0 .. 2^30", (long long)mask->window);
    }
    if (mask->bias != NULL) {
        hl_shape s = mask->bias->shape;
        if (s.n_dims != 4 || (s.size[0] != 1 && s.size[0] != B) || (s.size[1] != 1 && s.size[1] != H) ||
            s.size[2] < Tq || s.size[3] < Tk) {
            return hl_error(HL_INVALID, "the bias is %s, neither %s nor 1 in one of the first two places",
                            HL_SHAPE_SHOWN(s), HL_SHAPE_SHOWN(HL_SHAPE(B, H, Tq, Tk)));
        }
        if (check_numbers && mask->bias->data == NULL) {
            return hl_error(HL_INVALID, "the bias has no numbers");
        }
    }
    return hl_ok();
}

const hl_real *hl_mask_row_bias(const hl_mask *mask, int64_t b, int64_t h, int64_t i)
{
    if (mask->bias == NULL) {
        return NULL;
    }
    const int64_t *size = mask->bias->shape.size;
    int64_t matrix = (size[0] > 1 ? b : 0) * size[1] + (size[1] > 1 ? h : 0);
    return mask->bias->data + (matrix * size[2] + i) * size[3];
}

/* Loops over whole vectors take a third of the time of loops with a remainder. So -inf is written after the row up to a
 * whole vector, if that ends within Tk numbers; e^-inf adds nothing. Returns how many numbers to loop over. */
static int64_t pad_row(int64_t n, int64_t Tk, hl_real *w)
{
    int64_t whole = (n + HL_LANES - 1) / HL_LANES * HL_LANES;
    if (whole > Tk) {
        return n;
    }
    for (int64_t j = n; j < whole; j++) {
        w[j] = -INFINITY;
    }
    return whole;
}

/* Replaces each x by e^x, relative to the largest number. Returns the sum. */
static hl_real exponentials(int64_t n, hl_real largest, hl_real *w)
{
    hl_real sums[HL_LANES] = { 0 };
    HL_FOR_LANES(n, j, l, {
        w[j] = hl_exp(w[j] - largest);
        sums[l] += w[j];
    });
    return hl_lanes_sum(sums);
}

/* The state of a row between the steps of its softmax. */
typedef struct softmax_row {
    hl_keys keys;        /* those it sees, as positions in the row */
    int64_t whole;       /* the end of the keys, padded to whole vectors (pad_row) */
    const hl_real *bias; /* NULL if there is none */
    hl_real largest, inverse;
} softmax_row;

/* Keys before those it sees become -inf, as in pad_row. */
static softmax_row begin_row(const hl_real *bias, hl_keys keys, int64_t Tk, hl_real *w)
{
    for (int64_t j = 0; j < keys.begin; j++) {
        w[j] = -INFINITY;
    }
    for (int64_t j = keys.begin; bias != NULL && j < keys.end; j++) {
        w[j] += bias[j];
    }
    int64_t whole = pad_row(keys.end, Tk, w);
    return (softmax_row){ .keys = keys, .whole = whole, .bias = bias, .largest = hl_largest(whole, w) };
}

static void raise_row(softmax_row *row, hl_real *w)
{
    if (row->largest == -INFINITY) {
        for (int64_t j = 0; j < row->keys.end;
             j++) { /* 0 for forbidden keys, but a NaN or an overflow must stay visible */
            bool forbidden = row->bias != NULL && row->bias[j] == -INFINITY;
            w[j] = forbidden && !isnan(w[j]) ? 0 : (hl_real)NAN;
        }
        row->inverse = 1;
    } else {
        row->inverse = 1 / exponentials(row->whole, row->largest, w);
    }
}

static void end_row(const softmax_row *row, int64_t Tk, hl_real *w)
{
#pragma omp simd
    for (int64_t j = 0; j < row->whole; j++) {
        w[j] *= row->inverse;
    }
    for (int64_t j = 0; j < row->keys.begin; j++) {
        w[j] = 0;
    }
    for (int64_t j = row->keys.end; j < Tk; j++) {
        w[j] = 0;
    }
}

void hl_masked_softmax(const hl_real *x, const hl_real *bias, hl_keys keys, int64_t Tk, hl_real *w)
{
    if (x != w) {
        memcpy(w, x, (size_t)keys.end * sizeof *w);
    }
    softmax_row row = begin_row(bias, keys, Tk, w);
    raise_row(&row, w);
    end_row(&row, Tk, w);
}

/* Handles a row of one whole vector without a bias, where n numbers are keys: it stays in registers. Returns false,
 * without changing anything, if the row must be handled otherwise. */
static bool softmax_vector(int64_t n, hl_real w[HL_LANES])
{
    hl_real x[HL_LANES], most[HL_LANES], sums[HL_LANES];
#pragma omp simd
    for (int l = 0; l < HL_LANES; l++) {
        x[l] = l < n ? w[l] : -INFINITY;
        most[l] = x[l] > -INFINITY ? x[l] : -INFINITY; /* not NaN */
    }
    hl_real largest = hl_lanes_max(most);
    if (largest == -INFINITY) {
        return false;
    }
#pragma omp simd
    for (int l = 0; l < HL_LANES; l++) {
        x[l] = hl_exp(x[l] - largest);
        sums[l] = x[l];
    }
    hl_real inverse = 1 / hl_lanes_sum(sums);
#pragma omp simd
    for (int l = 0; l < HL_LANES; l++) {
        w[l] = l < n ? x[l] * inverse : 0;
    }
    return true;
}

/* The row of query i, which begins with key `first_key`. */
static softmax_row begin_query(const hl_mask *mask, int64_t b, int64_t h, int64_t i, int64_t first_key, int64_t n_keys,
                               int64_t stride, hl_real *w)
{
    const hl_real *bias = hl_mask_row_bias(mask, b, h, i);
    hl_keys keys = hl_mask_row_keys(mask, i, n_keys);
    return begin_row(bias != NULL ? bias + first_key : NULL, (hl_keys){ keys.begin - first_key, keys.end - first_key },
                     stride, w);
}

void hl_masked_softmax_rows(const hl_mask *mask, int64_t b, int64_t h, int64_t first, int64_t n_rows, int64_t first_key,
                            int64_t n_keys, int64_t stride, hl_real *w)
{
    enum { TOGETHER = 8 };
    softmax_row rows[TOGETHER];
    int64_t at = 0;
    while (stride == HL_LANES && mask->bias == NULL && mask->window == 0 && at < n_rows &&
           softmax_vector(hl_mask_row_keys(mask, first + at, n_keys).end, w + at * stride)) {
        at++;
    }
    for (; at < n_rows; at += TOGETHER) {
        int64_t n = n_rows - at < TOGETHER ? n_rows - at : TOGETHER;
        for (int64_t i = 0; i < n; i++) {
            rows[i] = begin_query(mask, b, h, first + at + i, first_key, n_keys, stride, w + (at + i) * stride);
        }
        for (int64_t i = 0; i < n; i++) {
            raise_row(&rows[i], w + (at + i) * stride);
        }
        for (int64_t i = 0; i < n; i++) {
            end_row(&rows[i], stride, w + (at + i) * stride);
        }
    }
}

void hl_masked_softmax_backward(const hl_real *w, const hl_real *dw, int64_t n, hl_real factor, hl_real *dx, bool add)
{
    hl_real sums[HL_LANES] = { 0 };
    HL_FOR_LANES(n, j, l, sums[l] += w[j] * dw[j]);
    hl_real inner = hl_lanes_sum(sums);
#pragma omp simd
    for (int64_t j = 0; j < n; j++) {
        hl_grad_put(&dx[j], factor * w[j] * (dw[j] - inner), add);
    }
}
