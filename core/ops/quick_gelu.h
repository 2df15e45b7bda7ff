/* y = x * s(1.702 x), number by number, with s(u) = 1 / (1 + e^-u); Hendrycks and Gimpel 2016, section 2.
 * dx = dy * (s + 1.702 x * s * (1 - s)). */
#ifndef HL_CORE_OPS_QUICK_GELU_H
#define HL_CORE_OPS_QUICK_GELU_H

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y, shaped like x. */
hl_tensor *hl_quick_gelu(hl_tape *tape, hl_tensor *x);

HL_END_DECLS

#endif
