/* y = x + b, where b has the shape of x or of x's last dimensions: a residual (B, T, D), positions (T, D), a bias (D).
 * dx = dy, db = dy summed over the leading dimensions that b lacks. */
#pragma once

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y, shaped like x. Sticky error: b's shape does not match the last dimensions of x. */
hl_tensor *hl_add(hl_tape *tape, hl_tensor *x, hl_tensor *b);

HL_END_DECLS
