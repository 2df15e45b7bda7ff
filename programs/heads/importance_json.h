/* What heads --importance writes for programs. */
#ifndef HL_PROGRAMS_HEADS_IMPORTANCE_JSON_H
#define HL_PROGRAMS_HEADS_IMPORTANCE_JSON_H

#include "core/text.h"
#include "programs/heads/importance.h"

/* {"step", "weights_step", "examples", "loss", "rank_correlation", "heads": [{"layer", "head", "label", "gradient",
 * "gradient_error", "gradient_normalised", "zero", "zero_error", "mean", "mean_error", "uniform", "uniform_error",
 * "decorative", "silent", "shapley"}], "smallest_set": {"heads": ["L0H2", ...], "loss", "accuracy"}}; null where it
 * is not known: without --shapley the last two. HL_NO_MEMORY is left on the text. */
void hl_heads_importance_json(hl_text *text, const hl_heads_importance *study);

/* The members of "heads" as columns, one row a head; empty where it is null. HL_NO_MEMORY is left on the text. */
void hl_heads_importance_csv(hl_text *text, const hl_heads_importance *study);

#endif
