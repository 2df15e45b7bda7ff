/* w = softmax(x + bias) over the last dimension, where a mask permits it, and 0 elsewhere; a row without any permitted
 * key is zero. dx = w * (dw - sum(w * dw)). */
#ifndef HL_CORE_OPS_SOFTMAX_H
#define HL_CORE_OPS_SOFTMAX_H

#include "core/base/declarations.h"
#include "core/kernels/mask.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns w, shaped like x (B, Tq, Tk), the scores of head `head`, which picks the bias. An x of another shape (...,
 * Tk) has the rows of its last but one dimension as queries; a bias must then be absent. A zeroed mask
 * permits everything; arrays it names must outlive the tape. Sticky error: a mask that does not fit. */
hl_tensor *hl_softmax(hl_tape *tape, hl_tensor *x, hl_mask mask, int64_t head);

HL_END_DECLS

#endif
