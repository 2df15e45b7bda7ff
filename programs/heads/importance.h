/* Which heads the loss depends on: the measures of `heads importance`, which `heads grammar --importance` joins. */
#pragma once

#include "programs/heads/call.h"
#include "programs/heads/importance_table.h"

/* Measures the heads of the snapshot of the command's step (-1: the last one), with --shapley also all sets of heads;
 * that these may take long goes to call->err. Several processes measure together. HL_INVALID (no such step, or none of
 * its weights; more heads than --shapley takes), HL_BAD_FILE, HL_NOT_FINITE, HL_NO_MEMORY. Ended by
 * hl_heads_importance_free, whatever this returns. */
hl_status hl_heads_importance_measure(hl_heads_importance *study, hl_heads_call *call);

/* A zeroed or already freed one is allowed. */
void hl_heads_importance_free(hl_heads_importance *study);
