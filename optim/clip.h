/* Clipping by the global norm: the gradients of all parameters count as one vector. */
#pragma once

#include "core/base/declarations.h"
#include "core/parameters.h"

HL_BEGIN_DECLS

/* Returns the norm sqrt(sum g^2) over all gradients before clipping. It is computed in double on at most `threads`
 * threads, with the same bits for any number of threads. If the norm is above max_norm, all gradients are multiplied by
 * max_norm / (norm + 1e-6), as in PyTorch's clip_grad_norm_; max_norm 0 only measures. If the norm is infinite or NaN,
 * it is returned and no gradient changes: the caller must not make the step. Frozen parameters count with the zeros
 * that hl_parameters_zero_grad left. Also returns NaN if `parameters` are not allocated. */
double hl_clip_gradients(int threads, hl_parameters *parameters, double max_norm);

/* The first parameter, in order of registration, with a gradient that is infinite or NaN; NULL if there is none. Owned
 * by the registry. It names the cause of a norm that is not finite. */
const hl_parameter *hl_clip_find_not_finite(const hl_parameters *parameters);

HL_END_DECLS
