/* `heads grammar MODEL TREEBANK`: which head finds which relation. */
#pragma once

#include "programs/heads/call.h"
#include "programs/heads/deliver.h"
#include "programs/results.h"
#include "study/syntax_study.h"

/* The command's question about its treebank; its progress goes to `waiting`. */
hl_syntax_question hl_heads_treebank_question(const hl_heads_command *command, hl_waiting *waiting);

/* An open model has no examples of its own: its page shows the heads on the treebank's sentences, unless --examples
 * names others. The model must be open. */
void hl_heads_treebank_choose_examples(hl_heads_call *call);

/* HL_BAD_FILE if the command asks for a page of a run's own examples and the run has no snapshots. */
hl_status hl_heads_treebank_check_page(const hl_opened_model *model, const hl_heads_command *command);

/* Reads the treebank, checks the memory, loads the weights, and runs the model over the treebank. The progress goes to
 * `err`. For a page, it also finds cases. Fails as hl_opened_model_load, hl_syntax_study_read, hl_syntax_study_make and
 * hl_syntax_study_find_cases. Before the model runs: HL_INVALID, naming the treebank's relations, if it has none with
 * the name in --relation; HL_BAD_FILE if a page needs snapshots and there are none. Must be freed with
 * hl_syntax_study_free, on failure too. */
hl_status hl_heads_treebank_study(hl_syntax_study *study, hl_opened_model *model, const hl_heads_command *command,
                                  FILE *err);

/* Prints the table, or with --relation the table of all heads for it, and writes the requested files. Fails as
 * hl_output_put. */
hl_status hl_heads_treebank_show(const hl_syntax_study *study, const hl_heads_command *command, FILE *out);

/* ---- what is shown: functions that add to the answer's texts and leave HL_NO_MEMORY on them ---- */

/* The table: a sentence about what was read, a row for each relation, an explanation of the columns, the heads that
 * earn a label, and the trees, if they were made. Without `wide`, it has only held-out numbers. Markdown: the rows with
 * all numbers as a table, and the trees as another one.
 *
 * JSON: {"sentences", "left_out", "several_roots", "unknown_words", "rows": [{"relation", "cases", "head", "direction"
 * ("d>h" or "h>d"), "accuracy", "low", "high", "offset", "baseline", "held_out_head", "held_out_direction", "held_out",
 * "held_out_low", "held_out_high", "held_out_offset", "held_out_baseline", "null_head", "null", "null_held_out",
 * "label"}], "heads": [{"head", "relation", "direction", "cases", "held_out", "low", "high", "offset", "baseline",
 * "loss_without", "standard_error", "kept", "faithful", "faithful_in_group"}], "trees": [{"trees", "uas", "uuas"}]}:
 * shares from 0 to 1, null if there is none. `null` is the best head's share with random weights. `label` says whether
 * the held-out head earns the relation. `heads` are those that earn a relation, with their effects (heads/effect.h).
 *
 * CSV: the rows, with the same names; if trees were made, only "trees". */
void hl_heads_treebank_answer(hl_heads_answer *answer, const hl_syntax_study *study, bool wide);

/* The same of all heads for one relation, the best first as a table and as Markdown. JSON: {"relation", "cases",
 * "heads": [{"head", ...}]}; CSV: these rows. HL_NO_MEMORY; the answer is
 * then empty. */
hl_status hl_heads_relation_answer(hl_heads_answer *answer, const hl_syntax_study *study, int64_t relation);

/* ---- parts of the former (programs/heads/treebank_earning.c) ---- */

/* A row for each head that earns a label, with its held-out numbers; there may be none. */
hl_results hl_heads_earning(const hl_syntax_study *study);
void hl_heads_earning_print(hl_text *text, const hl_syntax_study *study);

/* A row for each kind of trees. */
hl_results hl_heads_trees(const hl_syntax_study *study);
void hl_heads_trees_print(hl_heads_answer *answer, const hl_syntax_study *study);

/* The share with its interval, as in "74.3 (71-77)". */
void hl_heads_add_held_out(hl_row *row, hl_syntax_rate rate);
