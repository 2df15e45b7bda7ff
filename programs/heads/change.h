/* The heads of two models on the same examples, if one is an open model: what fine-tuning did to each head, or how the
 * heads of the two models differ. */
#pragma once

#include "programs/heads/deliver.h"
#include "study/model.h"

/* Compares the heads of two models on the examples of the first one's last snapshot, on which the second one's weights
 * run. If both models have the same shape, each head is compared with the head at the same layer and number, otherwise
 * with the most similar one (heads/match.h). Rows are sorted by js, the largest first. JSON: {"step", "step_against"
 * (null: not known), "same_shape", "examples", "heads": [{"layer", "head", "label", "score", "entropy", "confidence",
 * "distance", then the same for the other head with the prefix "against_", "js", "closest_layer", "closest_head",
 * "closest_js"}]}; CSV: the members of "heads" as columns. HL_INVALID, saying why and what to do: the first has no
 * examples, other vocabularies, examples too long for the second, no weights; HL_BAD_FILE, HL_NOT_FINITE, HL_NO_MEMORY.
 * On failure it is empty. */
hl_status hl_heads_change_make(hl_heads_answer *change, hl_opened_model *first, hl_opened_model *second);
