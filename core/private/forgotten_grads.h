/* Gradients of parameters that need not be zeroed before a step; used by core and train. */
#ifndef HL_CORE_PRIVATE_FORGOTTEN_GRADS_H
#define HL_CORE_PRIVATE_FORGOTTEN_GRADS_H

#include "core/declarations.h"
#include "core/parameters.h"

HL_BEGIN_DECLS

/* As hl_parameters_zero_grad, where hl_parameters_grads_into points to if that was called, but without a pass over the
 * memory: the next backward overwrites a parameter's gradient where it first reaches it. Until hl_forgotten_grads_end
 * gradients are not to be read, and tapes walk back one after the other. After hl_parameters_allocate; cannot fail. */
void hl_forgotten_grads_begin(hl_parameters *parameters);

/* Zeroes the gradients that no backward has reached. */
void hl_forgotten_grads_end(hl_parameters *parameters);

HL_END_DECLS

#endif
