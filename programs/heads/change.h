/* The heads of two models on the same examples, one of which is an open model: what a training that began with it did
 * to each head, or how the heads of one model differ from another's. */
#ifndef HL_PROGRAMS_HEADS_CHANGE_H
#define HL_PROGRAMS_HEADS_CHANGE_H

#include "programs/heads/deliver.h"
#include "study/model.h"

/* Compares the heads of the first model with those of the second, whose weights are run on the examples of the first
 * one's last snapshot: each with the head in its place where both models have the same shape, else with the closest
 * (heads/match.h). Rows are in the order of js, the largest first. JSON: {"step", "step_against" (null: not known),
 * "same_shape", "examples", "heads": [{"layer", "head", "label", "score", "entropy", "confidence", "distance", then the
 * same of the other head with "against_" before, "js", "closest_layer", "closest_head", "closest_js"}]}; CSV: the
 * members of "heads" as columns. HL_INVALID, saying why and what to do: the first has no examples, other vocabularies,
 * examples too long for the second, no weights; HL_BAD_FILE, HL_NOT_FINITE, HL_NO_MEMORY. On failure it is empty. */
hl_status hl_heads_change_make(hl_heads_answer *change, hl_opened_model *first, hl_opened_model *second);

#endif
