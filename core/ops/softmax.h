/* w = softmax(x + bias) over the last dimension where a mask permits it, and 0 elsewhere. A row without a permitted key
 * is zero. dx = w * (dw - sum(w * dw)). */
#pragma once

#include "core/base/declarations.h"
#include "core/kernels/mask.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns w, shaped like x (B, Tq, Tk), which holds the scores of head `head`; `head` selects the bias. If x has
 * another shape (..., Tk), its second-to-last dimension counts as queries, and there must be no bias. A zeroed mask
 * permits everything. The arrays of the mask must outlive the tape. Sticky error: a mask that does not fit. */
hl_tensor *hl_softmax(hl_tape *tape, hl_tensor *x, hl_mask mask, int64_t head);

HL_END_DECLS
