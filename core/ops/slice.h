/* y = the columns first ... first + width - 1 of x's last dimension, such as one head's columns of q, k, v or W_O. dx
 * is dy in those columns and 0 in the others. */
#pragma once

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y (..., width) for x (..., D). Sticky error: columns outside x. */
hl_tensor *hl_slice(hl_tape *tape, hl_tensor *x, int64_t first, int64_t width);

HL_END_DECLS
