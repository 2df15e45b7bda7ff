/* Which keys a query may attend to, and the softmax over them. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/tensor.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Every field may be absent; a zeroed mask permits everything. The mask owns nothing. */
typedef struct hl_mask {
    bool causal;    /* query i sees keys j <= i */
    int64_t window; /* w: query i sees only keys near i, |i - j| <= w / 2, or i - w < j <= i if the mask is causal
                              (Beltagy et al. 2020, "Longformer"; Child et al. 2019). 0: keys at any distance */
    const hl_tensor *bias; /* (B or 1, H or 1, Tq, Tk), added to the scores; -inf forbids. It has no gradient. With
                              sequences, Tq and Tk are at least the longest lengths */
} hl_mask;

/* HL_INVALID, with a text, if the window is not in 0 .. 2^30, or the bias has another shape or no numbers. If
 * `check_numbers` is false, checks only shapes. */
hl_status hl_mask_check(const hl_mask *mask, int64_t B, int64_t H, int64_t Tq, int64_t Tk, bool check_numbers);

/* Keys begin .. end - 1 of a sequence. */
typedef struct hl_keys {
    int64_t begin, end;
} hl_keys;

/* How many keys before its own position, and after it, a query sees through the mask's window, which is not 0. */
static inline int64_t hl_mask_before(const hl_mask *mask)
{
    return mask->causal ? mask->window - 1 : mask->window / 2;
}

static inline int64_t hl_mask_after(const hl_mask *mask)
{
    return mask->causal ? 0 : mask->window / 2;
}

/* Which of n_keys keys query i may see; the bias may forbid some of them. */
static inline hl_keys hl_mask_row_keys(const hl_mask *mask, int64_t i, int64_t n_keys)
{
    int64_t before = hl_mask_before(mask), after = hl_mask_after(mask);
    bool ends = mask->causal || mask->window > 0;
    int64_t end = ends && i + after + 1 < n_keys ? i + after + 1 : n_keys;
    int64_t begin = mask->window > 0 && i > before ? i - before : 0;
    hl_keys keys = { begin < end ? begin : end, end };
    return keys;
}

/* How many of n keys count in the arithmetic of a query: those of its window, or without a window all, although a
 * causal mask shows fewer. The products of a block multiply a few more. */
static inline int64_t hl_mask_keys(const hl_mask *mask, int64_t n)
{
    int64_t most = hl_mask_before(mask) + 1 + hl_mask_after(mask);
    return mask->window > 0 && most < n ? most : n;
}

/* The bias (Tk) for query i in head h of example b; NULL if there is none. */
const hl_real *hl_mask_row_bias(const hl_mask *mask, int64_t b, int64_t h, int64_t i);

/* w (Tk) = softmax(x + bias) over the given keys, and 0 elsewhere. All of w is 0 if there are none or every key is
 * forbidden. `bias` may be NULL; x and w may be the same. */
void hl_masked_softmax(const hl_real *x, const hl_real *bias, hl_keys keys, int64_t Tk, hl_real *w);

/* The same in place, for queries first .. first + n_rows - 1 in head h of example b, which has n_keys keys. Row i is w
 * + i * stride. It begins with key `first_key` and reaches to the last key that the query may see. All `stride` numbers
 * are written. Each sum in a row depends on the previous one, so alternating between several rows keeps a core busy. */
void hl_masked_softmax_rows(const hl_mask *mask, int64_t b, int64_t h, int64_t first, int64_t n_rows, int64_t first_key,
                            int64_t n_keys, int64_t stride, hl_real *w);

/* Backward through the softmax: dx (n) = (or +=) factor * w * (dw - sum(w * dw)). dw and dx may be the same. */
void hl_masked_softmax_backward(const hl_real *w, const hl_real *dw, int64_t n, hl_real factor, hl_real *dx, bool add);

HL_END_DECLS
