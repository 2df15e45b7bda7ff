/* y = x * s(x), number by number, with s(x) = 1 / (1 + e^-x); also called swish. Elfwing et al. 2018.
 * dx = dy * (s + x * s * (1 - s)). */
#ifndef HL_CORE_OPS_SILU_H
#define HL_CORE_OPS_SILU_H

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y, shaped like x. */
hl_tensor *hl_silu(hl_tape *tape, hl_tensor *x);

HL_END_DECLS

#endif
