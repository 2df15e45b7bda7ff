/* Makes a model with fewer heads, which needs less memory and time. */
#ifndef HL_HEADS_PRUNE_H
#define HL_HEADS_PRUNE_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "layers/model.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Makes *pruned the model of the heads in `kept` (one bool for each head, by layer and head; heads/head_set.h), with
 * their rows of q, k and v, their columns of W_O, and everything else unchanged. Up to rounding its logits are those of
 * `model` with the other heads' outputs set to zero. Remaining heads stay in order. Where heads share key/value heads,
 * the new ones are shared by the largest number of heads that divides what remains of every group (3 and 1 of 4: by one
 * each), and are repeated accordingly. The parameters have no gradients. HL_INVALID: a layer without heads, a model
 * that is not allocated; HL_NO_MEMORY. Owned by the caller, on failure too: hl_model_free. */
hl_status hl_prune(const hl_model *model, const bool *kept, hl_model *pruned);

/* The head to remove next, by layer and head: the least important one in `kept` (the first of equals) whose layer has
 * another one in it; -1 where every layer has only one. `importance` (n): of every head of the unpruned model. */
int64_t hl_prune_next(const hl_model_config *config, const double *importance, const bool *kept);

HL_END_DECLS

#endif
