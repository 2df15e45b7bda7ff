/* Makes a model with fewer heads, which needs less memory and less time. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "layers/model.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Makes *pruned the model that has only the heads in `kept` (one bool for each head, by layer and head;
 * heads/head_set.h). These keep their rows of q, k and v and their columns of W_O; everything else is unchanged. Up to
 * rounding, its logits are those of `model` with the other heads' outputs set to zero. The remaining heads keep their
 * order. If heads share key/value heads, each key/value head of the new model is shared by the largest number of heads
 * that divides what remains of every group, and is repeated accordingly. If 3 heads remain of one group and 1 of
 * another with 4 each, every head has its own. The parameters have no gradients. HL_INVALID (a layer without heads, a
 * model that is not allocated), HL_NO_MEMORY. Owned by the caller, on failure too: hl_model_free. */
hl_status hl_prune(const hl_model *model, const bool *kept, hl_model *pruned);

/* The head to remove next, by layer and head: the least important head in `kept`, the first among equals, whose layer
 * has another head in `kept`. Returns -1 if every layer has only one. `importance` (n): the importance of every head of
 * the unpruned model. */
int64_t hl_prune_next(const hl_model_config *config, const double *importance, const bool *kept);

HL_END_DECLS
