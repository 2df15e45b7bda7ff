/* Which keys a query may attend to, and the softmax over them. */
#ifndef HL_CORE_KERNELS_MASK_H
#define HL_CORE_KERNELS_MASK_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/tensor.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Every field may be absent; a zeroed mask permits everything. Nothing is owned. */
typedef struct hl_mask {
    bool causal;           /* query i sees keys j <= i */
    const hl_tensor *bias; /* (B or 1, H or 1, Tq, Tk), added to the scores; -inf forbids. Carries no gradient. With
                              sequences, Tq and Tk are at least the longest */
} hl_mask;

/* HL_INVALID, in words, where the bias has another shape or no numbers. `check_numbers` false looks at shapes alone. */
hl_status hl_mask_check(const hl_mask *mask, int64_t B, int64_t H, int64_t Tq, int64_t Tk, bool check_numbers);

/* How many of n_keys keys query i may see: the first so many, unless the bias forbids some of them. */
static inline int64_t hl_mask_row_keys(const hl_mask *mask, int64_t i, int64_t n_keys)
{
    return mask->causal && i + 1 < n_keys ? i + 1 : n_keys;
}

/* The bias (Tk) of query i of head h of example b; NULL where there is none. */
const hl_real *hl_mask_row_bias(const hl_mask *mask, int64_t b, int64_t h, int64_t i);

/* w (Tk) = softmax(x + bias) over the first n numbers of x, 0 beyond them; all zero where n is 0 or every key is
 * forbidden. `bias` may be NULL; x and w may be the same. */
void hl_masked_softmax(const hl_real *x, const hl_real *bias, int64_t n, int64_t Tk, hl_real *w);

/* The same in place, for queries first .. first + n_rows - 1 of head h of an example b of n_keys keys; row i is w + i *
 * stride, of which all `stride` >= n_keys numbers are written. Each sum of a row depends on the one before; working on
 * several rows alternately keeps a core busy. */
void hl_masked_softmax_rows(const hl_mask *mask, int64_t b, int64_t h, int64_t first, int64_t n_rows, int64_t n_keys,
                            int64_t stride, hl_real *w);

/* dx (n) = (or +=) factor * w * (dw - sum(w * dw)), the way back through the softmax. dw and dx may be the same. */
void hl_masked_softmax_backward(const hl_real *w, const hl_real *dw, int64_t n, hl_real factor, hl_real *dx, bool add);

HL_END_DECLS

#endif
