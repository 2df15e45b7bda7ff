/* A model with fewer heads: what is gone takes no memory and no time any more. */
#ifndef HL_HEADS_PRUNE_H
#define HL_HEADS_PRUNE_H

#include "core/declarations.h"
#include "core/status.h"
#include "layers/model.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Makes *pruned the model of the heads in `kept` (one bool a head, by layer and head; head_set.h): of q, k and v
 * their rows, of W_O their columns, all else as it is. Its logits are those of `model` with the other heads' outputs
 * set to zero, up to rounding. Remaining heads stay in order. Key/value heads stay shared by as many heads as
 * divides what is left to each (3 and 1 of 4: by none), and are repeated as often as that takes. It is to be looked at:
 * its parameters have no gradients. HL_INVALID: a layer without heads, a model that is not allocated; HL_NO_MEMORY. To be
 * ended by hl_model_free, whatever this returns. */
hl_status hl_prune(const hl_model *model, const bool *kept, hl_model *pruned);

/* The head to go next: of those in `kept` the least important one (the first of equals) whose layer has another one in
 * it, by layer and head; -1 where every layer has but one. importance: (n), of every head of the model that `kept`
 * is of. */
int64_t hl_prune_next(const hl_model_config *config, const double *importance, const bool *kept);

HL_END_DECLS

#endif
