/* Gradients of parameters that need not be zeroed before a step; used by core and train. */
#ifndef HL_CORE_PRIVATE_FORGOTTEN_GRADS_H
#define HL_CORE_PRIVATE_FORGOTTEN_GRADS_H

#include "core/parameters.h"

/* Does what hl_parameters_zero_grad is for, without writing zeros: the next backward overwrites each gradient when it
 * first reaches it. It concerns the block last given to hl_parameters_grads_into, if any. Until hl_forgotten_grads_end,
 * read no gradient and walk tapes back one after the other. After hl_parameters_allocate; cannot fail. */
void hl_forgotten_grads_begin(hl_parameters *parameters);

/* Zeroes the gradients that no backward has reached. */
void hl_forgotten_grads_end(hl_parameters *parameters);

#endif
