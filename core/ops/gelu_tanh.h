/* y = x * (1 + tanh(u)) / 2 = x * s(2u) with u = sqrt(2 / pi) * (x + 0.044715 x^3), s(v) = 1 / (1 + e^-v), number by
 * number: GELU as GPT-2 and others approximate it; Hendrycks and Gimpel 2016, section 2.
 * dx = dy * (s + x * s * (1 - s) * 2 du/dx), du/dx = sqrt(2 / pi) * (1 + 0.134145 x^2). */
#ifndef HL_CORE_OPS_GELU_TANH_H
#define HL_CORE_OPS_GELU_TANH_H

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y, shaped like x. */
hl_tensor *hl_gelu_tanh(hl_tape *tape, hl_tensor *x);

HL_END_DECLS

#endif
