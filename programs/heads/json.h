/* The table of heads (study/heads_table.h) as JSON. */
#pragma once

#include "core/base/text.h"
#include "programs/results.h"
#include "study/study.h"

/* Adds {"step", "examples", "loss", "weights_step", "heads": [{"layer", "head", "label", "score", "baseline", "lift",
 * "entropy" (nats), "entropy_normalised", "confidence", "distance", "distance_signed", "best_offset", "importance",
 * "loss_without", "standard_error", "kept", "faithful", "faithful_in_group", "relation", "direction", "held_out",
 * "held_out_baseline" (of the second label: programs/heads/treebank_table.h)}], "groups": [{"layer", "label", "heads",
 * "loss_without", "standard_error", "kept", "faithful"}]}. What is not known is null; verdicts are true, false or null.
 * HL_NO_MEMORY is left on the text. */
void hl_heads_json_print(hl_text *text, const hl_heads_study *study, const char *const *relations);

/* Whether the effect says that a head is faithful: 0, 1, or NAN if it does not tell, or is NULL. */
double hl_heads_truth(const hl_head_effect *effect);

/* Adds "loss_without", "standard_error", "kept" and "faithful" for programs; NULL: nothing is known. */
void hl_heads_add_effect(hl_row *row, const hl_head_effect *effect);
