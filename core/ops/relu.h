/* y = max(x, 0), number by number. dx = dy where x > 0, else 0 (also at x = 0, as in PyTorch). */
#ifndef HL_CORE_OPS_RELU_H
#define HL_CORE_OPS_RELU_H

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y, shaped like x. */
hl_tensor *hl_relu(hl_tape *tape, hl_tensor *x);

HL_END_DECLS

#endif
