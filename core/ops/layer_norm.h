/* y = (x - mean) / sqrt(var + epsilon) * gamma + beta over the last dimension of x (..., D), gamma (D), beta (D); var
 * is the mean squared deviation. Ba, Kiros and Hinton 2016. Backward, with n = (x - mean) / sqrt(var + epsilon) and g =
 * dy * gamma:
 *   dx = (g - mean(g) - n * mean(g * n)) / sqrt(var + epsilon),  dgamma = sum of dy * n,  dbeta = sum of dy
 *
 * RMS norm is y = x / sqrt(mean(x^2) + epsilon) * gamma: the same without a mean. Zhang and Sennrich 2019
 * (arXiv:1910.07467). Backward, with n = x / sqrt(mean(x^2) + epsilon):
 *   dx = (g - n * mean(g * n)) / sqrt(mean(x^2) + epsilon),  dgamma = sum of dy * n */
#pragma once

#include "core/base/declarations.h"
#include "core/tape.h"

HL_BEGIN_DECLS

/* Returns y, shaped like x. beta may be NULL. Sticky error: shapes that do not fit together, an epsilon below 0. */
hl_tensor *hl_layer_norm(hl_tape *tape, hl_tensor *x, hl_tensor *gamma, hl_tensor *beta, hl_real epsilon);

/* The same without beta. */
hl_tensor *hl_rms_norm(hl_tape *tape, hl_tensor *x, hl_tensor *gamma, hl_real epsilon);

HL_END_DECLS
