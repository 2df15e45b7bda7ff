/* y = x * Phi(x), number by number, where Phi is the standard normal distribution, by erf and not by tanh; Hendrycks
 * and Gimpel 2016. dx = dy * (Phi(x) + x * phi(x)). */
#ifndef HL_CORE_OPS_GELU_H
#define HL_CORE_OPS_GELU_H

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y, shaped like x. */
hl_tensor *hl_gelu(hl_tape *tape, hl_tensor *x);

HL_END_DECLS

#endif
