/* Two runs compared: each head of one beside the head of the other that does most nearly the same. */
#ifndef HL_PROGRAMS_HEADS_AGAINST_H
#define HL_PROGRAMS_HEADS_AGAINST_H

#include "programs/heads/deliver.h"
#include "study/model.h"

/* Owned by the caller: hl_heads_against_free. */
typedef struct hl_heads_against {
    hl_heads_answer answer; /* JSON: {"step", "step_against", "heads": [{"layer", "head", "label", "closest_layer",
                               "closest_head", "closest_label", "js", "untrained" (null: not known)}]}; CSV: the members
                               of "heads" as columns, empty where they are null */
    hl_text page;           /* report.html of both */
    char *path;             /* where the page goes: "<first run>/against-<name of the second>.html" */
} hl_heads_against;

/* Whether two models can be compared: HL_INVALID, naming what is different, where their vocabularies or relations
 * are. */
hl_status hl_heads_against_check(const hl_model_source *a, const hl_model_source *b);

/* Whether the second can be run on these examples of the first: HL_INVALID if they are too long for it, or it has no
 * weights. */
hl_status hl_heads_against_check_length(const hl_model_source *first, const hl_examples *examples,
                                        const hl_model_source *second);

/* Compares the run with a second one, at the last snapshot of each, on the examples of the first
 * run's. Where the second run's snapshots hold other examples (another seed, another task), its weights are run on
 * these, and its maps are those of its last step alone. Beside the divergence of two heads the table has that of the
 * same two at step 0, where both runs have that snapshot on the same examples. HL_INVALID, saying why and what to do,
 * where the two cannot be compared: other vocabularies or relations, examples too long for the second run's model,
 * other examples and no weights. HL_BAD_FILE, HL_NOT_FINITE, HL_NO_MEMORY. On failure it is empty. */
hl_status hl_heads_against_make(hl_heads_against *against, hl_opened_model *first, hl_opened_model *second);

/* A zeroed or already freed one is allowed. */
void hl_heads_against_free(hl_heads_against *against);

#endif
