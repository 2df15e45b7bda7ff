/* y = x W^T + b for every row of x: x (..., I), W (O, I), b (O), y (..., O).
 * dx = dy W, dW = dy^T x, db = the column sums of dy. */
#ifndef HL_CORE_OP_LINEAR_H
#define HL_CORE_OP_LINEAR_H

#include "core/tape.h"

/* Returns y. b may be NULL. Sticky error: shapes that do not fit. */
hl_tensor *hl_linear(hl_tape *tape, hl_tensor *x, hl_tensor *W, hl_tensor *b);

#endif
