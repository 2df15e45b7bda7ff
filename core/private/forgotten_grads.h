/* Lets a step begin without zeroing the gradients of parameters. Used by core and train. */
#pragma once

#include "core/parameters.h"

/* Replaces hl_parameters_zero_grad without writing zeros: the next backward overwrites each gradient when it first
 * reaches it. If hl_parameters_grads_into was called, this concerns the block given last. Until hl_forgotten_grads_end,
 * do not read any gradient, and run backward on one tape after another. Call hl_parameters_allocate first. Cannot
 * fail. */
void hl_forgotten_grads_begin(hl_parameters *parameters);

/* Zeroes the gradients that backward has not reached. */
void hl_forgotten_grads_end(hl_parameters *parameters);
