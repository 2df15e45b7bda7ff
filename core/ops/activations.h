/* Activations: y = f(x) and dx = dy * f'(x), number by number. Phi and phi are the distribution function and the
 * density of the standard normal distribution; s(x) = 1 / (1 + e^-x). Each returns y, shaped like x. */
#pragma once

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* y = max(x, 0). dx = dy where x > 0, else 0 (also at x = 0, as in PyTorch). */
hl_tensor *hl_relu(hl_tape *tape, hl_tensor *x);

/* y = x * Phi(x), computed with erf, not tanh; Hendrycks and Gimpel 2016. dx = dy * (Phi(x) + x * phi(x)). */
hl_tensor *hl_gelu(hl_tape *tape, hl_tensor *x);

/* The approximation of GELU in GPT-2 and other models; Hendrycks and Gimpel 2016, section 2. y = x * (1 + tanh(u)) / 2
 * = x * s(2u) with u = sqrt(2 / pi) * (x + 0.044715 x^3), dx = dy * (s + x * s * (1 - s) * 2 du/dx), du/dx = sqrt(2 /
 * pi) * (1 + 0.134145 x^2). */
hl_tensor *hl_gelu_tanh(hl_tape *tape, hl_tensor *x);

/* y = x * s(1.702 x); Hendrycks and Gimpel 2016, section 2. dx = dy * (s + 1.702 x * s * (1 - s)). */
hl_tensor *hl_quick_gelu(hl_tape *tape, hl_tensor *x);

/* y = x * s(x); also called swish. Elfwing et al. 2018. dx = dy * (s + x * s * (1 - s)). */
hl_tensor *hl_silu(hl_tape *tape, hl_tensor *x);

/* y = tanh(x). dx = dy / cosh(x)^2. */
hl_tensor *hl_tanh(hl_tape *tape, hl_tensor *x);

HL_END_DECLS
