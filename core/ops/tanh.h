/* y = tanh(x), number by number. dx = dy / cosh(x)^2. */
#ifndef HL_CORE_OPS_TANH_H
#define HL_CORE_OPS_TANH_H

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y, shaped like x. */
hl_tensor *hl_tanh(hl_tape *tape, hl_tensor *x);

HL_END_DECLS

#endif
