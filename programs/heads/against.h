/* Compares the model of a call of `heads compare` with a second one, head by head. */
#pragma once

#include "programs/heads/call.h"

/* Compares a run with a second run, each head of one beside the most similar head of the other, at the last snapshots
 * of both, on the examples of the first run's snapshot. If the second run's snapshots hold other examples (another seed
 * or task), its weights run on these examples, and it has maps of its last step only. The table shows the divergence of
 * two heads, and that of the same two at step 0 if both runs have that snapshot on the same examples. JSON: {"step",
 * "step_against", "heads": [{"layer", "head", "label", "closest_layer", "closest_head", "closest_label", "js",
 * "untrained" (null: not known)}]}; CSV: the members of "heads" as columns, empty where they are null. report.html of
 * both goes to "<first run>/against-<name of the second>.html", or where --report says. HL_INVALID, saying why and what
 * to do, if the runs cannot be compared: other vocabularies or relations, examples too long for the second model, or
 * other examples and no weights. HL_BAD_FILE, HL_NOT_FINITE, HL_NO_MEMORY. */
hl_status hl_heads_against_show(hl_heads_call *call, hl_opened_model *second);

/* Compares the heads of two models, of which one is an open model: what fine-tuning did to each head, or how the heads
 * differ (programs/heads/change.c). The second one's weights run on the examples of the first one's last snapshot. If
 * both models have the same shape, each head is compared with the head at the same layer and number, otherwise with the
 * most similar one (heads/match.h). Rows are sorted by js, the largest first. JSON: {"step", "step_against" (null: not
 * known), "same_shape", "examples", "heads": [{"layer", "head", "label", "score", "entropy", "confidence", "distance",
 * then the same for the other head with the prefix "against_", "js", "closest_layer", "closest_head", "closest_js"}]};
 * CSV: the members of "heads" as columns. HL_INVALID, saying why and what to do: the first has no examples, other
 * vocabularies, examples too long for the second, no weights; HL_BAD_FILE, HL_NOT_FINITE, HL_NO_MEMORY. */
hl_status hl_heads_change_show(hl_heads_call *call, hl_opened_model *second);

/* ---- what both ask first ---- */

/* Whether two models can be compared, and whether there is memory for it. HL_INVALID, naming the difference, if their
 * vocabularies or relations differ. HL_NO_MEMORY. */
hl_status hl_heads_against_check(const hl_opened_model *first, const hl_opened_model *second);

/* Whether the second model can run on these examples of the first. HL_INVALID if they are too long for it, or if it has
 * no weights. */
hl_status hl_heads_against_check_length(const hl_model_source *first, const hl_examples *examples,
                                        const hl_model_source *second);
