/* What heads find in a treebank, as a table, Markdown, JSON and CSV. */
#pragma once

#include "programs/heads/deliver.h"
#include "programs/results.h"
#include "study/syntax_study.h"

/* All functions add to the answer's texts and leave HL_NO_MEMORY on them. */

/* The table: a sentence about what was read, a row for each relation, an explanation of the columns, the heads that
 * earn a label, and the trees, if they were made. Without `wide`, it has only held-out numbers. Markdown: the rows with
 * all numbers as a table, and the trees as another one. */
void hl_heads_treebank_table(hl_heads_answer *answer, const hl_syntax_study *study, bool wide);

/* A row for each head that earns a label, with its held-out numbers; there may be none. */
hl_results hl_heads_earning(const hl_syntax_study *study);

/* A row for each kind of trees. */
hl_results hl_heads_trees(const hl_syntax_study *study);

/* JSON: {"sentences", "left_out", "several_roots", "unknown_words", "rows": [{"relation", "cases", "head", "direction"
 * ("d>h" or "h>d"), "accuracy", "low", "high", "offset", "baseline", "held_out_head", "held_out_direction", "held_out",
 * "held_out_low", "held_out_high", "held_out_offset", "held_out_baseline", "null_head", "null", "null_held_out",
 * "label"}], "heads": [{"head", "relation", "direction", "cases", "held_out", "low", "high", "offset", "baseline",
 * "loss_without", "standard_error", "kept", "faithful", "faithful_in_group"}], "trees": [{"trees", "uas", "uuas"}]}:
 * shares from 0 to 1, null if there is none. `null` is the best head's share with random weights. `label` says whether
 * the held-out head earns the relation. `heads` are those that earn a relation, with their effects (heads/effect.h).
 *
 * CSV: the rows, with the same names; if trees were made, only "trees". */
void hl_heads_treebank_data(hl_heads_answer *answer, const hl_syntax_study *study);

/* All heads for one relation, the best first; the same as Markdown. */
void hl_heads_relation_table(hl_heads_answer *answer, const hl_syntax_study *study, int64_t relation);

/* {"relation", "cases", "heads": [{"layer", "head", ...}]} of these rows, and as CSV. */
void hl_heads_relation_data(hl_heads_answer *answer, const hl_syntax_study *study, int64_t relation);
