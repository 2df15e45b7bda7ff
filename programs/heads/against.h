/* Compares two runs: each head of one beside the most similar head of the other. */
#pragma once

#include "programs/heads/deliver.h"
#include "study/model.h"

/* Owned by the caller, who frees it with hl_heads_against_free. */
typedef struct hl_heads_against {
    hl_heads_answer answer; /* JSON: {"step", "step_against", "heads": [{"layer", "head", "label", "closest_layer",
                               "closest_head", "closest_label", "js", "untrained" (null: not known)}]}; CSV: the members
                               of "heads" as columns, empty where they are null */
    hl_text page;           /* report.html of both */
    char *path;             /* the path of the page: "<first run>/against-<name of the second>.html" */
} hl_heads_against;

/* Whether two models can be compared. HL_INVALID, naming the difference, if their vocabularies or relations differ. */
hl_status hl_heads_against_check(const hl_model_source *a, const hl_model_source *b);

/* Whether the second model can run on these examples of the first. HL_INVALID if they are too long for it, or if it has
 * no weights. */
hl_status hl_heads_against_check_length(const hl_model_source *first, const hl_examples *examples,
                                        const hl_model_source *second);

/* Compares the run with a second one, at the last snapshots of both, on the examples of the first run's snapshot. If
 * the second run's snapshots hold other examples (another seed or task), its weights run on these examples, and it has
 * maps of its last step only. The table shows the divergence of two heads, and that of the same two at step 0 if both
 * runs have that snapshot on the same examples. HL_INVALID, saying why and what to do, if the runs cannot be compared:
 * other vocabularies or relations, examples too long for the second model, or other examples and no weights.
 * HL_BAD_FILE, HL_NOT_FINITE, HL_NO_MEMORY. On failure *against is empty. */
hl_status hl_heads_against_make(hl_heads_against *against, hl_opened_model *first, hl_opened_model *second);

/* A zeroed or already freed one is allowed. */
void hl_heads_against_free(hl_heads_against *against);
